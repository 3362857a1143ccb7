//! Connecting to a target before any load.

use super::connection::{Connection, State};
use super::Load;
use crate::error::{Error, Kind, Result};
use crate::net::Net;
use crate::protocol::Protocol;
use std::io;

/// Connections on their way at once; more would overrun a short accept queue.
const CONNECTING_AT_ONCE: usize = 64;

impl<P: Protocol, N: Net> Load<P, N> {
    /// Opens every connection and waits until each is ready. `name` is for messages.
    ///
    /// # Errors
    /// `refused`, `timeout` or `gone`, as soon as one connection fails.
    pub fn open(&mut self, name: &str) -> Result<()> {
        let deadline_ns = self.net.now_ns().saturating_add(self.settings.timeout_ns);
        let mut events = Vec::new();
        let mut begun = 0;
        loop {
            while begun < self.connections.len() && self.pending(begun) < CONNECTING_AT_ONCE {
                self.connect(begun);
                begun += 1;
            }
            if let Some(error) = self.opening_error(name) {
                return Err(error);
            }
            if self.pending(begun) == 0 {
                if begun == self.connections.len() {
                    return Ok(());
                }
                continue;
            }
            if self.net.now_ns() >= deadline_ns {
                let message = format!("{name} did not accept the connections in time");
                return Err(Error::new(Kind::Timeout, message));
            }
            self.net
                .wait(deadline_ns, &mut events)
                .map_err(|error| Error::new(Kind::Gone, format!("{name}: {error}")))?;
            for &event in &events {
                self.handle(event);
            }
        }
    }

    /// How many of the first `begun` connections are not ready yet.
    fn pending(&self, begun: usize) -> usize {
        self.connections[..begun]
            .iter()
            .filter(|connection| match &connection.protocol {
                Some(state) => !connection.was_ready && !self.protocol.ready(state),
                // One that was ready and is closed again is opened anew by its first turn.
                None => !connection.was_ready,
            })
            .count()
    }

    fn opening_error(&self, name: &str) -> Option<Error> {
        let closed = |connection: &Connection<P::Connection>| {
            matches!(connection.state, State::Closed { retry_at_ns } if retry_at_ns > 0)
                && !connection.was_ready
        };
        let Some(message) = &self.tally.counts.first_error else {
            let message = format!("{name} closed the connection at once");
            let is_closed = self.connections.iter().any(closed);
            return is_closed.then(|| Error::new(Kind::Gone, message));
        };
        let kind = match self.connect_error {
            Some(io::ErrorKind::ConnectionRefused) => Kind::Refused,
            Some(io::ErrorKind::TimedOut) => Kind::Timeout,
            _ => Kind::Gone,
        };
        Some(Error::new(kind, format!("{name} {message}")))
    }

    /// Whether every connection stands.
    pub fn is_open(&self) -> bool {
        self.connections
            .iter()
            .all(|connection| connection.state == State::Open)
    }
}
