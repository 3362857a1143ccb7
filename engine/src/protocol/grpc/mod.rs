//! gRPC over HTTP/2: many calls on a connection, every reply's status and messages judged.
//!
//! A call goes out as one prepared piece of bytes: its header block is the same for all calls
//! and refers to the server's table, as that of a real client does. What comes back is compared
//! before it is decoded: unchanged header blocks, expected messages. Whatever does not compare
//! is decoded in full. Source: gRPC over HTTP/2, github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md.

mod ask;
mod body;
mod connection;
mod head;
mod message;
mod receive;
mod stream;
mod wire;

pub use ask::Ask;
pub use connection::Connection;

use self::message::{Expected, Method};
use self::receive::Asked;
use self::wire::Wire;
use super::h2::frame::{self, Frame};
use super::{Failure, Protocol, Reply, Slot};
use crate::error::{Error, Result};

/// The protocol, with the call of one turn rendered.
#[derive(Clone)]
pub struct Grpc {
    ask: Ask,
    method: Method,
    is_tls: bool,
    authority: String,
    messages: u32,
    wire: Wire,
    expected: Option<Expected>,
    /// How often `prepare` was called: each time there may be other headers.
    turn: u64,
}

/// Only a text takes this: what can be rendered with it can be rendered with any token.
const ODD_TOKEN: &str = "{\u{e9}~}";

impl Grpc {
    /// # Errors
    /// The contract cannot be read, the call is not in it, or the JSON does not fit it.
    pub fn new(ask: &Ask, is_tls: bool, authority: &str) -> Result<Self> {
        let method = Method::find(ask)?;
        method.request(&ask.data, ODD_TOKEN, ask.gzip)?;
        if let Some(expect) = &ask.expect {
            method.reply(expect, ODD_TOKEN)?;
        }
        for (name, value) in &ask.metadata {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            let is_value = |byte: u8| (b' '..=b'~').contains(&byte);
            if name.is_empty() || !name.bytes().all(is_name) || !value.bytes().all(is_value) {
                return Err(Error::usage(format!(
                    "metadata {name}: {value}: not such a header"
                )));
            }
        }
        let mut grpc = Self {
            ask: ask.clone(),
            method,
            is_tls,
            authority: authority.into(),
            messages: ask.messages.unwrap_or(1),
            wire: Wire::default(),
            expected: None,
            turn: 0,
        };
        grpc.prepare("");
        Ok(grpc)
    }
}

impl Protocol for Grpc {
    type Connection = Connection;

    fn prepare(&mut self, token: &str) {
        let ask = &self.ask;
        let payload = self.method.request(&ask.data, token, ask.gzip);
        let payload = payload.expect("looked at in `new`, with an odd token");
        self.wire = Wire::new(ask, self.is_tls, &self.authority, token, payload);
        self.expected = ask.expect.as_ref().map(|expect| {
            let reply = self.method.reply(expect, token);
            reply.expect("looked at in `new`, with an odd token")
        });
        self.turn += 1;
    }

    fn connect(&mut self, depth: u32, output: &mut Vec<u8>) -> Connection {
        Connection::new(depth, output)
    }

    fn ready(&self, connection: &Connection) -> bool {
        connection.is_ready
    }

    #[inline]
    fn room(&self, connection: &Connection) -> u32 {
        connection.room()
    }

    #[inline]
    fn spent(&self, connection: &Connection) -> bool {
        connection.is_spent
    }

    #[inline]
    fn request(&mut self, connection: &mut Connection, slot: Slot, _: u64, output: &mut Vec<u8>) {
        connection.call(slot, self.turn, &self.wire, output);
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut Connection,
        input: &[u8],
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> std::result::Result<usize, Failure> {
        let asked = Asked {
            wire: &self.wire,
            expected: self.expected.as_ref(),
            messages: self.messages,
            gzip: self.ask.gzip,
        };
        if !connection.is_ready {
            is_http2(input)?;
        }
        let mut at = 0;
        while let Some((frame, used)) = Frame::parse(&input[at..])? {
            at += used;
            if !connection.is_ready && frame.kind != frame::SETTINGS {
                return Err(Failure::protocol(
                    "not HTTP/2: it does not begin with SETTINGS",
                ));
            }
            connection.frame(&frame, &asked, output, replies)?;
        }
        Ok(at)
    }

    fn begun(&self, connection: &Connection, slot: Slot, _unused: usize) -> bool {
        connection.streams.get(slot).has_head
    }

    fn why_late(&self, connection: &Connection, slot: Slot) -> Option<&'static str> {
        let waits = connection.blocked.contains(&slot);
        waits.then_some("the server's flow-control window stays closed")
    }

    fn abandon(&mut self, connection: &mut Connection, slot: Slot, output: &mut Vec<u8>) -> bool {
        let id = connection.streams.get(slot).id;
        if id != 0 {
            frame::push_reset(id, frame::CANCEL, output);
            connection.end(slot);
        }
        connection.is_ready
    }
}

/// Whether the first bytes that came can be HTTP/2; if not, what they are.
fn is_http2(input: &[u8]) -> std::result::Result<(), Failure> {
    if input.starts_with(b"HTTP/") {
        return Err(Failure::protocol("the server speaks HTTP/1, not HTTP/2"));
    }
    // A record of TLS: alert or handshake, version 3.
    if matches!(input, [0x15 | 0x16, 3, ..]) {
        return Err(Failure::protocol(
            "the server speaks TLS: grpcs:// instead of grpc://",
        ));
    }
    Ok(())
}
