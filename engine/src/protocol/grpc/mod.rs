//! gRPC over HTTP/2: many calls on a connection, every reply's status and messages judged.
//!
//! A call goes out as one prepared piece of bytes: its header block is the same for all calls
//! and refers to the server's table, as that of a real client does. What comes back is compared
//! before it is decoded: unchanged header blocks, expected messages. Whatever does not compare
//! is decoded in full. Source: gRPC over HTTP/2, github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md.

mod body;
mod contract;
mod details;
mod expected;
mod fields;
mod framing;
mod head;
mod judge;
pub mod lookup;
mod message;
pub mod reflection;
mod request;
mod spec;
pub mod streaming;
mod template;

pub use contract::contract;
pub use spec::{CallSpec, Replies};

use self::body::Body;
use self::expected::Expected;
use self::head::GrpcFields;
use self::judge::{judge, last_block, not_grpc};
use self::message::Method;
use super::asked::Asked;
use super::h2::exchange::{End, Exchange};
use super::h2::rendered::RenderedRequest;
use super::h2::Http2Client;
use super::marks::{Marks, StreamEnd};
use super::{Failure, Slot};
use crate::error::Result;
use prost_reflect::DescriptorPool;

/// The protocol.
pub type Grpc = Http2Client<Calls>;

/// Calls of one method, as rendered for one run, and the judgement of their replies.
#[derive(Clone)]
pub struct Calls {
    spec: CallSpec,
    method: Method,
    is_tls: bool,
    authority: String,
    messages: u32,
    marks: Marks,
    /// Of the one call.
    wires: Vec<RenderedRequest>,
    expected: Option<Expected>,
    /// An expected message with its sequence number in place.
    scratch: Vec<u8>,
}

/// Only a text takes this: what can be rendered with it can be rendered with any token.
const ODD_TOKEN: &str = "{\u{e9}~}";

/// Whether the call takes a stream of messages: [`streaming::StreamingGrpc`], not [`Grpc`].
///
/// # Errors
/// The call is not in the contract.
pub fn takes_messages(pool: &DescriptorPool, spec: &CallSpec) -> Result<bool> {
    Ok(Method::find(pool, spec)?.takes_messages())
}

impl Grpc {
    /// # Errors
    /// The contract cannot be read, the call is not in it, or the JSON does not fit it.
    pub fn new(spec: &CallSpec, is_tls: bool, authority: &str) -> Result<Self> {
        Self::with_contract(&contract(spec)?, spec, is_tls, authority)
    }

    /// # Errors
    /// The call is not in the contract, or the JSON does not fit it.
    pub fn with_contract(
        pool: &DescriptorPool,
        spec: &CallSpec,
        is_tls: bool,
        authority: &str,
    ) -> Result<Self> {
        let method = Method::find(pool, spec)?;
        method.request(&spec.data, ODD_TOKEN, spec.gzip)?;
        if let Some(expect) = &spec.expect {
            method.reply(expect, ODD_TOKEN)?;
        }
        spec.check_metadata()?;
        Ok(Self::over(Calls {
            spec: spec.clone(),
            method,
            is_tls,
            authority: authority.into(),
            messages: spec.messages.unwrap_or(1),
            marks: Marks::default(),
            wires: Vec::new(),
            expected: None,
            scratch: Vec::new(),
        }))
    }
}

impl Exchange for Calls {
    type Reply = Body;
    type Fields = GrpcFields;

    fn prepare(&mut self, token: &str) {
        let spec = &self.spec;
        let payload = self.method.request(&spec.data, token, spec.gzip);
        let payload = payload.expect("looked at in `new`, with an odd token");
        self.wires = request::wires(spec, self.is_tls, &self.authority, token, payload);
        self.expected = spec.expect.as_ref().map(|expect| {
            let reply = self.method.reply(expect, token);
            reply.expect("looked at in `new`, with an odd token")
        });
    }

    #[inline]
    fn wires(&self) -> &[RenderedRequest] {
        &self.wires
    }

    #[inline]
    fn pick(&self, _: u64) -> u32 {
        0
    }

    #[inline]
    fn begin(&mut self, slot: Slot, body: &mut Body) {
        body.reset();
        body.slot = slot;
    }

    fn marks(&mut self) -> Option<&mut Marks> {
        Some(&mut self.marks)
    }

    #[inline]
    fn head(&mut self, _: Asked, _: &mut Body, head: &GrpcFields) -> Option<Failure> {
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
        let taken = body.take(content, wanted.as_ref(), self.spec.gzip);
        if self.spec.time_messages {
            let new = body.new_messages();
            self.marks.came(body.slot, new, new);
        }
        taken.map_err(Failure::protocol)
    }

    #[inline]
    fn end(
        &mut self,
        asked: Asked,
        body: &mut Body,
        end: End<'_, GrpcFields>,
    ) -> (u16, Option<Failure>) {
        let (head, failure) = match last_block(end) {
            Ok(block) => block,
            Err(failure) => return (u16::MAX, Some(failure)),
        };
        let expected = self.expected.as_ref();
        let failure = failure.or_else(|| {
            let sequence = asked.sequence;
            judge(head, body, self.messages, expected, sequence)
        });
        if self.spec.time_messages {
            let end = StreamEnd {
                is_right: failure.is_none(),
                tokens: None,
            };
            self.marks.ended(body.slot, end);
        }
        (head.grpc_status.unwrap_or(u16::MAX), failure)
    }
}
