//! Any protocol over HTTP/2, as the load loop drives it.

use super::connection::Connection;
use super::counts::Traffic;
use super::exchange::{Asked, Exchange};
use super::frame::{self, Frame, PREFACE};
use crate::protocol::{Failure, Protocol, Reply, Slot};

/// The protocol, with the requests of one turn rendered.
#[derive(Clone)]
pub struct Client<E> {
    exchange: E,
    /// How often `prepare` was called: each time there may be other headers.
    turn: u64,
    /// Since the turn began.
    traffic: Traffic,
}

impl<E: Exchange> Client<E> {
    pub fn over(exchange: E) -> Self {
        let mut client = Self {
            exchange,
            turn: 0,
            traffic: Traffic::default(),
        };
        client.prepare("");
        client
    }
}

impl<E: Exchange> Protocol for Client<E> {
    type Connection = Connection<E>;

    fn prepare(&mut self, token: &str) {
        self.exchange.prepare(token);
        self.turn += 1;
        self.traffic = Traffic::default();
    }

    fn connect(&mut self, depth: u32, output: &mut Vec<u8>) -> Connection<E> {
        let from = output.len();
        let connection = Connection::new(depth, output);
        self.traffic
            .frames_sent
            .walk(&output[from + PREFACE.len()..]);
        connection
    }

    fn ready(&self, connection: &Connection<E>) -> bool {
        connection.is_ready
    }

    #[inline]
    fn room(&self, connection: &Connection<E>) -> u32 {
        connection.room()
    }

    #[inline]
    fn spent(&self, connection: &Connection<E>) -> bool {
        connection.is_spent
    }

    fn untaken<'a>(&self, connection: &'a Connection<E>) -> &'a [Slot] {
        &connection.untaken
    }

    #[inline]
    fn request(
        &mut self,
        connection: &mut Connection<E>,
        slot: Slot,
        sequence: u64,
        output: &mut Vec<u8>,
    ) {
        let from = output.len();
        let request = self.exchange.pick(sequence);
        let asked = Asked { request, sequence };
        let is_usual = connection.request(slot, asked, self.turn, &mut self.exchange, output);
        self.traffic.requests_sent += 1;
        if is_usual {
            self.traffic.frames_sent.count(frame::HEADERS);
            if self.exchange.wires()[request as usize].has_payload {
                self.traffic.frames_sent.count(frame::DATA);
            }
        } else {
            self.traffic.frames_sent.walk(&output[from..]);
        }
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut Connection<E>,
        input: &[u8],
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<usize, Failure> {
        if !connection.is_ready {
            is_http2(input)?;
        }
        let from = output.len();
        let mut at = 0;
        while let Some((frame, used)) = Frame::parse(&input[at..])? {
            at += used;
            if !connection.is_ready && frame.kind != frame::SETTINGS {
                return Err(Failure::protocol(
                    "not HTTP/2: it does not begin with SETTINGS",
                ));
            }
            self.traffic.received(&frame);
            connection.frame(&frame, &mut self.exchange, output, replies)?;
        }
        if output.len() > from {
            self.traffic.frames_sent.walk(&output[from..]);
        }
        Ok(at)
    }

    fn begun(&self, connection: &Connection<E>, slot: Slot, _unused: usize) -> bool {
        connection.streams.get(slot).has_head
    }

    fn why_late(&self, connection: &Connection<E>, slot: Slot) -> Option<&'static str> {
        let waits = connection.blocked.contains(&slot);
        waits.then_some("the server's flow-control window stays closed")
    }

    fn abandon(
        &mut self,
        connection: &mut Connection<E>,
        slot: Slot,
        output: &mut Vec<u8>,
    ) -> bool {
        let id = connection.streams.get(slot).id;
        if id != 0 {
            frame::push_reset(id, frame::CANCEL, output);
            self.traffic.frames_sent.count(frame::RST_STREAM);
            connection.end(slot);
        }
        connection.untaken.retain(|&untaken| untaken != slot);
        connection.is_ready
    }

    fn traffic(&self) -> Option<Traffic> {
        Some(self.traffic)
    }
}

/// Whether the first bytes that came can be HTTP/2; if not, what they are.
fn is_http2(input: &[u8]) -> Result<(), Failure> {
    if input.starts_with(b"HTTP/") {
        return Err(Failure::protocol("the server speaks HTTP/1, not HTTP/2"));
    }
    // A record of TLS: alert or handshake, version 3.
    if matches!(input, [0x15 | 0x16, 3, ..]) {
        return Err(Failure::protocol(
            "the server speaks TLS: https:// or grpcs:// instead of http:// or grpc://",
        ));
    }
    Ok(())
}
