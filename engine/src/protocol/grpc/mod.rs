//! gRPC over HTTP/2: many calls on a connection, every reply's status and messages judged.
//!
//! A call goes out as one prepared piece of bytes: its header block is the same for all calls
//! and refers to the server's table, as that of a real client does. What comes back is compared
//! before it is decoded: unchanged header blocks, expected messages. Whatever does not compare
//! is decoded in full. Source: gRPC over HTTP/2, github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md.

mod ask;
mod body;
mod expected;
mod head;
mod judge;
mod message;
mod template;
mod wire;

pub use ask::Ask;

use self::body::Body;
use self::expected::Expected;
use self::head::Head;
use self::judge::{judge, not_grpc};
use self::message::{contract, Method};
use super::h2::exchange::{Asked, End, Exchange};
use super::h2::wire::Wire;
use super::h2::Client;
use super::Failure;
use crate::error::{Error, Result};
use prost_reflect::DescriptorPool;

/// The protocol.
pub type Grpc = Client<Calls>;

/// Calls of one method, as rendered for one turn, and the judgement of their replies.
#[derive(Clone)]
pub struct Calls {
    ask: Ask,
    method: Method,
    is_tls: bool,
    authority: String,
    messages: u32,
    /// Of the one call.
    wires: Vec<Wire>,
    expected: Option<Expected>,
    /// An expected message with its sequence number in place.
    scratch: Vec<u8>,
}

/// Only a text takes this: what can be rendered with it can be rendered with any token.
const ODD_TOKEN: &str = "{\u{e9}~}";

impl Grpc {
    /// # Errors
    /// The contract cannot be read, the call is not in it, or the JSON does not fit it.
    pub fn new(ask: &Ask, is_tls: bool, authority: &str) -> Result<Self> {
        Self::with_contract(&contract(ask)?, ask, is_tls, authority)
    }

    /// # Errors
    /// The call is not in the contract, or the JSON does not fit it.
    pub fn with_contract(
        pool: &DescriptorPool,
        ask: &Ask,
        is_tls: bool,
        authority: &str,
    ) -> Result<Self> {
        let method = Method::find(pool, ask)?;
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
        Ok(Self::over(Calls {
            ask: ask.clone(),
            method,
            is_tls,
            authority: authority.into(),
            messages: ask.messages.unwrap_or(1),
            wires: Vec::new(),
            expected: None,
            scratch: Vec::new(),
        }))
    }
}

impl Exchange for Calls {
    type Reply = Body;
    type Head = Head;

    fn prepare(&mut self, token: &str) {
        let ask = &self.ask;
        let payload = self.method.request(&ask.data, token, ask.gzip);
        let payload = payload.expect("looked at in `new`, with an odd token");
        self.wires = wire::wires(ask, self.is_tls, &self.authority, token, payload);
        self.expected = ask.expect.as_ref().map(|expect| {
            let reply = self.method.reply(expect, token);
            reply.expect("looked at in `new`, with an odd token")
        });
    }

    #[inline]
    fn wires(&self) -> &[Wire] {
        &self.wires
    }

    #[inline]
    fn pick(&self, _: u64) -> u32 {
        0
    }

    #[inline]
    fn begin(&mut self, body: &mut Body) {
        body.reset();
    }

    #[inline]
    fn head(&mut self, _: Asked, _: &mut Body, head: &Head) -> Option<Failure> {
        not_grpc(head)
    }

    #[inline]
    fn data(
        &mut self,
        asked: Asked,
        body: &mut Body,
        content: &[u8],
    ) -> std::result::Result<(), Failure> {
        let expected = self.expected.as_ref();
        let wanted = expected.map(|expected| expected.of(asked.sequence, &mut self.scratch));
        body.take(content, wanted.as_ref(), self.ask.gzip)
            .map_err(Failure::protocol)
    }

    #[inline]
    fn end(&mut self, asked: Asked, body: &mut Body, end: End<'_, Head>) -> (u16, Option<Failure>) {
        let (head, failure) = match end {
            End::Data => {
                let failure = Failure::protocol("the trailers are missing");
                return (u16::MAX, Some(failure));
            }
            End::Trailers(trailers) => (trailers, None),
            // Trailers only: the first block is the last.
            End::Head(head) => (head, not_grpc(head)),
        };
        let expected = self.expected.as_ref();
        let failure = failure.or_else(|| {
            let sequence = asked.sequence;
            judge(head, body, self.messages, expected, sequence)
        });
        (head.grpc_status.unwrap_or(u16::MAX), failure)
    }
}
