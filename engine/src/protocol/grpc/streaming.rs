//! Calls of methods that take a stream of messages: one reply to all of them, or streams both
//! ways. The loop lets each message go when it is due; what comes back is judged as for other
//! calls, each message against the one expected in its place.

use super::body::Body;
use super::expected::Expected;
use super::head::GrpcFields;
use super::judge::{judge, last_block, not_grpc};
use super::message::Method;
use super::request;
use super::spec::{CallSpec, Replies};
use super::ODD_TOKEN;
use crate::error::{Error, Result};
use crate::protocol::asked::Asked;
use crate::protocol::h2::exchange::{End, Exchange};
use crate::protocol::h2::rendered::RenderedRequest;
use crate::protocol::h2::Http2Client;
use crate::protocol::marks::{Marks, StreamEnd};
use crate::protocol::messages::{MessagePlan, Pace};
use crate::protocol::{ErrorKind, Failure, Slot};
use crate::template::Template;
use prost_reflect::DescriptorPool;
use serde_json::Value;
use std::time::Duration;

/// The protocol.
pub type StreamingGrpc = Http2Client<StreamingCalls>;

/// Calls of one method, as rendered for one run, and the judgement of their replies.
#[derive(Clone)]
pub struct StreamingCalls {
    spec: CallSpec,
    method: Method,
    is_tls: bool,
    authority: String,
    plan: MessagePlan,
    /// Messages that a reply has to bring; `None`: any number of them.
    replies: Option<u32>,
    marks: Marks,
    /// Of the one call.
    wires: Vec<RenderedRequest>,
    /// With their prefixes; behind the last comes the first again.
    messages: Vec<Template>,
    /// The same; none where any message will do.
    expected: Vec<Expected>,
    /// An expected message with its sequence number in place.
    scratch: Vec<u8>,
}

/// What has come of one reply, and what was sent for it.
#[derive(Debug, Default)]
pub struct Answers {
    body: Body,
    /// Messages that were sent whole.
    sent: u64,
    /// Which message of the body is the first that is not the one expected.
    wrong: u32,
}

impl StreamingGrpc {
    /// # Errors
    /// The call is not in the contract, or the JSON does not fit it.
    pub fn with_contract(
        pool: &DescriptorPool,
        spec: &CallSpec,
        is_tls: bool,
        authority: &str,
    ) -> Result<Self> {
        let method = Method::find(pool, spec)?;
        let is_answered = method.brings_messages();
        let count = match spec.messages {
            Some(0) => return Err(Error::usage("--messages: at least 1")),
            Some(count) => count,
            None => several(&spec.data).len() as u32,
        };
        let pace = match spec.message_interval {
            Some(interval) => Pace::Clock(interval),
            None if is_answered => Pace::Answers,
            None => Pace::Clock(Duration::ZERO),
        };
        let replies = match (is_answered, spec.replies) {
            (false, _) => Some(1),
            (true, None) => Some(count),
            (true, Some(Replies::Exactly(n))) => Some(n),
            (true, Some(Replies::Any)) => None,
        };
        let calls = StreamingCalls {
            spec: spec.clone(),
            method,
            is_tls,
            authority: authority.into(),
            plan: MessagePlan {
                count: count.into(),
                pace,
                are_answered: is_answered,
            },
            replies,
            marks: Marks::default(),
            wires: Vec::new(),
            messages: Vec::new(),
            expected: Vec::new(),
            scratch: Vec::new(),
        };
        if calls.messages(ODD_TOKEN)?.is_empty() {
            return Err(Error::usage("--data: at least one message"));
        }
        calls.expected(ODD_TOKEN)?;
        spec.check_metadata()?;
        Ok(Self::over(calls))
    }

    /// When messages are sent.
    pub fn plan(&self) -> MessagePlan {
        self.exchange().plan
    }
}

/// The elements of an array, or the one message.
fn several(value: &Value) -> &[Value] {
    match value {
        Value::Array(elements) => elements,
        one => std::slice::from_ref(one),
    }
}

/// What comes at place `number` of a list that goes round.
fn in_turn<T>(all: &[T], number: u64) -> Option<&T> {
    let length = all.len() as u64;
    all.get(number.checked_rem(length)? as usize)
}

impl StreamingCalls {
    fn messages(&self, token: &str) -> Result<Vec<Template>> {
        let all = several(&self.spec.data).iter();
        all.map(|data| self.method.request(data, token, self.spec.gzip))
            .collect()
    }

    fn expected(&self, token: &str) -> Result<Vec<Expected>> {
        let Some(expect) = &self.spec.expect else {
            return Ok(Vec::new());
        };
        let all = several(expect).iter();
        all.map(|expect| self.method.reply(expect, token)).collect()
    }
}

impl Exchange for StreamingCalls {
    type Reply = Answers;
    type Fields = GrpcFields;

    const HAS_MESSAGES: bool = true;

    fn message_plan(&self) -> Option<MessagePlan> {
        Some(self.plan)
    }

    fn prepare(&mut self, token: &str) {
        let looked_at = "looked at in `with_contract`, with an odd token";
        self.messages = self.messages(token).expect(looked_at);
        self.expected = self.expected(token).expect(looked_at);
        let (spec, first) = (&self.spec, self.messages[0].clone());
        self.wires = request::wires(spec, self.is_tls, &self.authority, token, first);
    }

    fn wires(&self) -> &[RenderedRequest] {
        &self.wires
    }

    fn pick(&self, _: u64) -> u32 {
        0
    }

    fn message<'a>(&'a self, asked: Asked, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let message = in_turn(&self.messages, number).expect("one at least");
        message.rendered(asked.sequence, scratch)
    }

    fn sent(&mut self, reply: &mut Answers) {
        reply.sent += 1;
    }

    fn begin(&mut self, slot: Slot, reply: &mut Answers) {
        reply.body.reset();
        reply.body.slot = slot;
        (reply.sent, reply.wrong) = (0, 0);
    }

    fn marks(&mut self) -> Option<&mut Marks> {
        Some(&mut self.marks)
    }

    fn head(&mut self, _: Asked, _: &mut Answers, head: &GrpcFields) -> Option<Failure> {
        not_grpc(head)
    }

    fn data(
        &mut self,
        asked: Asked,
        reply: &mut Answers,
        mut content: &[u8],
    ) -> std::result::Result<(), Failure> {
        let body = &mut reply.body;
        let mut taken = Ok(());
        while !content.is_empty() && taken.is_ok() {
            let number = body.messages;
            let (message, rest) = content.split_at(body.of_this_message(content));
            let expected = in_turn(&self.expected, number.into());
            let wanted = expected.map(|expected| expected.of(asked.sequence, &mut self.scratch));
            let was_right = !body.is_different;
            taken = body.take(message, wanted.as_ref(), self.spec.gzip);
            if was_right && body.is_different {
                reply.wrong = number;
            }
            content = rest;
        }
        let new = body.new_messages();
        self.marks.came(body.slot, new, new);
        taken.map_err(Failure::protocol)
    }

    fn end(
        &mut self,
        asked: Asked,
        reply: &mut Answers,
        end: End<'_, GrpcFields>,
    ) -> (u16, Option<Failure>) {
        let (head, failure) = match last_block(end) {
            Ok(block) => block,
            Err(failure) => return (u16::MAX, Some(failure)),
        };
        let is_ok = head.grpc_status == Some(0);
        let failure = failure
            .or_else(|| is_ok.then(|| self.cut_short(reply.sent)).flatten())
            .or_else(|| {
                let replies = self.replies.unwrap_or(reply.body.messages);
                let expected = in_turn(&self.expected, reply.wrong.into());
                judge(head, &reply.body, replies, expected, asked.sequence)
            });
        let end = StreamEnd {
            is_right: failure.is_none(),
            tokens: None,
        };
        self.marks.ended(reply.body.slot, end);
        (head.grpc_status.unwrap_or(u16::MAX), failure)
    }
}

impl StreamingCalls {
    /// Why a call that has ended well is wrong all the same: it did not take all messages.
    fn cut_short(&self, sent: u64) -> Option<Failure> {
        let count = self.plan.count;
        (sent < count).then(|| {
            let message = format!("the call ended when {sent} of {count} messages were sent");
            Failure::new(ErrorKind::Body, message)
        })
    }
}
