//! The load loop: one thread, one target, many connections, no allocation per request.
//!
//! [`Load`] owns sockets, slots, time and tally; the [`Protocol`] makes and reads bytes; the
//! [`Net`] moves them. The way of a request through the loop is `fill` → `flush` → `readable`
//! → `took` → `fill`. What happens when a connection breaks is in `broken.rs`.

pub mod arrivals;
mod broken;
pub mod coalesce;
pub mod connection;
pub mod control;
pub mod counts;
mod open;
pub mod open_loop;
mod replies;
pub mod slice;
pub mod tally;
pub mod turn;

use self::coalesce::{Coalesce, Coalescer};
use self::connection::{Connection, InFlight, State};
use self::open_loop::OpenLoop;
use self::replies::{Replies, Run};
use self::tally::{Phase, Tally};
use crate::histogram::Latencies;
use crate::net::{Event, Net};
use crate::protocol::{Failure, Protocol, Reply};
use std::io::ErrorKind::{Interrupted, WouldBlock};

/// Bytes read with one system call.
const READ_AT_ONCE: usize = 64 * 1024;

/// A protocol that leaves more than this unread has a fault: no buffer without a bound.
const LONGEST_UNREAD: usize = 1 << 20;

/// How a target is loaded; the same for all its slices.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub connections: usize,
    /// Connections are meant to last: a new one is worth a `reconnects`.
    pub keep_alive: bool,
    /// Requests in flight on one connection, at most: pipeline depth or streams.
    pub depth: u32,
    pub timeout_ns: u64,
    pub coalesce: Coalesce,
}

pub struct Load<P: Protocol, N: Net> {
    settings: Settings,
    protocol: P,
    net: N,
    connections: Vec<Connection<P::Connection>>,
    tally: Tally,
    /// Of the interval that is not yet published.
    interval: Latencies,
    /// Of all intervals before, since the last reset.
    latencies: Latencies,
    /// From the sending instead of the intended time; told apart in open loop only.
    service: Latencies,
    coalescer: Coalescer,
    published: turn::Published,
    open_loop: Option<OpenLoop>,
    in_flight: u64,
    sequence: u64,
    /// Requests that may still be sent in this turn.
    remaining: u64,
    /// The next change of phase.
    edge_ns: u64,
    edges: turn::Edges,
    /// When timeouts and back-offs are due to be looked at.
    look_at_ns: u64,
    /// Why the last attempt to connect failed.
    connect_error: Option<std::io::ErrorKind>,
    /// What goes out next; empty between two connections' turns.
    output: Vec<u8>,
    buffer: Box<[u8]>,
}

impl<P: Protocol, N: Net> Load<P, N> {
    pub fn new(settings: Settings, protocol: P, net: N) -> Self {
        Self {
            settings,
            protocol,
            net,
            connections: (0..settings.connections)
                .map(|_| Connection::new(settings.depth))
                .collect(),
            tally: Tally::new(),
            interval: Latencies::default(),
            latencies: Latencies::default(),
            service: Latencies::default(),
            coalescer: Coalescer::new(settings.coalesce),
            published: turn::Published::default(),
            open_loop: None,
            in_flight: 0,
            sequence: 0,
            remaining: u64::MAX,
            edge_ns: u64::MAX,
            edges: turn::Edges::default(),
            look_at_ns: u64::MAX,
            connect_error: None,
            output: Vec::new(),
            buffer: vec![0; READ_AT_ONCE].into_boxed_slice(),
        }
    }

    fn handle(&mut self, event: Event) {
        let id = event.id;
        match self.connections[id].state {
            State::Closed { .. } => {}
            State::Connecting { .. } => {
                match self.net.connected(id) {
                    Ok(true) => {
                        self.established(id);
                        // What a TLS layer has read already gives no event of its own.
                        if event.readable {
                            self.readable(id, event.hangup);
                        }
                    }
                    Ok(false) => {}
                    Err(error) => self.connect_failed(id, &error),
                }
            }
            State::Open => {
                if event.writable {
                    if self.net.writable(id).is_err() {
                        return self.ended(id, "the server closed the connection");
                    }
                    if !self.connections[id].output.is_empty() {
                        self.flush(id);
                    }
                }
                if event.readable {
                    self.readable(id, event.hangup);
                }
            }
        }
    }

    /// Reads what is there and, if the connection still stands, sends what follows from it.
    #[inline]
    fn readable(&mut self, id: usize, hangup: bool) {
        let mut now_ns = 0;
        while self.connections[id].state == State::Open {
            match self.net.recv(id, &mut self.buffer) {
                Ok(0) => return self.ended(id, "the server closed the connection"),
                Ok(n) => {
                    now_ns = self.net.now_ns();
                    let arrived_ns = self.net.arrived_ns().unwrap_or(now_ns).min(now_ns);
                    self.coalescer.arrived(arrived_ns);
                    self.cross_edges(arrived_ns);
                    if self.tally.counting() {
                        self.tally.counts.bytes_in += n as u64;
                    }
                    if let Err(failure) = self.took(id, n, arrived_ns) {
                        return self.failed(id, &failure);
                    }
                    // At a hangup there is always the end of the stream still to be read.
                    if n < self.buffer.len() && !hangup && self.net.short_read_empties() {
                        break;
                    }
                }
                Err(error) if error.kind() == WouldBlock => break,
                Err(error) if error.kind() == Interrupted => {}
                Err(_) => return self.ended(id, "the server reset the connection"),
            }
        }
        if now_ns > 0 {
            self.fill(id, now_ns);
        }
    }

    /// Gives `n` bytes of the buffer to the protocol and tallies the replies in them.
    #[inline]
    fn took(&mut self, id: usize, n: usize, now_ns: u64) -> Result<(), Failure> {
        let connection = &mut self.connections[id];
        let Some(state) = connection.protocol.as_mut() else {
            return Ok(());
        };
        let free_before = connection.free.len();
        let mut replies = Replies {
            slots: &mut connection.slots,
            free: &mut connection.free,
            tally: &mut self.tally,
            latencies: &mut self.interval,
            service: &mut self.service,
            open_loop: self.open_loop.as_ref(),
            in_flight: &mut self.in_flight,
            now_ns,
            run: Run::default(),
        };
        let bytes = &self.buffer[..n];
        let goes_on = !connection.input.is_empty();
        let input = if goes_on {
            connection.input.extend_from_slice(bytes);
            &connection.input
        } else {
            bytes
        };
        let (protocol, output) = (&mut self.protocol, &mut self.output);
        let alike = protocol.receive_alike(state, input, &mut |slot, status| {
            replies.right(slot, status);
        });
        let received = if alike < input.len() {
            protocol.receive(state, &input[alike..], output, &mut |reply: Reply| {
                replies.take(&reply);
            })
        } else {
            Ok(0)
        };
        drop(replies);
        if connection.free.len() > free_before {
            connection.may_be_stale = true;
            connection.failures = 0;
        }
        let used = alike + received?;
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

    /// Sends as many new requests as the mode, the slots and the protocol allow.
    #[inline]
    fn fill(&mut self, id: usize, now_ns: u64) {
        self.fill_at_most(id, now_ns, u32::MAX);
    }

    #[inline]
    fn fill_at_most(&mut self, id: usize, now_ns: u64, most: u32) {
        let connection = &mut self.connections[id];
        let Some(state) = connection.protocol.as_mut() else {
            return;
        };
        let first = self.sequence;
        let mut left = self.remaining.min(most.into());
        let mut room = self.protocol.room(state);
        while left > 0 && room > 0 && !connection.free.is_empty() {
            // Due times differ in open loop: one at a time.
            let (due_ns, n) = match (&mut self.open_loop, self.tally.phase) {
                (Some(open), Phase::LeadIn | Phase::Counted | Phase::Drain) => {
                    match open.take(now_ns) {
                        Some(due_ns) => (due_ns, 1),
                        None => break,
                    }
                }
                (None, Phase::LeadIn | Phase::Counted) => (now_ns, left.min(room.into())),
                _ => break,
            };
            let most = connection.free.len().min(n as usize);
            let slots = connection.free.iter().rev().take(most).copied();
            let n = self
                .protocol
                .request_many(state, slots, self.sequence, &mut self.output);
            let kept = connection.free.len() - n;
            for (&slot, sequence) in connection.free[kept..].iter().rev().zip(self.sequence..) {
                connection.slots[slot as usize] = InFlight {
                    busy: true,
                    sequence,
                    due_ns,
                    sent_ns: now_ns,
                };
            }
            connection.free.truncate(kept);
            self.sequence += n as u64;
            left -= n as u64;
            room = self.protocol.room(state);
        }
        let sent = self.sequence - first;
        if sent > 0 {
            self.remaining -= sent;
            self.in_flight += sent;
            self.tally.went_out(now_ns, sent);
            if let (0, Some(open)) = (self.remaining, &mut self.open_loop) {
                open.close();
            }
        }
        let spent = self.protocol.spent(state);
        let untaken = self.protocol.untaken(state).len();
        if let Some(open) = &mut self.open_loop {
            if room > 0 && !connection.free.is_empty() {
                open.list(id);
            }
        }
        if spent && connection.in_flight() == untaken {
            return self.replace(id);
        }
        if !self.output.is_empty() {
            self.flush(id);
        }
    }

    /// Sends `output`, and before it what the socket did not take last time.
    #[inline]
    fn flush(&mut self, id: usize) {
        let connection = &mut self.connections[id];
        let fresh = connection.output.is_empty();
        if !fresh {
            connection.output.append(&mut self.output);
        }
        let bytes = if fresh {
            &self.output
        } else {
            &connection.output
        };
        let sent = match self.net.send(id, bytes) {
            Ok(sent) => sent,
            Err(error) if matches!(error.kind(), WouldBlock | Interrupted) => 0,
            Err(_) => return self.ended(id, "the server closed the connection"),
        };
        if self.tally.counting() {
            self.tally.counts.bytes_out += sent as u64;
        }
        if !fresh {
            connection.output.drain(..sent);
        } else if sent < self.output.len() {
            connection.output.extend_from_slice(&self.output[sent..]);
        }
        self.output.clear();
    }
}
