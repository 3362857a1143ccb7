//! Connecting to a target before any load.

use super::connection::State;
use super::worker::Worker;
use crate::error::{Error, Kind, Result};
use crate::net::Net;
use crate::protocol::Protocol;
use std::io;

/// Connections on their way at once; more would overrun a short accept queue.
const CONNECTING_AT_ONCE: usize = 64;

impl<P: Protocol, N: Net> Worker<P, N> {
    /// Opens every connection and waits until each is ready, up to a timeout for the next one
    /// of them. `name` is for messages.
    ///
    /// # Errors
    /// `refused`, `timeout` or `gone`, as soon as one connection fails.
    pub fn open(&mut self, name: &str) -> Result<()> {
        let timeout_ns = self.settings.timeout_ns;
        // The timeout is each connection's own: as long as they open, more time is given.
        let mut deadline_ns = self.net.now_ns().saturating_add(timeout_ns);
        let mut opened = 0;
        let mut events = Vec::new();
        let mut begun = 0;
        // Those that were begun and are not ready yet.
        let mut pending: Vec<usize> = Vec::with_capacity(CONNECTING_AT_ONCE);
        loop {
            while begun < self.connections.len() && pending.len() < CONNECTING_AT_ONCE {
                self.connect_and_send(begun);
                pending.push(begun);
                begun += 1;
                self.keep_pending(&mut pending);
            }
            if let Some(error) = self.opening_error(name, &pending) {
                return Err(error);
            }
            if pending.is_empty() && begun == self.connections.len() {
                // One that was ready may have been lost while others were opened.
                pending = (0..begun).collect();
                self.keep_pending(&mut pending);
                if pending.is_empty() {
                    return Ok(());
                }
                continue;
            }
            if begun - pending.len() > opened {
                opened = begun - pending.len();
                deadline_ns = self.net.now_ns().saturating_add(timeout_ns);
            }
            if self.net.now_ns() >= deadline_ns {
                let message = format!("{name} did not accept the connections in time");
                return Err(Error::new(Kind::Timeout, message));
            }
            let until_ns = if self.unread.is_empty() {
                deadline_ns
            } else {
                self.net.now_ns()
            };
            self.net
                .wait(until_ns, &mut events)
                .map_err(|error| Error::new(Kind::Gone, format!("{name}: {error}")))?;
            self.read_on();
            for &event in &events {
                self.on_event(event);
            }
            self.keep_pending(&mut pending);
        }
    }

    /// Leaves those that are not ready yet.
    fn keep_pending(&self, pending: &mut Vec<usize>) {
        pending.retain(|&id| {
            let connection = &self.connections[id];
            match &connection.protocol {
                Some(state) => !connection.was_ready && !self.protocol.ready(state),
                // One that was ready and is closed again is opened anew by its first run.
                None => !connection.was_ready,
            }
        });
    }

    /// What went wrong, with any connection or with one of those that are `pending`.
    fn opening_error(&self, name: &str, pending: &[usize]) -> Option<Error> {
        let Some(message) = &self.metrics.counts.first_error else {
            let is_closed = |&id: &usize| matches!(self.connections[id].state, State::Closed { retry_at_ns } if retry_at_ns > 0);
            let message = format!("{name} closed the connection at once");
            return pending
                .iter()
                .any(is_closed)
                .then(|| Error::new(Kind::Gone, message));
        };
        let kind = match self.connect_error {
            Some(io::ErrorKind::ConnectionRefused) => Kind::Refused,
            Some(io::ErrorKind::TimedOut) => Kind::Timeout,
            _ => Kind::Gone,
        };
        Some(Error::new(kind, format!("{name} {message}")))
    }
}
