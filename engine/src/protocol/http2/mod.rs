//! Plain requests over HTTP/2: those of HTTP/1.1, many at once on a connection; every reply is
//! checked in full.

mod fields;
mod head;
mod reply;

use self::fields::request_template;
use self::head::ReplyFields;
use self::reply::Reply;
use super::asked::Asked;
use super::h2::exchange::{End, Exchange};
use super::h2::rendered::{render, RenderedRequest};
use super::h2::Http2Client;
use super::http::inspection::Inspection;
use super::http::mix::{Draw, Mix};
use super::http::stream::StreamForm;
use super::http::Request;
use super::marks::Marks;
use super::{Failure, Slot};
use crate::error::Result;
use crate::template::Template;

/// The protocol.
pub type Http2 = Http2Client<Requests>;

/// Requests, as rendered for one run, and the judgement of their replies.
#[derive(Clone)]
pub struct Requests {
    requests: Vec<Request>,
    mix: Mix,
    /// What values are made from.
    seed: u64,
    is_tls: bool,
    authority: String,
    wires: Vec<RenderedRequest>,
    expected_bodies: Vec<Option<Template>>,
    inspection: Inspection,
    /// Whether replies to any of them are.
    are_looked_into: bool,
    /// An expected body with its sequence number in place.
    scratch: Vec<u8>,
}

impl Http2 {
    /// `requests` are sent in turn or by weight; there must be at least one. With `stream` replies
    /// are streams.
    ///
    /// # Errors
    /// A header that HTTP/2 has no place for.
    pub fn new(
        requests: Vec<Request>,
        draw: Draw,
        stream: Option<StreamForm>,
        is_tls: bool,
        authority: &str,
    ) -> Result<Self> {
        requests.iter().try_for_each(fields::check)?;
        let inspection = Inspection::new(&requests, stream);
        Ok(Self::over(Requests {
            mix: Mix::new(&requests).drawn(draw),
            are_looked_into: (0..requests.len() as u32)
                .any(|request| inspection.looks_into(request)),
            inspection,
            requests,
            seed: 0,
            is_tls,
            authority: authority.into(),
            wires: Vec::new(),
            expected_bodies: Vec::new(),
            scratch: Vec::new(),
        }))
    }
}

impl Requests {
    fn judge(&mut self, asked: Asked, reply: &mut Reply) -> (u16, Option<Failure>) {
        let index = asked.request as usize;
        let request = &self.requests[index];
        let expected = self.expected_bodies[index].as_ref();
        let expected = expected.map(|body| body.rendered(asked.sequence, &mut self.scratch));
        let (status, failure) = reply.judge(request, expected);
        let (slot, coding) = (reply.slot, reply.coding);
        match &mut reply.content {
            Some(content) if self.are_looked_into => {
                let inspection = &mut self.inspection;
                let failure = inspection.finish(slot, asked, coding, content, failure);
                (status, failure)
            }
            _ => (status, failure),
        }
    }
}

impl Exchange for Requests {
    type Reply = Reply;
    type Fields = ReplyFields;

    fn seed(&mut self, seed: u64) {
        self.mix.seed(seed);
        self.seed = seed;
    }

    fn share_rows(&mut self, worker: u64, workers: u64) {
        Request::share_rows(&mut self.requests, worker, workers);
    }

    fn prepare(&mut self, token: &str) {
        self.inspection.prepare(&self.requests, token, self.seed);
        let requests = self.requests.iter();
        self.expected_bodies = requests
            .clone()
            .map(|request| request.expected_body(token, self.seed))
            .collect();
        let (authority, seed) = (&self.authority, self.seed);
        let requests =
            requests.map(|request| request_template(request, self.is_tls, authority, token, seed));
        self.wires = render(requests.collect());
    }

    #[inline]
    fn wires(&self) -> &[RenderedRequest] {
        &self.wires
    }

    #[inline]
    fn pick(&self, sequence: u64) -> u32 {
        self.mix.pick(sequence)
    }

    #[inline]
    fn begin(&mut self, slot: Slot, reply: &mut Reply) {
        reply.clear();
        if self.are_looked_into {
            reply.slot = slot;
        }
    }

    fn marks(&mut self) -> Option<&mut Marks> {
        Some(&mut self.inspection.marks)
    }

    #[inline]
    fn head(&mut self, asked: Asked, reply: &mut Reply, head: &ReplyFields) -> Option<Failure> {
        reply.begin(head);
        if self.are_looked_into {
            self.inspection.begin(asked.request, &mut reply.content);
        }
        None
    }

    #[inline]
    fn data(
        &mut self,
        asked: Asked,
        reply: &mut Reply,
        content: &[u8],
    ) -> std::result::Result<(), Failure> {
        let expected = self.expected_bodies[asked.request as usize].as_ref();
        let expected = expected.map(|body| body.rendered(asked.sequence, &mut self.scratch));
        reply.body.take(content, expected);
        if let (true, Some(looker)) = (self.are_looked_into, &mut reply.content) {
            looker.take(content);
            self.inspection.came(reply.slot, looker);
        }
        Ok(())
    }

    #[inline]
    fn end(
        &mut self,
        asked: Asked,
        reply: &mut Reply,
        end: End<'_, ReplyFields>,
    ) -> (u16, Option<Failure>) {
        if let End::Head(head) = end {
            self.head(asked, reply, head);
        }
        self.judge(asked, reply)
    }
}
