//! Connections that are opened, replaced and lost, and the requests that were on them.
//!
//! A request whose reply has not begun is sent again on a new connection, and counted as
//! `resent` instead of as an error, if the connection was idle before it (the server may simply
//! have lost interest), if the server has said that it leaves the request to another connection,
//! or if it may be repeated without harm on a connection that has answered before. Everything
//! else is an error, and the connection is opened again after a pause that doubles from 1 to
//! 128 ms.
//!
//! Nothing here sends: whoever opens a connection that stands at once (true is returned) has
//! `output` sent on it, by [`Worker::send_requests`].

use super::connection::State;
use super::phases::Phase;
use super::replies::ReplySink;
use super::slots::InFlight;
use super::worker::Worker;
use crate::net::Net;
use crate::protocol::{ErrorKind, Failure, Protocol, Reply, Slot};
use std::io;

/// How a connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The peer has said that nothing more comes.
    Closed,
    /// It broke off: whatever came may be a part of more.
    Reset,
}

impl Ending {
    fn words(self) -> &'static str {
        match self {
            Self::Closed => "the server closed the connection",
            Self::Reset => "the server reset the connection",
        }
    }
}

impl<P: Protocol, N: Net> Worker<P, N> {
    /// Opens a connection, and sends on it if it stands at once.
    pub(super) fn connect_and_send(&mut self, id: usize) {
        if self.connect(id) {
            self.send_requests(id, self.net.now_ns(), u32::MAX);
        }
    }

    /// Begins to connect. True if the connection stands at once.
    #[must_use]
    fn connect(&mut self, id: usize) -> bool {
        match self.net.connect(id) {
            Ok(true) => {
                self.on_connected(id);
                true
            }
            Ok(false) => {
                let since_ns = self.net.now_ns();
                self.connections[id].state = State::Connecting { since_ns };
                false
            }
            Err(error) => {
                self.on_connect_failed(id, &error);
                false
            }
        }
    }

    /// A fresh connection: what was in flight on the old one is to be sent again, in its old
    /// order; `output` has it, behind what the protocol says first.
    pub(super) fn on_connected(&mut self, id: usize) {
        self.output.clear();
        let mut state = self.protocol.connect(self.settings.depth, &mut self.output);
        let connection = &mut self.connections[id];
        connection.state = State::Open;
        connection.was_of_use = false;
        connection.may_be_stale = false;
        for slot in connection.slots.busy() {
            self.metrics.counts.resent += 1;
            let sequence = connection.slots.get(slot).sequence;
            self.protocol
                .request(&mut state, slot, sequence, &mut self.output);
            if let (true, Some(messages)) = (P::HAS_MESSAGES, &self.messages) {
                let n = messages.let_go(id, slot);
                self.protocol.let_go(&mut state, slot, n, &mut self.output);
            }
        }
        connection.was_ready |= self.protocol.ready(&state);
        connection.protocol = Some(state);
        if let (true, Some(asides)) = (P::HAS_ASIDES, &mut self.asides) {
            asides.asked(id, self.net.now_ns());
        }
    }

    /// An attempt to connect failed, and with it every request that was waiting for it.
    #[cold]
    pub(super) fn on_connect_failed(&mut self, id: usize, error: &io::Error) {
        let now_ns = self.net.now_ns();
        self.shut(id);
        let what = match error.kind() {
            io::ErrorKind::ConnectionRefused => "refused the connection".to_owned(),
            io::ErrorKind::TimedOut => "did not accept a connection in time".to_owned(),
            _ => format!("could not be connected to: {error}"),
        };
        self.connect_error = Some(error.kind());
        let failure = Failure::new(ErrorKind::Connect, what);
        let busy = self.connections[id].slots.busy();
        if busy.is_empty() {
            self.fail_connection(&failure);
        }
        for slot in busy {
            self.fail_request(id, slot, &failure, now_ns);
        }
        self.connect_later(id, now_ns);
    }

    /// A connection that takes no more requests gives way to a new one. True if that stands at
    /// once.
    #[must_use]
    pub(super) fn replace(&mut self, id: usize) -> bool {
        // A server that answers nothing on any connection must not make this loop spin.
        let was_of_use = self.connections[id].was_of_use;
        self.shut(id);
        if self.settings.keep_alive {
            self.metrics.counts.reconnects += 1;
        }
        if was_of_use {
            return self.connect(id);
        }
        self.connect_later(id, self.net.now_ns());
        false
    }

    /// The peer closed or reset the connection; it is opened again, and sent on if it stands at
    /// once.
    #[cold]
    pub(super) fn disconnected(&mut self, id: usize, how: Ending) {
        if self.on_disconnect(id, how) {
            self.send_requests(id, self.net.now_ns(), u32::MAX);
        }
    }

    /// The peer closed or reset the connection. True if there is a new one that stands already.
    #[cold]
    #[must_use]
    pub(super) fn on_disconnect(&mut self, id: usize, how: Ending) -> bool {
        let now_ns = self.net.now_ns();
        self.cross_edges(now_ns);
        if how == Ending::Closed {
            self.take_last_reply(id, now_ns);
        }
        let was_of_use = self.connections[id].was_of_use;
        let mut lost = Vec::new();
        for slot in self.connections[id].slots.busy() {
            let when = if !was_of_use {
                "before its first reply"
            } else if self.has_begun(id, slot) {
                "in the middle of a reply"
            } else if self.may_resend(id, slot) {
                continue;
            } else {
                "with the request unanswered"
            };
            if !self.is_unprocessed(id, slot) {
                lost.push((slot, when));
            }
        }
        self.shut(id);
        for &(slot, when) in &lost {
            let failure = Failure::protocol(format!("{} {when}", how.words()));
            self.fail_request(id, slot, &failure, now_ns);
        }
        if lost.is_empty() && self.settings.keep_alive {
            self.metrics.counts.reconnects += 1;
        }
        // A server that closes every connection unused must not make this loop spin.
        if lost.is_empty() && was_of_use {
            return self.connect(id);
        }
        self.connect_later(id, now_ns);
        false
    }

    /// A reply that ends where the connection does.
    fn take_last_reply(&mut self, id: usize, now_ns: u64) {
        let connection = &mut self.connections[id];
        let Some(state) = connection.protocol.as_mut() else {
            return;
        };
        let mut replies = ReplySink::new(
            &mut connection.slots,
            &mut self.metrics,
            &mut self.requests,
            self.phases.now(),
            now_ns,
        );
        self.protocol
            .closed(state, &mut |reply: Reply| replies.take(&reply));
        drop(replies);
        self.take_marks(id, now_ns);
    }

    /// What came is not the protocol: whatever has begun fails, or else the oldest request.
    #[cold]
    pub(super) fn on_protocol_error(&mut self, id: usize, failure: &Failure) {
        let now_ns = self.net.now_ns();
        let mut failure = failure.clone();
        if self.phases.now() != Phase::Idle {
            failure.details.message += &format!(" (connection {id})");
        }
        let busy = self.connections[id].slots.busy();
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
            self.fail_connection(&failure);
        }
        for slot in lost {
            self.fail_request(id, slot, &failure, now_ns);
        }
        self.connect_later(id, now_ns);
    }

    pub(super) fn connect_later(&mut self, id: usize, now_ns: u64) {
        let connection = &mut self.connections[id];
        let retry_at_ns = connection.back_off(now_ns);
        connection.state = State::Closed { retry_at_ns };
        self.timers.reconnect(id, retry_at_ns);
    }

    pub(super) fn shut(&mut self, id: usize) {
        self.net.close(id);
        self.output.clear();
        let connection = &mut self.connections[id];
        connection.state = State::Closed { retry_at_ns: 0 };
        connection.protocol = None;
        connection.input.clear();
        connection.unsent.clear();
    }

    fn has_begun(&self, id: usize, slot: Slot) -> bool {
        let connection = &self.connections[id];
        let unused = connection.input.len();
        connection
            .protocol
            .as_ref()
            .is_some_and(|state| self.protocol.begun(state, slot, unused))
    }

    /// Whether a request whose reply has not begun may go to another connection: the server has
    /// lost interest in an idle one, or it does no harm.
    fn may_resend(&self, id: usize, slot: Slot) -> bool {
        let connection = &self.connections[id];
        let state = connection.protocol.as_ref();
        connection.may_be_stale || state.is_some_and(|state| self.protocol.may_repeat(state, slot))
    }

    fn is_unprocessed(&self, id: usize, slot: Slot) -> bool {
        let state = self.connections[id].protocol.as_ref();
        state.is_some_and(|state| self.protocol.unprocessed(state).contains(&slot))
    }

    /// A request has failed, and is no longer in flight.
    pub(super) fn fail_request(&mut self, id: usize, slot: Slot, failure: &Failure, now_ns: u64) {
        let &InFlight { due_ns, group, .. } = self.connections[id].slots.release(slot);
        self.requests.in_flight -= 1;
        if self.phases.is_counting() {
            self.metrics.came_back(now_ns, 1);
        }
        let told = self.requests.is_told(self.phases.now(), due_ns);
        self.metrics.wrong(failure, told, Some(group));
    }

    /// A connection has failed, and no request with it.
    pub(super) fn fail_connection(&mut self, failure: &Failure) {
        let told = matches!(self.phases.now(), Phase::Counted | Phase::Drain);
        self.metrics.wrong(failure, told, None);
    }
}
