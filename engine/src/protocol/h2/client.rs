//! Any protocol over HTTP/2, as the load loop drives it.

use super::connection::Http2Connection;
use super::counts::Http2Counts;
use super::exchange::Exchange;
use super::frame::{self, Frame, PREFACE};
use crate::protocol::asked::Asked;
use crate::protocol::marks::Marks;
use crate::protocol::messages::MessagePlan;
use crate::protocol::{Counters, Failure, Protocol, Reply, Slot};

/// The protocol, with the requests of one run rendered.
#[derive(Clone)]
pub struct Http2Client<E> {
    exchange: E,
    /// How often `prepare` was called: each time there may be other headers.
    run: u64,
    /// Since the run began.
    counts: Http2Counts,
}

impl<E: Exchange> Http2Client<E> {
    pub fn over(exchange: E) -> Self {
        let mut client = Self {
            exchange,
            run: 0,
            counts: Http2Counts::default(),
        };
        client.prepare("");
        client
    }

    pub fn exchange(&self) -> &E {
        &self.exchange
    }
}

impl<E: Exchange> Protocol for Http2Client<E> {
    type Connection = Http2Connection<E>;

    const HAS_MESSAGES: bool = E::HAS_MESSAGES;

    fn seed(&mut self, seed: u64) {
        self.exchange.seed(seed);
    }

    fn share_rows(&mut self, worker: u64, workers: u64) {
        self.exchange.share_rows(worker, workers);
    }

    fn request_of(&self, sequence: u64) -> u32 {
        self.exchange.pick(sequence)
    }

    fn prepare(&mut self, token: &str) {
        self.exchange.prepare(token);
        self.run += 1;
        self.counts = Http2Counts::default();
    }

    fn connect(&mut self, depth: u32, output: &mut Vec<u8>) -> Http2Connection<E> {
        let from = output.len();
        let connection = Http2Connection::new(depth, output);
        self.counts
            .frames_sent
            .walk(&output[from + PREFACE.len()..]);
        connection
    }

    fn ready(&self, connection: &Http2Connection<E>) -> bool {
        connection.is_ready
    }

    #[inline]
    fn room(&self, connection: &Http2Connection<E>) -> u32 {
        connection.room()
    }

    #[inline]
    fn is_draining(&self, connection: &Http2Connection<E>) -> bool {
        connection.is_draining
    }

    fn unprocessed<'a>(&self, connection: &'a Http2Connection<E>) -> &'a [Slot] {
        &connection.unprocessed
    }

    #[inline]
    fn request(
        &mut self,
        connection: &mut Http2Connection<E>,
        slot: Slot,
        sequence: u64,
        output: &mut Vec<u8>,
    ) {
        let from = output.len();
        let request = self.exchange.pick(sequence);
        let asked = Asked { request, sequence };
        let is_usual = connection.request(slot, asked, self.run, &mut self.exchange, output);
        self.counts.requests_sent += 1;
        if is_usual {
            self.counts.frames_sent.count(frame::HEADERS);
            if self.exchange.wires()[request as usize].has_payload {
                self.counts.frames_sent.count(frame::DATA);
            }
        } else {
            self.counts.frames_sent.walk(&output[from..]);
        }
    }

    fn message_plan(&self) -> Option<MessagePlan> {
        self.exchange.message_plan()
    }

    fn let_go(
        &mut self,
        connection: &mut Http2Connection<E>,
        slot: Slot,
        n: u64,
        output: &mut Vec<u8>,
    ) {
        let from = output.len();
        connection.let_go(slot, n, &mut self.exchange, output);
        self.counts.frames_sent.walk(&output[from..]);
    }

    #[inline]
    fn resumed(&mut self, connection: &mut Http2Connection<E>) -> usize {
        std::mem::take(&mut connection.resumed)
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut Http2Connection<E>,
        input: &[u8],
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<usize, Failure> {
        if !connection.is_ready {
            is_http2(input)?;
        }
        connection.hears(output.len());
        let from = output.len();
        let mut at = 0;
        while let Some((frame, used)) = Frame::parse(&input[at..])? {
            at += used;
            if !connection.is_ready && frame.kind != frame::SETTINGS {
                return Err(Failure::protocol(
                    "not HTTP/2: it does not begin with SETTINGS",
                ));
            }
            self.counts.received(&frame);
            connection.frame(&frame, &mut self.exchange, output, replies)?;
        }
        if output.len() > from {
            self.counts.frames_sent.walk(&output[from..]);
        }
        Ok(at)
    }

    fn marks(&mut self) -> Option<&mut Marks> {
        self.exchange.marks()
    }

    fn begun(&self, connection: &Http2Connection<E>, slot: Slot, _unused: usize) -> bool {
        connection.streams.get(slot).has_head
    }

    fn why_late(&self, connection: &Http2Connection<E>, slot: Slot) -> Option<&'static str> {
        if connection.blocked.contains(&slot) {
            return Some("the server's flow-control window stays closed");
        }
        connection.why_late(slot, &self.exchange.message_plan()?)
    }

    fn abandon(
        &mut self,
        connection: &mut Http2Connection<E>,
        slot: Slot,
        output: &mut Vec<u8>,
    ) -> bool {
        let id = connection.streams.get(slot).id;
        if id != 0 {
            frame::push_reset(id, frame::CANCEL, output);
            self.counts.frames_sent.count(frame::RST_STREAM);
            connection.end(slot);
        }
        connection
            .unprocessed
            .retain(|&unprocessed| unprocessed != slot);
        connection.is_ready
    }

    fn counters(&self) -> Option<Counters> {
        Some(Counters::Http2(self.counts))
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
