//! A message as it is in one run, and what its reply is held against.

use super::frame::Opcode;
use super::reader::Kind;
use crate::protocol::asked::Asked;
use crate::protocol::http::assertion::{value_of, Checks, JsonAssertion, Path};
use crate::protocol::http::compare::Compared;
use crate::protocol::http::content::Coding;
use crate::protocol::http::Request;
use crate::protocol::{ErrorKind, Failure};
use crate::template::{Body, Template};
use serde_json::Value;

/// One message, and its reply.
#[derive(Clone)]
struct Message {
    opcode: Opcode,
    payload: Template,
    expected: Option<Template>,
    /// What is expected may come as a text message.
    expects_text: bool,
}

#[derive(Clone, Default)]
pub struct Prepared {
    messages: Vec<Message>,
    checks: Checks,
    id: Option<(Path, Template)>,
}

impl Prepared {
    /// With token and values in place. `binary`: texts go out as binary messages too; `id`: where the
    /// identifier stands, and what it is.
    pub fn new(
        requests: &[Request],
        binary: bool,
        id: Option<&JsonAssertion>,
        token: &str,
        seed: u64,
    ) -> Self {
        let message = |request: &Request| {
            let payload = request.body.as_ref();
            let is_text = |body: &Body| body.text().is_some();
            Message {
                opcode: match !binary && payload.is_none_or(is_text) {
                    true => Opcode::Text,
                    false => Opcode::Binary,
                },
                payload: payload
                    .map(|body| request.body_template(body, token, seed))
                    .unwrap_or_default(),
                expected: request.expected_body(token, seed),
                expects_text: request.expect.body.as_ref().is_none_or(is_text),
            }
        };
        let id = id.and_then(|id| {
            let template = requests[0].template(id.value.as_ref()?, token, seed);
            Some((id.path.clone(), template))
        });
        Self {
            messages: requests.iter().map(message).collect(),
            checks: Checks::new(requests, token, seed),
            id,
        }
    }

    /// Message `request` of the mix, and as what it goes out.
    #[inline]
    pub fn message(&self, request: u32) -> (Opcode, &Template) {
        let message = &self.messages[request as usize];
        (message.opcode, &message.payload)
    }

    #[inline]
    fn expected(&self, request: u32) -> Option<&Template> {
        self.messages[request as usize].expected.as_ref()
    }

    /// Whether replies are matched by an identifier that never differs.
    pub fn has_constant_id(&self) -> bool {
        let id = self.id.as_ref();
        id.is_some_and(|(_, template)| template.constant().is_some())
    }

    pub fn has_id(&self) -> bool {
        self.id.is_some()
    }

    /// The identifier of message number `sequence`.
    pub fn id_of(&self, sequence: u64) -> Option<Value> {
        let (_, template) = self.id.as_ref()?;
        let mut text = Vec::new();
        template.write(sequence, &mut text);
        Some(value_of(&String::from_utf8_lossy(&text)))
    }

    /// The identifier in a reply.
    pub fn id_in(&self, reply: &[u8]) -> Option<Value> {
        let (path, _) = self.id.as_ref()?;
        let json: Value = serde_json::from_slice(reply).ok()?;
        path.query(&json).first().cloned()
    }

    /// Whether a reply that is right for one message is right for all of them.
    pub fn is_constant(&self) -> bool {
        let expected = self.expected(0);
        self.messages.len() == 1
            && expected.is_none_or(|template| template.constant().is_some())
            && self.checks.are_constant(0)
            && self.id.is_none()
    }

    /// Whether a reply is the expected one itself; of a text message it is then known to be UTF-8.
    #[inline]
    pub fn is_expected(
        &self,
        asked: Asked,
        kind: Kind,
        reply: &[u8],
        scratch: &mut Vec<u8>,
    ) -> bool {
        let message = &self.messages[asked.request as usize];
        let expected = message.expected.as_ref();
        (kind == Kind::Binary || message.expects_text)
            && expected.is_some_and(|template| template.rendered(asked.sequence, scratch) == reply)
    }

    /// What is wrong with a reply.
    pub fn judge(&self, asked: Asked, reply: &[u8], scratch: &mut Vec<u8>) -> Option<Failure> {
        if let Some(expected) = self.expected(asked.request) {
            let expected = expected.rendered(asked.sequence, scratch);
            if reply != expected {
                let mut compared = Compared::default();
                compared.take(reply, Some(expected));
                return Some(Failure::new(ErrorKind::Body, compared.explain(expected)));
            }
        }
        self.assert(asked, reply)
    }

    /// What is wrong with a reply where its text is right, or may be any.
    #[inline]
    pub fn assert(&self, asked: Asked, reply: &[u8]) -> Option<Failure> {
        self.checks.judge(asked, Coding::None, reply)
    }
}
