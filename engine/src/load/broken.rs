//! Connections that end, and the requests that were on them.
//!
//! A request whose reply has not begun is sent again on a new connection, without an error,
//! if the server may simply have lost interest in an idle connection, or if it has said that it
//! leaves the request to another connection. Everything else is an error, and the connection is
//! opened again after a pause that doubles from 1 to 128 ms.

use super::connection::State;
use super::replies::{Replies, Run};
use super::tally::Phase;
use super::Load;
use crate::net::Net;
use crate::protocol::{ErrorKind, Failure, Protocol, Reply, Slot};
use std::io;

impl<P: Protocol, N: Net> Load<P, N> {
    /// The peer closed or reset the connection.
    #[cold]
    pub(super) fn ended(&mut self, id: usize, how: &str) {
        let now_ns = self.net.now_ns();
        self.cross_edges(now_ns);
        let connection = &mut self.connections[id];
        if let Some(state) = connection.protocol.as_mut() {
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
            self.protocol
                .closed(state, &mut |reply: Reply| replies.take(&reply));
        }
        let may_be_stale = connection.may_be_stale;
        let lost: Vec<Slot> = connection
            .busy()
            .into_iter()
            .filter(|&slot| !may_be_stale || self.has_begun(id, slot))
            .filter(|&slot| !self.is_untaken(id, slot))
            .collect();
        self.shut(id);
        let when = if may_be_stale {
            "in the middle of a reply"
        } else {
            "before its first reply"
        };
        for &slot in &lost {
            let failure = Failure::protocol(format!("{how} {when}"));
            self.lose(id, slot, &failure, now_ns);
        }
        if lost.is_empty() && self.settings.keep_alive {
            self.tally.counts.reconnects += 1;
        }
        // A server that closes every connection unused must not make this loop spin.
        if lost.is_empty() && may_be_stale {
            self.connect(id);
        } else {
            self.connect_later(id, now_ns);
        }
    }

    /// What came is not the protocol: whatever has begun fails, or else the oldest request.
    #[cold]
    pub(super) fn failed(&mut self, id: usize, failure: &Failure) {
        let now_ns = self.net.now_ns();
        let mut failure = failure.clone();
        if self.tally.phase != Phase::Idle {
            failure.message += &format!(" (connection {id})");
        }
        let busy = self.connections[id].busy();
        let mut lost: Vec<Slot> = busy
            .iter()
            .copied()
            .filter(|&slot| self.has_begun(id, slot))
            .collect();
        if lost.is_empty() {
            lost.extend(busy.first());
        }
        self.shut(id);
        if lost.is_empty() {
            self.tally.counts.wrong(&failure);
        }
        for slot in lost {
            self.lose(id, slot, &failure, now_ns);
        }
        self.connect_later(id, now_ns);
    }

    /// Fails what has been in flight for too long, opens what is due to be opened again.
    /// Returns the earliest time at which this has to be looked at again.
    pub(super) fn look_after(&mut self, now_ns: u64) -> u64 {
        let timeout_ns = self.settings.timeout_ns;
        // Whatever is sent from now on has at least so long.
        let mut next_ns = now_ns.saturating_add(timeout_ns);
        for id in 0..self.connections.len() {
            match self.connections[id].state {
                State::Open if !self.connections[id].is_idle() => {
                    self.give_up_old(id, now_ns);
                    let oldest_ns = self.connections[id]
                        .slots
                        .iter()
                        .filter(|slot| slot.busy)
                        .map(|slot| slot.sent_ns)
                        .min();
                    if let Some(oldest_ns) = oldest_ns {
                        next_ns = next_ns.min(oldest_ns.saturating_add(timeout_ns));
                    }
                }
                State::Open => {}
                State::Connecting { since_ns } => {
                    let until_ns = since_ns.saturating_add(timeout_ns);
                    if now_ns >= until_ns {
                        self.connect_failed(id, &io::ErrorKind::TimedOut.into());
                    } else {
                        next_ns = next_ns.min(until_ns);
                    }
                }
                State::Closed { retry_at_ns } => {
                    self.give_up_old(id, now_ns);
                    if self.is_drained() && self.connections[id].is_idle() {
                        continue;
                    }
                    if now_ns >= retry_at_ns {
                        self.connect(id);
                    }
                    if let State::Closed { retry_at_ns } = self.connections[id].state {
                        next_ns = next_ns.min(retry_at_ns);
                    }
                }
            }
        }
        next_ns
    }

    fn give_up_old(&mut self, id: usize, now_ns: u64) {
        let timeout_ns = self.settings.timeout_ns;
        let connection = &self.connections[id];
        let is_old = |slot: &Slot| {
            now_ns.saturating_sub(connection.slots[*slot as usize].sent_ns) >= timeout_ns
        };
        if !connection
            .slots
            .iter()
            .any(|slot| slot.busy && now_ns.saturating_sub(slot.sent_ns) >= timeout_ns)
        {
            return;
        }
        let old: Vec<Slot> = connection.busy().into_iter().filter(is_old).collect();
        let mut close = false;
        for slot in old {
            let state = self.connections[id].protocol.as_ref();
            let why = state.and_then(|state| self.protocol.why_late(state, slot));
            let failure = too_late(timeout_ns, why);
            let abandoned = match self.connections[id].protocol.as_mut() {
                Some(state) => self.protocol.abandon(state, slot, &mut self.output),
                None => true,
            };
            close |= !abandoned;
            self.lose(id, slot, &failure, now_ns);
        }
        if close {
            self.shut(id);
            self.connect_later(id, now_ns);
        } else {
            self.fill(id, now_ns);
        }
    }

    /// At the very end of a turn: nothing may stay in flight.
    #[cold]
    pub(super) fn give_up_all(&mut self, now_ns: u64) {
        for id in 0..self.connections.len() {
            let busy = self.connections[id].busy();
            if busy.is_empty() {
                continue;
            }
            self.shut(id);
            let failure = Failure::new(ErrorKind::Timeout, "no reply before the turn had to end");
            for slot in busy {
                self.lose(id, slot, &failure, now_ns);
            }
        }
    }

    /// A connection that takes no more requests gives way to a new one.
    pub(super) fn replace(&mut self, id: usize) {
        // A server that answers nothing on any connection must not make this loop spin.
        let was_of_use = self.connections[id].may_be_stale;
        self.shut(id);
        if self.settings.keep_alive {
            self.tally.counts.reconnects += 1;
        }
        if was_of_use {
            self.connect(id);
        } else {
            self.connect_later(id, self.net.now_ns());
        }
    }

    pub(super) fn connect(&mut self, id: usize) {
        match self.net.connect(id) {
            Ok(true) => self.established(id),
            Ok(false) => {
                let since_ns = self.net.now_ns();
                self.connections[id].state = State::Connecting { since_ns };
            }
            Err(error) => self.connect_failed(id, &error),
        }
    }

    /// A fresh connection: what was in flight on the old one is sent again, in its old order.
    pub(super) fn established(&mut self, id: usize) {
        let now_ns = self.net.now_ns();
        self.output.clear();
        let mut state = self.protocol.connect(self.settings.depth, &mut self.output);
        let connection = &mut self.connections[id];
        connection.state = State::Open;
        connection.may_be_stale = false;
        for slot in connection.busy() {
            let sequence = connection.slots[slot as usize].sequence;
            self.protocol
                .request(&mut state, slot, sequence, &mut self.output);
        }
        connection.was_ready |= self.protocol.ready(&state);
        connection.protocol = Some(state);
        self.fill(id, now_ns);
    }

    /// An attempt to connect failed, and with it every request that was waiting for it.
    #[cold]
    pub(super) fn connect_failed(&mut self, id: usize, error: &io::Error) {
        let now_ns = self.net.now_ns();
        self.shut(id);
        let what = match error.kind() {
            io::ErrorKind::ConnectionRefused => "refused the connection".to_owned(),
            io::ErrorKind::TimedOut => "did not accept a connection in time".to_owned(),
            _ => format!("could not be connected to: {error}"),
        };
        self.connect_error = Some(error.kind());
        let failure = Failure::new(ErrorKind::Connect, what);
        let busy = self.connections[id].busy();
        if busy.is_empty() {
            self.tally.counts.wrong(&failure);
        }
        for slot in busy {
            self.lose(id, slot, &failure, now_ns);
        }
        self.connect_later(id, now_ns);
    }

    fn connect_later(&mut self, id: usize, now_ns: u64) {
        let connection = &mut self.connections[id];
        let retry_at_ns = connection.back_off(now_ns);
        connection.state = State::Closed { retry_at_ns };
        self.look_at_ns = self.look_at_ns.min(retry_at_ns);
    }

    fn shut(&mut self, id: usize) {
        self.net.close(id);
        self.output.clear();
        let connection = &mut self.connections[id];
        connection.state = State::Closed { retry_at_ns: 0 };
        connection.protocol = None;
        connection.input.clear();
        connection.output.clear();
    }

    fn has_begun(&self, id: usize, slot: Slot) -> bool {
        let connection = &self.connections[id];
        let unused = connection.input.len();
        connection
            .protocol
            .as_ref()
            .is_some_and(|state| self.protocol.begun(state, slot, unused))
    }

    fn is_untaken(&self, id: usize, slot: Slot) -> bool {
        let state = self.connections[id].protocol.as_ref();
        state.is_some_and(|state| self.protocol.untaken(state).contains(&slot))
    }

    fn lose(&mut self, id: usize, slot: Slot, failure: &Failure, now_ns: u64) {
        self.connections[id].release(slot);
        self.in_flight -= 1;
        self.tally.came_back(now_ns, 1);
        self.tally.counts.wrong(failure);
    }
}

fn too_late(timeout_ns: u64, why: Option<&str>) -> Failure {
    let mut message = format!("no reply within {} ms", timeout_ns / 1_000_000);
    if let Some(why) = why {
        message += ": ";
        message += why;
    }
    Failure::new(ErrorKind::Timeout, message)
}
