//! Servers that do the least a server of their protocol may do: the ceiling of this machine.
//! For tests of truth they lie, but only on demand and exactly as often as told.
//!
//! [`server`] owns sockets and time, a [`Service`] knows one protocol, [`lies`] decides what
//! is done to each reply.

mod burn;
pub mod http;
pub mod lies;
pub mod server;
pub mod signal;

pub use lies::{Lies, Manner, Replies};

/// One protocol's side of a server: from request bytes to reply bytes.
pub trait Service {
    /// What the server remembers of one connection.
    type Client;

    /// A new connection; what has to be said first goes to `replies`.
    fn client(&mut self, replies: &mut Replies) -> Self::Client;

    /// Answers every complete request at the start of `input`, each between
    /// [`Replies::begin`] and [`Replies::end`], and returns the bytes used up. It stops early
    /// once [`Replies::hung_up`].
    ///
    /// # Errors
    /// [`Refused`] closes the connection after `replies` are sent.
    fn answer(
        &mut self,
        client: &mut Self::Client,
        input: &[u8],
        replies: &mut Replies,
    ) -> Result<usize, Refused>;
}

/// What came is not a request that this server answers.
pub struct Refused;
