//! The way of a request out: decided on, written, sent.
//!
//! `send_requests` → `write_requests` → `flush` → (the server) → `receiving.rs`.

use super::connection::State;
use super::worker::Worker;
use crate::net::Net;
use crate::protocol::Protocol;
use std::io::{self, ErrorKind::Interrupted, ErrorKind::WouldBlock};

/// A connection without a request for so long was idle.
const IDLE_NS: u64 = 1_000_000_000;

impl<P: Protocol, N: Net> Worker<P, N> {
    /// Open loop: sends what is due, as far as there is room.
    pub(super) fn send_due(&mut self, now_ns: u64) {
        let Some(open) = &mut self.requests.open_loop else {
            return;
        };
        open.observe(now_ns);
        while let Some(id) = self.next_to_send(now_ns) {
            // It is listed again, at the end, if it still has room afterwards.
            if self.connections[id].state == State::Open {
                self.send_requests(id, self.net.now_ns(), 1);
            } else if let Some(open) = &mut self.requests.open_loop {
                open.has_no_room();
            }
        }
    }

    /// A connection that may have room, if a request may be sent now.
    fn next_to_send(&mut self, now_ns: u64) -> Option<usize> {
        let open = self.requests.open_loop.as_mut()?;
        open.next_ns().filter(|&next_ns| next_ns <= now_ns)?;
        open.unlist()
    }

    /// Sends as many new requests as the run, the slots and the protocol allow, `most` at most.
    /// A connection that turns out to be over is opened anew, and if it stands at once the
    /// requests go out there.
    #[inline]
    pub(super) fn send_requests(&mut self, id: usize, mut now_ns: u64, mut most: u32) {
        loop {
            let stands = if self.write_requests(id, now_ns, most) {
                if P::HAS_ASIDES {
                    // The answer to a close frame; the connection is over all the same.
                    let _ = self.flush(id);
                }
                self.replace(id)
            } else if self.output.is_empty() || self.flush(id).is_ok() {
                return;
            } else {
                self.on_send_failed(id)
            };
            if !stands {
                return;
            }
            (now_ns, most) = (self.net.now_ns(), u32::MAX);
        }
    }

    /// Puts new requests into `output`. True if the connection is to be replaced: it takes no
    /// more requests, and owes no replies.
    #[inline]
    fn write_requests(&mut self, id: usize, now_ns: u64, most: u32) -> bool {
        let connection = &mut self.connections[id];
        let Some(state) = connection.protocol.as_mut() else {
            return false;
        };
        let (requests, slots) = (&mut self.requests, &mut connection.slots);
        let phase = self.phases.now();
        let mut left = requests.remaining.min(most.into());
        let mut room = self.protocol.room(state);
        let mut sent = 0;
        while left > 0 && room > 0 && slots.free() > 0 {
            let Some((due_ns, n)) = requests.next(phase, now_ns, left.min(room.into())) else {
                break;
            };
            let free = slots.next_free(n as usize);
            let next = slots.next_free(1).next();
            let first = requests.sequence;
            let n = self
                .protocol
                .request_many(state, free, first, &mut self.output);
            if !self.groups.is_empty() {
                let protocol = &self.protocol;
                slots.group(n, first, |sequence| {
                    self.groups.of(protocol.request_of(sequence))
                });
            }
            slots.occupy(n, first, due_ns, now_ns);
            if let (true, Some(slot), Some(messages)) = (P::HAS_MESSAGES, next, &mut self.messages)
            {
                // As latencies are: a burst sends some requests before their time.
                let from_ns = due_ns.min(now_ns);
                let n = messages.begin(id, slot, first + 1, from_ns, now_ns);
                self.protocol.let_go(state, slot, n, &mut self.output);
            }
            requests.sequence += n as u64;
            sent += n as u64;
            left -= n as u64;
            room = self.protocol.room(state);
        }
        if sent > 0 {
            requests.sent(sent);
            if slots.in_flight() as u64 == sent && now_ns >= connection.answered_ns + IDLE_NS {
                // A fresh one is not stale.
                connection.may_be_stale = connection.was_of_use;
            }
            if self.phases.is_counting() {
                self.metrics.went_out(now_ns, sent);
            }
        }
        if let Some(open) = &mut requests.open_loop {
            if room > 0 && slots.free() > 0 {
                open.list(id, now_ns);
            } else {
                open.has_no_room();
            }
        }
        let is_over = self.protocol.is_draining(state)
            && slots.in_flight() == self.protocol.unprocessed(state).len();
        self.take_asides(id, now_ns);
        is_over
    }

    /// Sends `output`, and before it what the socket did not take last time.
    ///
    /// # Errors
    /// The connection is broken.
    #[inline]
    pub(super) fn flush(&mut self, id: usize) -> io::Result<()> {
        let unsent = &mut self.connections[id].unsent;
        let is_fresh = unsent.is_empty();
        if !is_fresh {
            unsent.push(&self.output);
        }
        let bytes = if is_fresh {
            &self.output
        } else {
            unsent.pending()
        };
        let sent = match self.net.send(id, bytes) {
            Ok(sent) => sent,
            Err(error) if matches!(error.kind(), WouldBlock | Interrupted) => 0,
            Err(error) => return Err(error),
        };
        if self.phases.is_counting() {
            self.metrics.counts.bytes_out += sent as u64;
        }
        if !is_fresh {
            unsent.advance(sent);
        } else if sent < self.output.len() {
            unsent.push(&self.output[sent..]);
        }
        self.output.clear();
        Ok(())
    }
}
