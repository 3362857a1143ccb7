//! The way of a request: decided on, written, sent; its reply read, judged and counted.
//!
//! `send_requests` → `write_requests` → `flush` → (the server) → `on_event` → `on_readable` →
//! `on_data` → `send_requests` for the next one.

use super::connection::State;
use super::lifecycle::Ending;
use super::replies::ReplySink;
use super::worker::Worker;
use crate::net::{Event, Net};
use crate::protocol::{Failure, Protocol, Reply};
use std::io::{self, ErrorKind::Interrupted, ErrorKind::WouldBlock};

/// A protocol that leaves more than this unread has a fault: no buffer without a bound.
const LONGEST_UNREAD: usize = 1 << 20;

/// Reads in a row on one connection, a megabyte in all: a peer that sends without end must not
/// keep the loop from timeouts, sending times and signals.
const MOST_READS: usize = 16;

/// Acknowledgements and the like that wait for a peer which asks for them and does not read.
const MOST_CHATTER: usize = 1 << 20;

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
                open.list(id);
            }
        }
        self.protocol.is_draining(state)
            && slots.in_flight() == self.protocol.unprocessed(state).len()
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

    /// Something happened on a connection.
    pub(super) fn on_event(&mut self, event: Event) {
        let id = event.id;
        match self.connections[id].state {
            State::Closed { .. } => {}
            State::Connecting { .. } => {
                match self.net.connected(id) {
                    Ok(true) => {
                        self.on_connected(id);
                        self.send_requests(id, self.net.now_ns(), u32::MAX);
                        // What a TLS layer has read already gives no event of its own.
                        if event.readable {
                            self.on_readable(id, event.hangup);
                        }
                    }
                    Ok(false) => {}
                    Err(error) => self.on_connect_failed(id, &error),
                }
            }
            State::Open => {
                if event.writable && self.on_writable(id).is_err() {
                    if self.on_send_failed(id) {
                        self.send_requests(id, self.net.now_ns(), u32::MAX);
                    }
                    return;
                }
                if event.readable {
                    self.on_readable(id, event.hangup);
                }
            }
        }
    }

    /// There is room to write again.
    fn on_writable(&mut self, id: usize) -> io::Result<()> {
        self.net.writable(id)?;
        if self.connections[id].unsent.is_empty() {
            return Ok(());
        }
        self.flush(id)
    }

    /// Goes on with connections that had more to read than was their share.
    pub(super) fn read_on(&mut self) {
        for _ in 0..self.unread.len() {
            if let Some((id, hangup)) = self.unread.pop_front() {
                self.on_readable(id, hangup);
            }
        }
    }

    /// Reads what is there, up to a share, and, if the connection still stands, sends what follows from it.
    #[inline]
    fn on_readable(&mut self, id: usize, hangup: bool) {
        let mut now_ns = 0;
        let mut reads = 0;
        while self.connections[id].state == State::Open {
            if reads == MOST_READS {
                self.unread.push_back((id, hangup));
                break;
            }
            reads += 1;
            match self.net.recv(id, &mut self.buffer) {
                Ok(0) => return self.disconnected(id, Ending::Closed),
                Ok(n) => {
                    now_ns = self.net.now_ns();
                    let arrived_ns = self.net.arrived_ns().unwrap_or(now_ns).min(now_ns);
                    self.coalescer.arrived(arrived_ns);
                    self.cross_edges(arrived_ns);
                    if self.phases.is_counting() {
                        self.metrics.counts.bytes_in += n as u64;
                    }
                    if let Err(failure) = self.on_data(id, n, arrived_ns) {
                        return self.on_protocol_error(id, &failure);
                    }
                    // At a hangup there is always the end of the stream still to be read.
                    if n < self.buffer.len() && !hangup && self.net.short_read_empties() {
                        break;
                    }
                }
                Err(error) if error.kind() == WouldBlock => break,
                Err(error) if error.kind() == Interrupted => {}
                Err(_) => return self.disconnected(id, Ending::Reset),
            }
        }
        if now_ns > 0 {
            self.send_requests(id, now_ns, u32::MAX);
        }
    }

    /// The peer takes nothing more. It may have answered before (413, then close): what it has
    /// said counts. True if there is a new connection that stands already.
    #[cold]
    #[must_use]
    fn on_send_failed(&mut self, id: usize) -> bool {
        self.output.clear();
        for _ in 0..MOST_READS {
            let n = match self.net.recv(id, &mut self.buffer) {
                Ok(n) if n > 0 => n,
                Err(error) if error.kind() == Interrupted => continue,
                _ => break,
            };
            let now_ns = self.net.now_ns();
            self.cross_edges(now_ns);
            if self.phases.is_counting() {
                self.metrics.counts.bytes_in += n as u64;
            }
            if let Err(failure) = self.on_data(id, n, now_ns) {
                self.on_protocol_error(id, &failure);
                return false;
            }
        }
        self.on_disconnect(id, Ending::Reset)
    }

    /// Gives `n` bytes of the buffer to the protocol and counts the replies in them.
    ///
    /// # Errors
    /// They are not the protocol.
    #[inline]
    fn on_data(&mut self, id: usize, n: usize, now_ns: u64) -> Result<(), Failure> {
        let connection = &mut self.connections[id];
        let Some(state) = connection.protocol.as_mut() else {
            return Ok(());
        };
        let free_before = connection.slots.free();
        let mut replies = ReplySink::new(
            &mut connection.slots,
            &mut self.metrics,
            &mut self.requests,
            self.phases.now(),
            now_ns,
        );
        let bytes = &self.buffer[..n];
        let goes_on = !connection.input.is_empty();
        let input = if goes_on {
            connection.input.extend_from_slice(bytes);
            &connection.input
        } else {
            bytes
        };
        let (protocol, output) = (&mut self.protocol, &mut self.output);
        let matched = protocol.match_cached(state, input, &mut |slot, status| {
            replies.right(slot, status);
        });
        let received = if matched < input.len() {
            protocol.receive(state, &input[matched..], output, &mut |reply: Reply| {
                replies.take(&reply);
            })
        } else {
            Ok(0)
        };
        drop(replies);
        if connection.slots.free() > free_before {
            connection.was_of_use = true;
            connection.may_be_stale = false;
            connection.answered_ns = now_ns;
            connection.failures = 0;
        }
        let used = matched + received?;
        connection.chatter = match connection.unsent.is_empty() {
            true => self.output.len(),
            false => connection.chatter + self.output.len(),
        };
        if connection.chatter > MOST_CHATTER {
            return Err(Failure::protocol(
                "the server asks for acknowledgements and does not read them",
            ));
        }
        if goes_on {
            connection.input.drain(..used);
        } else if used < n {
            connection.input.extend_from_slice(&bytes[used..]);
        }
        if connection.input.len() > LONGEST_UNREAD {
            return Err(Failure::protocol("a reply that never gets anywhere"));
        }
        Ok(())
    }
}
