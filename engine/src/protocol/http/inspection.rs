//! What bodies are looked into for, in one run: assertions, and the events of streams.

use super::assertion::Checks;
use super::content::{Coding, Content};
use super::request::Request;
use super::stream::StreamForm;
use crate::protocol::asked::Asked;
use crate::protocol::marks::{Marks, StreamEnd};
use crate::protocol::{Failure, Slot};

#[derive(Clone, Default)]
pub struct Inspection {
    stream: Option<StreamForm>,
    checks: Checks,
    /// By request.
    have_assertions: Vec<bool>,
    pub marks: Marks,
}

impl Inspection {
    /// Of replies to these requests; `stream`: they are streams.
    pub fn new(requests: &[Request], stream: Option<StreamForm>) -> Self {
        let have = requests
            .iter()
            .map(|request| request.expect.has_assertions());
        Self {
            stream,
            have_assertions: have.collect(),
            ..Self::default()
        }
    }

    /// A run begins.
    pub fn prepare(&mut self, requests: &[Request], token: &str, seed: u64) {
        self.checks = Checks::new(requests, token, seed);
    }

    /// Whether replies are streams.
    pub fn is_of_streams(&self) -> bool {
        self.stream.is_some()
    }

    /// Whether replies to a request are looked into at all.
    pub fn looks_into(&self, request: u32) -> bool {
        self.stream.is_some() || self.have_assertions[request as usize]
    }

    /// Assertions of a body that came in one piece, alone; `Some(true)` if the same body is right
    /// for each request.
    pub fn hold_of(&self, asked: Asked, coding: Coding, body: &[u8]) -> Option<bool> {
        match self.checks.judge(asked, coding, body) {
            None => Some(self.checks.are_constant(asked.request)),
            Some(_) => None,
        }
    }

    /// The body of a reply begins; what it takes to look into it is made where there is none yet.
    pub fn begin(&self, request: u32, content: &mut Option<Box<Content>>) {
        let is_kept = self.have_assertions[request as usize];
        content.get_or_insert_default().begin(is_kept, self.stream);
    }

    /// A piece of the body of the reply to `slot` was looked into.
    pub fn came(&mut self, slot: Slot, content: &mut Content) {
        if let Some(stream) = &mut content.stream {
            let (events, contents) = stream.new_events();
            self.marks.came(slot, events, contents);
        }
    }

    /// What is wrong with a body that is complete; what was found before comes first.
    pub fn finish(
        &mut self,
        slot: Slot,
        asked: Asked,
        coding: Coding,
        content: &mut Content,
        found: Option<Failure>,
    ) -> Option<Failure> {
        if let Some(stream) = &mut content.stream {
            stream.end();
        }
        self.came(slot, content);
        let asserted = || match content.is_kept {
            true => self.checks.judge_kept(asked, coding, &content.kept),
            false => None,
        };
        let streamed = || content.stream.as_ref()?.judge(coding);
        let failure = found.or_else(asserted).or_else(streamed);
        if let Some(stream) = &content.stream {
            let end = StreamEnd {
                is_right: failure.is_none(),
                tokens: stream.tokens(),
            };
            self.marks.ended(slot, end);
        }
        failure
    }
}
