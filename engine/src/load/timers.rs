//! What has to be looked at though nothing came for it: timeouts, and connections that are due
//! to be opened again.

use super::connection::State;
use super::worker::Worker;
use crate::net::Net;
use crate::protocol::{ErrorKind, Failure, Protocol, Slot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

pub struct Timers {
    /// No timeout comes before this.
    timeout_ns: u64,
    /// When, and which connection. One that was opened meanwhile is passed over.
    reconnects: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Timers {
    pub fn new() -> Self {
        Self {
            timeout_ns: u64::MAX,
            reconnects: BinaryHeap::new(),
        }
    }

    pub fn next_ns(&self) -> u64 {
        let reconnect_ns = self.reconnects.peek().map(|Reverse((at_ns, _))| *at_ns);
        reconnect_ns.map_or(self.timeout_ns, |at_ns| at_ns.min(self.timeout_ns))
    }

    /// Timeouts have to be looked for at this time, and not before.
    pub fn expect_timeout(&mut self, at_ns: u64) {
        self.timeout_ns = at_ns;
    }

    /// A connection is to be opened again at this time.
    pub fn reconnect(&mut self, id: usize, at_ns: u64) {
        self.reconnects.push(Reverse((at_ns, id)));
    }

    /// The next connection that is due to be opened again, and since when.
    fn due_reconnect(&mut self, now_ns: u64) -> Option<(u64, usize)> {
        let &Reverse((at_ns, id)) = self.reconnects.peek()?;
        if at_ns > now_ns {
            return None;
        }
        self.reconnects.pop();
        Some((at_ns, id))
    }
}

impl<P: Protocol, N: Net> Worker<P, N> {
    /// Opens the connections again whose time has come.
    pub(super) fn reconnect_due(&mut self, now_ns: u64) {
        while let Some((at_ns, id)) = self.timers.due_reconnect(now_ns) {
            let connection = &self.connections[id];
            let is_closed = connection.state == State::Closed { retry_at_ns: at_ns };
            // One that has nothing left to do is opened anew by the next run.
            if is_closed && !(self.is_drained() && connection.is_idle()) {
                self.connect_and_send(id);
            }
        }
    }

    /// Fails what has been in flight, or on its way to be connected, for too long.
    pub(super) fn check_timeouts(&mut self, now_ns: u64) {
        if now_ns < self.timers.timeout_ns {
            return;
        }
        let timeout_ns = self.settings.timeout_ns;
        // Whatever is sent from now on has at least so long.
        let mut next_ns = now_ns.saturating_add(timeout_ns);
        for id in 0..self.connections.len() {
            match self.connections[id].state {
                State::Open | State::Closed { .. } => {
                    if self.connections[id].is_idle() {
                        if let Some(until_ns) = self.give_up_upgrade(id, now_ns) {
                            next_ns = next_ns.min(until_ns);
                        }
                        continue;
                    }
                    self.give_up_old(id, now_ns);
                    if let Some(oldest_ns) = self.connections[id].slots.oldest_ns() {
                        next_ns = next_ns.min(oldest_ns.saturating_add(timeout_ns));
                    }
                }
                State::Connecting { since_ns } => {
                    let until_ns = since_ns.saturating_add(timeout_ns);
                    if now_ns >= until_ns {
                        self.on_connect_failed(id, &io::ErrorKind::TimedOut.into());
                    } else {
                        next_ns = next_ns.min(until_ns);
                    }
                }
            }
        }
        self.timers.expect_timeout(next_ns);
    }

    fn give_up_old(&mut self, id: usize, now_ns: u64) {
        let timeout_ns = self.settings.timeout_ns;
        let is_old = |sent_ns: u64| now_ns.saturating_sub(sent_ns) >= timeout_ns;
        let slots = &self.connections[id].slots;
        if !slots.oldest_ns().is_some_and(is_old) {
            return;
        }
        let mut old: Vec<Slot> = slots.busy();
        old.retain(|&slot| is_old(slots.get(slot).sent_ns));
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
            self.fail_request(id, slot, &failure, now_ns);
        }
        if close {
            self.shut(id);
            self.connect_later(id, now_ns);
        } else {
            self.send_requests(id, now_ns, u32::MAX);
        }
    }

    /// At the very end of a run: nothing may stay in flight.
    #[cold]
    pub(super) fn give_up_all(&mut self, now_ns: u64) {
        for id in 0..self.connections.len() {
            let busy = self.connections[id].slots.busy();
            if busy.is_empty() {
                continue;
            }
            self.shut(id);
            let failure = Failure::new(ErrorKind::Timeout, "no reply before the turn had to end");
            for slot in busy {
                self.fail_request(id, slot, &failure, now_ns);
            }
        }
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
