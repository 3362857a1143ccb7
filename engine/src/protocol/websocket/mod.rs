//! WebSocket (RFC 6455): messages, each with a reply, matched in their order or by an identifier.

pub mod frame;
pub mod handshake;
mod in_flight;
mod prepared;
mod protocol;
pub mod reader;
mod spec;

pub use spec::MessageSpec;

use self::in_flight::InFlight;
use self::prepared::Prepared;
use self::reader::Reader;
use super::http::assertion::JsonAssertion;
use super::http::mix::{Draw, Mix};
use super::http::Request;
use super::repeated::Repeated;
use crate::error::{Error, Result};
use crate::random::SplitMix64;
use crate::template::Template;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The protocol, with the messages of one run rendered.
#[derive(Clone)]
pub struct WebSocket {
    /// Messages, and what is expected of their replies; the first has path and headers of the upgrade.
    messages: Vec<Request>,
    /// Which of them is sent next.
    mix: Mix,
    /// Texts go out as binary messages too.
    binary: bool,
    id: Option<JsonAssertion>,
    ping: Option<u64>,
    /// What values are made from.
    seed: u64,
    upgrade: Template,
    subprotocols: Vec<String>,
    prepared: Prepared,
    /// The last right reply, frame and all, where all right replies may be alike.
    known: Repeated,
    /// Masks and keys of upgrades.
    random: SplitMix64,
    /// Connections so far.
    connections: u64,
    asides: Asides,
    /// A message with what differs in place.
    scratch: Vec<u8>,
    expected: Vec<u8>,
}

/// What is told beside requests and their replies: of one connection, since it was asked last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asides {
    /// The server has agreed to speak the protocol.
    pub upgraded: bool,
    /// A ping went out.
    pub pinged: bool,
    /// Its pong came.
    pub ponged: bool,
    /// Messages that belong to no request.
    pub unasked: u64,
}

/// What one connection remembers.
pub struct WebSocketConnection {
    in_flight: InFlight,
    reader: Reader,
    /// What the server has to say to be upgraded; `None` once it has said so.
    accept: Option<String>,
    /// Messages that wait for the upgrade.
    held: Vec<u8>,
    /// Messages so far.
    messages: u64,
    /// Number of the ping whose pong is still to come.
    ping: Option<u64>,
    /// The server has said that it closes the connection.
    is_closing: bool,
}

impl WebSocket {
    /// The body of each request is a message. `depth` messages may be in flight on a connection.
    ///
    /// # Errors
    /// There is none, or something of it cannot be meant.
    pub fn new(messages: &[Request], spec: &MessageSpec, depth: u32, host: &str) -> Result<Self> {
        let needed = || Error::usage("WebSocket: a message is needed (--data)");
        let request = messages.first().ok_or_else(needed)?;
        for message in messages {
            message.body.as_ref().ok_or_else(needed)?;
            message.check()?;
        }
        let id = spec.match_id(request)?;
        let mut protocol = Self {
            upgrade: handshake::request(request, host)?,
            subprotocols: handshake::subprotocols(request),
            messages: messages.to_vec(),
            mix: Mix::new(messages),
            binary: spec.binary,
            id,
            ping: spec.ping,
            seed: 0,
            prepared: Prepared::default(),
            known: Repeated::default(),
            random: SplitMix64::new(RandomState::new().build_hasher().finish()),
            connections: 0,
            asides: Asides::default(),
            scratch: Vec::new(),
            expected: Vec::new(),
        };
        protocol.prepare_with("", 0);
        if depth > 1 && protocol.prepared.has_constant_id() {
            return Err(Error::usage(
                "--match-id: the value is the same for every message; with --pipeline it has to differ ({seq}, {uuid})",
            ));
        }
        Ok(protocol)
    }

    /// The same, with the messages drawn in this way.
    #[must_use]
    pub fn drawn(self, draw: Draw) -> Self {
        Self {
            mix: self.mix.drawn(draw),
            ..self
        }
    }

    fn prepare_with(&mut self, token: &str, seed: u64) {
        self.prepared = Prepared::new(&self.messages, self.binary, self.id.as_ref(), token, seed);
        self.known.clear();
    }

    fn next_key(&mut self) -> [u8; 4] {
        (self.random.next_u64() as u32).to_ne_bytes()
    }
}
