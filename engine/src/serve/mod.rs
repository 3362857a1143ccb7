//! Servers that do the least a server of their protocol may do: the ceiling of this machine.
//! For tests of truth they inject faults, but only on demand and exactly as often as asked.
//!
//! [`server`] owns sockets and time, a [`Service`] knows one protocol, [`faults`] decides what
//! is done to each reply.

mod burn;
pub mod faults;
pub mod greetings;
pub mod grpc;
pub mod http;
pub mod redis;
pub mod server;
pub mod sse;
pub mod websocket;

pub use faults::{Faults, Manner, Responder};

/// One protocol's side of a server: from request bytes to reply bytes.
pub trait Service {
    /// What the server remembers of one connection.
    type Client;

    /// Bytes of replies that the kernel is to hold for a client; `None`: as many as it likes.
    const SEND_BUFFER: Option<usize> = None;

    /// Whether replies are sent at times of their own, to the microsecond.
    const HOLDS_REPLIES: bool = false;

    /// A new connection; what has to be said first goes to `responder`.
    fn client(&mut self, responder: &mut Responder) -> Self::Client;

    /// Answers every complete request at the start of `input`, each between
    /// [`Responder::begin`] and [`Responder::end`], and returns the bytes used up. It stops early
    /// once [`Responder::hung_up`].
    ///
    /// # Errors
    /// [`Refused`] closes the connection after what is in `responder` is sent.
    fn answer(
        &mut self,
        client: &mut Self::Client,
        input: &[u8],
        responder: &mut Responder,
    ) -> Result<usize, Refused>;

    /// When [`Self::expire`] is to be called for a client, on the clock of [`Responder::now_ns`];
    /// asked after each answer.
    fn due_ns(&self, _client: &Self::Client) -> Option<u64> {
        None
    }

    /// That time has come. What has to be said goes to `responder`.
    fn expire(&mut self, _client: &mut Self::Client, _responder: &mut Responder) {}

    /// No more is read from a client while more bytes than this wait to be sent to it.
    fn most_unsent(&self) -> usize {
        usize::MAX
    }

    /// A connection is over.
    fn closed(&mut self, _client: Self::Client, _traffic: ConnectionTraffic) {}
}

/// What went over one connection.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct ConnectionTraffic {
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Most bytes of replies that waited because the client's system took no more.
    pub unsent_max: u64,
    /// Bytes of replies that the systems of both sides had taken when the last bytes came in.
    pub taken_before_last: u64,
}

/// What came is not a request that this server answers.
pub struct Refused;
