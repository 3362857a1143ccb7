//! HTTP/1.1 with keep-alive and pipelining; every reply is checked in full.

mod body;
pub mod chunked;
pub mod head;
mod request;

pub use request::{Expect, Request};

use self::body::{Body, Progress};
use self::head::{Head, Malformed};
use super::in_order::InOrder;
use super::{ErrorKind, Failure, Protocol, Reply, Slot};
use crate::template::with_token;

/// The protocol, with the requests of one turn rendered.
pub struct Http1 {
    request: Request,
    expect: Expect,
    /// The whole request, as it goes over the wire.
    wire: Vec<u8>,
    expected_body: Option<Vec<u8>>,
    /// The last head that was parsed, byte for byte, and what it said. Servers send the same
    /// head over and over (but for a date each second), so most replies need a comparison
    /// instead of a parse.
    known: Vec<u8>,
    known_head: Option<Head>,
}

/// What one connection remembers.
pub struct Connection {
    in_flight: InOrder<()>,
    /// The reply that has begun, if one has.
    reply: Option<(Head, Body)>,
    spent: bool,
}

impl Http1 {
    pub fn new(request: Request, expect: Expect) -> Self {
        let mut protocol = Self {
            request,
            expect,
            wire: Vec::new(),
            expected_body: None,
            known: Vec::new(),
            known_head: None,
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
    fn begin(&mut self, input: &[u8], at: &mut usize) -> Result<Option<(Head, Body)>, Failure> {
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
                    return Ok(Some((
                        head,
                        Body::new(&head, self.request.method == "HEAD"),
                    )))
                }
            }
        }
    }

    #[inline]
    fn finish(&self, connection: &mut Connection, head: Head, body: &Body) -> Reply {
        let slot = connection.in_flight.pop().map_or(0, |(slot, ())| slot);
        if !head.keep_alive || body.ends_connection() {
            connection.spent = true;
        }
        let failure = match (self.expect.status, &self.expected_body) {
            (Some(status), _) if status != head.status => Some(Failure::new(
                ErrorKind::Status,
                format!("status {}, expected {status}", head.status),
            )),
            (None, _) if self.expect.success && head.status >= 400 => Some(Failure::new(
                ErrorKind::Status,
                format!("status {}", head.status),
            )),
            (_, Some(expected)) if !body.is(expected) => {
                Some(Failure::new(ErrorKind::Body, body.explain(expected)))
            }
            _ => None,
        };
        Reply {
            slot,
            status: head.status,
            failure,
        }
    }
}

fn malformed(why: Malformed) -> Failure {
    Failure::protocol(why.0)
}

impl Protocol for Http1 {
    type Connection = Connection;

    fn prepare(&mut self, token: &str) {
        self.wire = self.request.render(token);
        self.expected_body = self
            .expect
            .body
            .as_ref()
            .map(|body| with_token(body, token).into_bytes());
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
        if connection.spent {
            0
        } else {
            u32::MAX
        }
    }

    #[inline]
    fn spent(&self, connection: &Connection) -> bool {
        connection.spent
    }

    #[inline]
    fn request(&mut self, connection: &mut Connection, slot: Slot, _: u64, output: &mut Vec<u8>) {
        connection.in_flight.push(slot, ());
        output.extend_from_slice(&self.wire);
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
            let (head, mut body) = match connection.reply.take() {
                Some(begun) => begun,
                None if at == input.len() => return Ok(at),
                None if connection.in_flight.is_empty() => {
                    return Err(Failure::protocol("bytes that nobody asked for"));
                }
                None if connection.spent => {
                    return Err(Failure::protocol("bytes after Connection: close"));
                }
                None => match self.begin(input, &mut at)? {
                    Some(begun) => begun,
                    None => return Ok(at),
                },
            };
            let expected = self.expected_body.as_deref();
            match body.take(&input[at..], expected).map_err(malformed)? {
                Progress::Done(used) => {
                    at += used;
                    replies(self.finish(connection, head, &body));
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
                replies(self.finish(connection, head, &body));
            } else {
                connection.reply = Some((head, body));
            }
        }
    }

    fn begun(&self, connection: &Connection, slot: Slot, unused: usize) -> bool {
        connection
            .in_flight
            .front()
            .is_some_and(|(front, ())| front == slot)
            && (unused > 0 || connection.reply.is_some())
    }
}
