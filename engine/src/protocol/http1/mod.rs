//! HTTP/1.1 with keep-alive and pipelining; every reply is checked in full.

mod body;
pub mod chunked;
mod fast;
pub mod head;
pub(crate) mod known_head;
mod protocol;
mod render;
mod rendered;

use self::body::Body;
use self::head::{Malformed, ResponseHead};
use self::known_head::KnownHead;
use self::rendered::{Rendered, HEAD_PLACES};
use super::asked::Asked;
use super::http::content::Content;
use super::http::inspection::Inspection;
use super::http::mix::{Draw, Mix};
use super::http::stream::StreamForm;
use super::http::{Request, Statuses};
use super::in_order::InOrder;
use super::repeated::Repeated;
use super::{ErrorKind, Failure, Reply};

/// The protocol, with the requests of one run rendered.
#[derive(Clone)]
pub struct Http1 {
    host: String,
    keep_alive: bool,
    mix: Mix,
    requests: Vec<Request>,
    traits: Vec<Traits>,
    rendered: Rendered,
    inspection: Inspection,
    /// Whether they are others in each run: else they are rendered once and for all.
    vary_by_run: bool,
    /// What values are made from.
    seed: u64,
    /// Heads that were parsed: replies to neighbouring requests may have others.
    known: Vec<KnownHead>,
    /// The last usual reply to the only request, whole, and its status.
    known_reply: Repeated,
    known_status: u16,
    /// The only request, if it is the same each time.
    only: Repeated,
    /// An expected body with its sequence number in place.
    expected: Vec<u8>,
}

/// What has to be known of a request when its reply comes.
#[derive(Clone, Copy)]
struct Traits {
    status: Option<Statuses>,
    success: bool,
    is_head: bool,
    /// Its reply is looked into.
    is_looked_into: bool,
}

/// What one connection remembers.
pub struct Http1Connection {
    in_flight: InOrder<Asked>,
    /// The reply that has begun, if one has.
    reply: Option<(ResponseHead, Body)>,
    /// Its body, where it is looked into.
    content: Option<Box<Content>>,
    draining: bool,
}

impl Http1 {
    /// `requests` are sent in turn or by weight; there must be at least one. Without
    /// `keep_alive` each has a connection of its own.
    pub fn new(requests: Vec<Request>, host: &str, keep_alive: bool) -> Self {
        let traits = requests.iter().map(|request| Traits {
            status: request.expect.status,
            success: request.expect.success,
            is_head: request.method == "HEAD",
            is_looked_into: request.expect.has_assertions(),
        });
        let mut protocol = Self {
            host: host.to_owned(),
            keep_alive,
            mix: Mix::new(&requests),
            traits: traits.collect(),
            rendered: Rendered::default(),
            inspection: Inspection::new(&requests, None),
            vary_by_run: requests.iter().any(Request::varies_by_run),
            seed: 0,
            requests,
            known: vec![KnownHead::default(); HEAD_PLACES],
            known_reply: Repeated::default(),
            known_status: 0,
            only: Repeated::default(),
            expected: Vec::new(),
        };
        protocol.render("");
        protocol
    }

    /// The same, with requests drawn in another way.
    #[must_use]
    pub fn drawn(mut self, draw: Draw) -> Self {
        self.mix = self.mix.drawn(draw);
        self
    }

    /// The same, with replies that are streams.
    #[must_use]
    pub fn streaming(mut self, form: Option<StreamForm>) -> Self {
        if form.is_none() {
            return self;
        }
        self.inspection = Inspection::new(&self.requests, form);
        for (request, traits) in (0..).zip(&mut self.traits) {
            traits.is_looked_into = self.inspection.looks_into(request);
        }
        self.render("");
        self
    }

    fn render(&mut self, token: &str) {
        let (host, seed) = (&self.host, self.seed);
        self.rendered = Rendered::new(&self.requests, host, self.keep_alive, token, seed);
        self.inspection.prepare(&self.requests, token, seed);
        self.only.clear();
        if self.requests.len() == 1 {
            if let Some(bytes) = self.rendered.constant_request(0) {
                self.only.set(bytes);
                self.only.spread();
            }
        }
    }

    /// The head at the start of `input`; `Ok(None)` if it is not all there.
    #[inline]
    fn head(&mut self, place: usize, input: &[u8]) -> Result<Option<ResponseHead>, Malformed> {
        let known = &mut self.known[place];
        if let Some(alike) = known.alike(input) {
            return Ok(Some(alike.head));
        }
        let head = head::parse(input)?;
        if let Some(head) = head {
            known.learn(&input[..head.len], head);
        }
        Ok(head)
    }

    /// The head of the next final reply: interim (1xx) replies before it are skipped.
    fn begin(
        &mut self,
        asked: Asked,
        input: &[u8],
        at: &mut usize,
    ) -> Result<Option<(ResponseHead, Body)>, Failure> {
        let place = self.rendered.head_place(asked.request);
        loop {
            let rest = &input[*at..];
            if rest.is_empty() {
                return Ok(None);
            }
            let Some(head) = self.head(place, rest).map_err(malformed)? else {
                return Ok(None);
            };
            *at += head.len;
            match head.status {
                101 => return Err(Failure::protocol("101 Switching Protocols, unasked")),
                100..=199 => {}
                _ => {
                    let is_head = self.traits[asked.request as usize].is_head;
                    return Ok(Some((head, Body::new(&head, is_head))));
                }
            }
        }
    }

    #[inline]
    fn finish(
        &mut self,
        connection: &mut Http1Connection,
        head: ResponseHead,
        body: &Body,
    ) -> Option<Reply> {
        let (slot, asked) = connection.in_flight.pop()?;
        if !head.keep_alive || !self.keep_alive || body.ends_connection() {
            connection.draining = true;
        }
        let expect = &self.requests[asked.request as usize].expect;
        let failure = expect.judge(head.status).or_else(|| {
            let (request, sequence) = (asked.request, asked.sequence);
            let expected = self.rendered.body(request, sequence, &mut self.expected)?;
            (!body.is(expected)).then(|| Failure::new(ErrorKind::Body, body.explain(expected)))
        });
        let is_looked_into = self.traits[asked.request as usize].is_looked_into;
        let failure = match connection.content.as_deref_mut() {
            Some(content) if is_looked_into => {
                let inspection = &mut self.inspection;
                inspection.finish(slot, asked, head.coding, content, failure)
            }
            _ => failure,
        };
        Some(Reply {
            slot,
            status: head.status,
            failure,
        })
    }
}

impl Traits {
    #[inline]
    fn accept(self, status: u16) -> bool {
        match self.status {
            Some(expected) => expected.contains(status),
            None => !self.success || status < 400,
        }
    }
}

fn malformed(why: Malformed) -> Failure {
    Failure::protocol(why.0)
}
