//! The way of a reply in: read, judged, counted; it brings the next request.
//!
//! `on_event` → `on_readable` → `on_data` → `send_requests` for the next one.

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

impl<P: Protocol, N: Net> Worker<P, N> {
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
    pub(super) fn on_send_failed(&mut self, id: usize) -> bool {
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
        let written_before = self.output.len();
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
        let chatter = self.output.len() - written_before - self.protocol.resumed(state);
        self.take_marks(id, now_ns);
        self.take_asides(id, now_ns);
        let connection = &mut self.connections[id];
        if connection.slots.free() > free_before {
            connection.was_of_use = true;
            connection.may_be_stale = false;
            connection.answered_ns = now_ns;
            connection.failures = 0;
        }
        let used = matched + received?;
        connection.chatter = match connection.unsent.is_empty() && written_before == 0 {
            true => chatter,
            false => connection.chatter + chatter,
        };
        if connection.chatter > MOST_CHATTER {
            return Err(Failure::protocol(
                "the server asks for acknowledgements and does not read them",
            ));
        }
        if goes_on {
            connection.input.drain(..used);
        } else if used < n {
            connection.input.extend_from_slice(&self.buffer[used..n]);
        }
        if connection.input.len() > LONGEST_UNREAD {
            return Err(Failure::protocol("a reply that never gets anywhere"));
        }
        Ok(())
    }
}
