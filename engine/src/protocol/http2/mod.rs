//! Plain requests over HTTP/2: those of HTTP/1.1, many at once on a connection; every reply is
//! checked in full.

mod fields;
mod head;
mod reply;

use self::fields::unrendered;
use self::head::Head;
use self::reply::Reply;
use super::h2::exchange::{Asked, End, Exchange};
use super::h2::wire::{render, Wire};
use super::h2::Client;
use super::http1::mix::Mix;
use super::http1::Request;
use super::Failure;
use crate::error::Result;
use crate::template::nested::Nested;
use crate::template::with_token;

/// The protocol.
pub type Http2 = Client<Requests>;

/// Requests, as rendered for one turn, and the judgement of their replies.
#[derive(Clone)]
pub struct Requests {
    requests: Vec<Request>,
    mix: Mix,
    is_tls: bool,
    authority: String,
    wires: Vec<Wire>,
    expected_bodies: Vec<Option<Nested>>,
    /// An expected body with its sequence number in place.
    scratch: Vec<u8>,
}

impl Http2 {
    /// `requests` are sent in turn or by weight; there must be at least one.
    ///
    /// # Errors
    /// A header that HTTP/2 has no place for.
    pub fn new(requests: Vec<Request>, is_tls: bool, authority: &str) -> Result<Self> {
        requests.iter().try_for_each(fields::check)?;
        Ok(Self::over(Requests {
            mix: Mix::new(&requests),
            requests,
            is_tls,
            authority: authority.into(),
            wires: Vec::new(),
            expected_bodies: Vec::new(),
            scratch: Vec::new(),
        }))
    }
}

impl Requests {
    fn judge(&mut self, asked: Asked, reply: &Reply) -> (u16, Option<Failure>) {
        let index = asked.request as usize;
        let request = &self.requests[index];
        let expected = self.expected_bodies[index].as_ref();
        let expected = expected.map(|body| body.rendered(asked.sequence, &mut self.scratch));
        reply.judge(request, expected)
    }
}

impl Exchange for Requests {
    type Reply = Reply;
    type Head = Head;

    fn prepare(&mut self, token: &str) {
        let requests = self.requests.iter();
        self.expected_bodies = requests
            .clone()
            .map(|request| {
                let body = request.expect.body.as_ref();
                body.map(|body| Nested::text(&with_token(body, token)))
            })
            .collect();
        let requests =
            requests.map(|request| unrendered(request, self.is_tls, &self.authority, token));
        self.wires = render(requests.collect());
    }

    #[inline]
    fn wires(&self) -> &[Wire] {
        &self.wires
    }

    #[inline]
    fn pick(&self, sequence: u64) -> u32 {
        self.mix.pick(sequence)
    }

    #[inline]
    fn begin(&mut self, reply: &mut Reply) {
        *reply = Reply::default();
    }

    #[inline]
    fn head(&mut self, _: Asked, reply: &mut Reply, head: &Head) -> Option<Failure> {
        reply.begin(head);
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
        Ok(())
    }

    #[inline]
    fn end(
        &mut self,
        asked: Asked,
        reply: &mut Reply,
        end: End<'_, Head>,
    ) -> (u16, Option<Failure>) {
        if let End::Head(head) = end {
            reply.begin(head);
        }
        self.judge(asked, reply)
    }
}
