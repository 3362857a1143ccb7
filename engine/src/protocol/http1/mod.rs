//! HTTP/1.1 with keep-alive and pipelining; every reply is checked in full.

mod body;
pub mod chunked;
pub(super) mod compare;
mod fast;
pub mod fuzz;
pub mod head;
pub(super) mod mix;
mod request;

pub use request::{Expect, Request};

use self::body::{Body, Progress};
use self::head::{Head, Malformed};
use self::mix::Mix;
use self::request::Wire;
use super::in_order::InOrder;
use super::repeated::Repeated;
use super::{ErrorKind, Failure, Protocol, Reply, Slot};
use crate::template::{with_token, Pieces};

/// The protocol, with the requests of one turn rendered.
#[derive(Clone)]
pub struct Http1 {
    host: String,
    keep_alive: bool,
    mix: Mix,
    requests: Vec<Prepared>,
    /// The last head that was parsed, byte for byte, and what it said. Servers send the same
    /// head over and over (but for a date each second), so most replies need a comparison
    /// instead of a parse.
    known: Vec<u8>,
    known_head: Option<Head>,
    /// The last usual reply to the only request, whole, and its status.
    known_reply: Repeated,
    known_status: u16,
    /// The only request, if it is the same each time.
    only: Repeated,
    /// An expected body with its sequence number in place.
    expected: Vec<u8>,
}

#[derive(Clone)]
struct Prepared {
    request: Request,
    wire: Wire,
    expected_body: Option<Pieces>,
    is_head: bool,
}

/// What one connection remembers.
pub struct Connection {
    in_flight: InOrder<Asked>,
    /// The reply that has begun, if one has.
    reply: Option<(Head, Body)>,
    spent: bool,
}

/// Which of the requests it was, and its number.
#[derive(Clone, Copy, Default)]
struct Asked {
    request: u32,
    sequence: u64,
}

impl Http1 {
    /// `requests` are sent in turn or by weight; there must be at least one. Without
    /// `keep_alive` each has a connection of its own.
    pub fn new(requests: Vec<Request>, host: &str, keep_alive: bool) -> Self {
        let mut protocol = Self {
            host: host.to_owned(),
            keep_alive,
            mix: Mix::new(&requests),
            requests: requests
                .into_iter()
                .map(|request| Prepared {
                    wire: request.render(host, keep_alive, ""),
                    expected_body: None,
                    is_head: request.method == "HEAD",
                    request,
                })
                .collect(),
            known: Vec::new(),
            known_head: None,
            known_reply: Repeated::default(),
            known_status: 0,
            only: Repeated::default(),
            expected: Vec::new(),
        };
        protocol.prepare("");
        protocol
    }

    /// The head at the start of `input`; `Ok(None)` if it is not all there.
    #[inline]
    fn head(&mut self, input: &[u8]) -> Result<Option<Head>, Malformed> {
        if let Some(head) = self.known_head {
            if input.starts_with(&self.known) {
                return Ok(Some(head));
            }
        }
        let head = head::parse(input)?;
        if let Some(head) = head {
            self.known.clear();
            self.known.extend_from_slice(&input[..head.len]);
            self.known_head = Some(head);
        }
        Ok(head)
    }

    /// The head of the next final reply: interim (1xx) replies before it are skipped.
    fn begin(
        &mut self,
        asked: Asked,
        input: &[u8],
        at: &mut usize,
    ) -> Result<Option<(Head, Body)>, Failure> {
        loop {
            let rest = &input[*at..];
            if rest.is_empty() {
                return Ok(None);
            }
            let Some(head) = self.head(rest).map_err(malformed)? else {
                return Ok(None);
            };
            *at += head.len;
            match head.status {
                101 => return Err(Failure::protocol("101 Switching Protocols, unasked")),
                100..=199 => {}
                _ => {
                    let is_head = self.requests[asked.request as usize].is_head;
                    return Ok(Some((head, Body::new(&head, is_head))));
                }
            }
        }
    }

    #[inline]
    fn finish(&mut self, connection: &mut Connection, head: Head, body: &Body) -> Option<Reply> {
        let (slot, asked) = connection.in_flight.pop()?;
        if !head.keep_alive || !self.keep_alive || body.ends_connection() {
            connection.spent = true;
        }
        let prepared = &self.requests[asked.request as usize];
        let expect = &prepared.request.expect;
        let failure = expect.judge(head.status).or_else(|| {
            let expected = prepared.expected_body.as_ref()?;
            let expected = constant_or_written(expected, asked, &mut self.expected);
            (!body.is(expected)).then(|| Failure::new(ErrorKind::Body, body.explain(expected)))
        });
        Some(Reply {
            slot,
            status: head.status,
            failure,
        })
    }
}

#[inline]
fn constant_or_written<'a>(pieces: &'a Pieces, asked: Asked, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    match pieces.constant() {
        Some(bytes) => bytes,
        None => {
            scratch.clear();
            pieces.write(asked.sequence, scratch);
            scratch
        }
    }
}

fn malformed(why: Malformed) -> Failure {
    Failure::protocol(why.0)
}

impl Protocol for Http1 {
    type Connection = Connection;

    fn prepare(&mut self, token: &str) {
        for prepared in &mut self.requests {
            let request = &prepared.request;
            prepared.wire = request.render(&self.host, self.keep_alive, token);
            let body = request.expect.body.as_ref();
            prepared.expected_body = body.map(|body| Pieces::new(&with_token(body, token)));
        }
        self.known_reply.clear();
        self.only.clear();
        if let [Prepared { wire, .. }] = self.requests.as_slice() {
            if wire.is_constant() {
                let mut bytes = Vec::new();
                wire.write(0, &mut bytes);
                self.only.set(&bytes);
                self.only.spread();
            }
        }
    }

    fn connect(&mut self, depth: u32, _output: &mut Vec<u8>) -> Connection {
        Connection {
            in_flight: InOrder::new(depth),
            reply: None,
            spent: false,
        }
    }

    #[inline]
    fn room(&self, connection: &Connection) -> u32 {
        match (connection.spent, self.keep_alive) {
            (true, _) => 0,
            (false, true) => u32::MAX,
            (false, false) => u32::from(connection.in_flight.is_empty()),
        }
    }

    #[inline]
    fn spent(&self, connection: &Connection) -> bool {
        connection.spent
    }

    #[inline]
    fn request(
        &mut self,
        connection: &mut Connection,
        slot: Slot,
        sequence: u64,
        output: &mut Vec<u8>,
    ) {
        let request = self.mix.pick(sequence);
        connection.in_flight.push(slot, Asked { request, sequence });
        self.requests[request as usize].wire.write(sequence, output);
    }

    #[inline]
    fn request_many(
        &mut self,
        connection: &mut Connection,
        slots: impl ExactSizeIterator<Item = Slot>,
        first: u64,
        output: &mut Vec<u8>,
    ) -> usize {
        if self.only.is_empty() || !self.keep_alive {
            return self.request_first(connection, slots, first, output);
        }
        let n = slots.len();
        self.only.write(n, output);
        for (slot, sequence) in slots.zip(first..) {
            let asked = Asked {
                request: 0,
                sequence,
            };
            connection.in_flight.push(slot, asked);
        }
        n
    }

    #[inline]
    fn receive_alike(
        &mut self,
        connection: &mut Connection,
        input: &[u8],
        right: &mut impl FnMut(Slot, u16),
    ) -> usize {
        if connection.reply.is_some() || connection.spent {
            return 0;
        }
        let n = self
            .known_reply
            .recognise(input, connection.in_flight.len());
        let status = self.known_status;
        connection
            .in_flight
            .pop_many(n, |slot, _| right(slot, status));
        n * self.known_reply.len()
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut Connection,
        input: &[u8],
        _output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<usize, Failure> {
        let mut at = 0;
        loop {
            if at == input.len() {
                return Ok(at);
            }
            let Some((_, asked)) = connection.in_flight.front() else {
                return Err(Failure::protocol("bytes that nobody asked for"));
            };
            if connection.spent {
                return Err(Failure::protocol("bytes after the last reply"));
            }
            if connection.reply.is_none() {
                if let Some((reply, used)) = self.usual(connection, &input[at..]) {
                    at += used;
                    replies(reply);
                    continue;
                }
            }
            let (head, mut body) = match connection.reply.take() {
                Some(begun) => begun,
                None => match self.begin(asked, input, &mut at)? {
                    Some(begun) => begun,
                    None => return Ok(at),
                },
            };
            let expected = match &self.requests[asked.request as usize].expected_body {
                Some(pieces) => Some(constant_or_written(pieces, asked, &mut self.expected)),
                None => None,
            };
            match body.take(&input[at..], expected).map_err(malformed)? {
                Progress::Done(used) => {
                    at += used;
                    if let Some(reply) = self.finish(connection, head, &body) {
                        replies(reply);
                    }
                }
                Progress::More(used) => {
                    connection.reply = Some((head, body));
                    return Ok(at + used);
                }
            }
        }
    }

    fn closed(&mut self, connection: &mut Connection, replies: &mut impl FnMut(Reply)) {
        if let Some((head, body)) = connection.reply.take() {
            if body.ends_connection() {
                self.finish(connection, head, &body).map(replies);
            } else {
                connection.reply = Some((head, body));
            }
        }
    }

    fn begun(&self, connection: &Connection, slot: Slot, unused: usize) -> bool {
        connection.in_flight.is_next(slot) && (unused > 0 || connection.reply.is_some())
    }
}
