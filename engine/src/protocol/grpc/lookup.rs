//! Questions to a server's reflection and its answers, over HTTP/2: one a run.

use super::framing::framed;
use super::head::GrpcFields;
use super::judge::{last_block, not_grpc};
use super::reflection::Answer;
use super::request;
use super::spec::CallSpec;
use crate::error::{Error, Kind, Result};
use crate::protocol::asked::Asked;
use crate::protocol::h2::exchange::{End, Exchange};
use crate::protocol::h2::rendered::RenderedRequest;
use crate::protocol::h2::Http2Client;
use crate::protocol::{ErrorKind, Failure, Slot};
use crate::template::Template;
use std::sync::{Arc, Mutex};

/// A longer answer is refused.
const LONGEST_ANSWER: usize = 64 << 20;

const NOT_FOUND: u16 = 5;
const UNIMPLEMENTED: u16 = 12;

/// Asks one question a run.
pub type Reflection = Http2Client<Lookup>;

/// What is asked, and what was answered.
#[derive(Clone, Default)]
pub struct Told(Arc<Mutex<Words>>);

#[derive(Default)]
struct Words {
    question: Vec<u8>,
    answer: Option<Result<Answer>>,
}

impl Told {
    /// The next run asks this.
    pub fn ask(&self, question: Vec<u8>) {
        *self.0.lock().expect("no panic") = Words {
            question,
            answer: None,
        };
    }

    /// What was answered; `None` if nothing was.
    ///
    /// # Errors
    /// The server says no; `Unsupported` if it does not know the question.
    pub fn answer(&self) -> Option<Result<Answer>> {
        self.0.lock().expect("no panic").answer.take()
    }
}

/// The calls of one connection.
#[derive(Clone)]
pub struct Lookup {
    spec: CallSpec,
    is_tls: bool,
    authority: String,
    told: Told,
    wires: Vec<RenderedRequest>,
}

/// A client of one of [`super::reflection::SERVICES`] that says and hears what is in `told`.
pub fn client(
    service: &str,
    spec: &CallSpec,
    is_tls: bool,
    authority: &str,
    told: Told,
) -> Reflection {
    Reflection::over(Lookup {
        spec: CallSpec {
            call: format!("{service}/ServerReflectionInfo"),
            metadata: spec.metadata.clone(),
            ..CallSpec::default()
        },
        is_tls,
        authority: authority.into(),
        told,
        wires: Vec::new(),
    })
}

impl Exchange for Lookup {
    type Reply = Vec<u8>;
    type Fields = GrpcFields;

    fn prepare(&mut self, token: &str) {
        let question = &self.told.0.lock().expect("no panic").question;
        let payload = framed(0, Template::bytes(question));
        self.wires = request::wires(&self.spec, self.is_tls, &self.authority, token, payload);
    }

    fn wires(&self) -> &[RenderedRequest] {
        &self.wires
    }

    fn pick(&self, _: u64) -> u32 {
        0
    }

    fn begin(&mut self, _: Slot, reply: &mut Vec<u8>) {
        reply.clear();
    }

    fn head(&mut self, _: Asked, _: &mut Vec<u8>, head: &GrpcFields) -> Option<Failure> {
        not_grpc(head)
    }

    fn data(
        &mut self,
        _: Asked,
        reply: &mut Vec<u8>,
        content: &[u8],
    ) -> std::result::Result<(), Failure> {
        if reply.len() + content.len() > LONGEST_ANSWER {
            return Err(Failure::protocol("an answer of over 64 MiB"));
        }
        reply.extend_from_slice(content);
        Ok(())
    }

    fn end(
        &mut self,
        _: Asked,
        reply: &mut Vec<u8>,
        end: End<'_, GrpcFields>,
    ) -> (u16, Option<Failure>) {
        let (fields, failure) = match last_block(end) {
            Ok(block) => block,
            Err(failure) => return (u16::MAX, Some(failure)),
        };
        let status = fields.grpc_status.unwrap_or(u16::MAX);
        let failure = failure.or_else(|| match status {
            0 => None,
            _ => Some(Failure::new(ErrorKind::Status, fields.status_text())),
        });
        let answer = match (&failure, status) {
            (None, _) => Ok(Answer::Message(reply.clone())),
            (Some(_), NOT_FOUND) => Ok(Answer::NotFound(fields.status_text())),
            (Some(failure), status) => {
                let kind = match status {
                    UNIMPLEMENTED => Kind::Unsupported,
                    _ => Kind::Gone,
                };
                Err(Error::new(kind, &failure.details.message))
            }
        };
        self.told.0.lock().expect("no panic").answer = Some(answer);
        (status, failure)
    }
}
