//! One HTTP/2 connection as a client sees it: what it sends.

use super::cached_block::CachedBlock;
use super::exchange::Exchange;
use super::frame::{self, DATA, END_STREAM, FRAME_SIZE, WINDOW};
use super::hpack::{self, Decoder};
use super::messages::Outgoing;
use super::rendered::RenderedRequest;
use super::stream::Streams;
use crate::protocol::asked::Asked;
use crate::protocol::Slot;
use std::collections::VecDeque;

/// Windows for replies. Nothing is kept of what comes in, so they may be large.
pub const STREAM_WINDOW: u32 = 1 << 20;
pub const CONNECTION_WINDOW: u32 = 16 << 20;

/// What the server has announced.
#[derive(Debug)]
pub struct Peer {
    pub stream_window: i64,
    pub frame_size: usize,
    pub most_streams: u32,
    pub table_size: usize,
}

pub struct Http2Connection<E: Exchange> {
    pub streams: Streams<E::Reply>,
    pub peer: Peer,
    /// SETTINGS have come.
    pub is_ready: bool,
    /// No new requests.
    pub is_draining: bool,
    /// Requests that the server has left to another connection. They have no stream any more.
    pub unprocessed: Vec<Slot>,
    /// Bytes that the server still takes on this connection.
    pub window: i64,
    /// Requests whose payload waits for a window.
    pub blocked: VecDeque<Slot>,
    /// By slot, where requests are streams of messages; else there are none.
    pub(super) outgoing: Box<[Outgoing]>,
    /// Bytes of requests that went out because a window had grown, since this was asked last.
    pub resumed: usize,
    /// Bytes that came and were not given back to the server's window.
    pub consumed: u32,
    /// Bytes given back to it by frames that have not gone out: the server cannot know of them.
    pub promised: u32,
    /// How long `output` is with the last of these frames; 0 without any.
    pub promises_end: usize,
    /// How often such frames went out.
    pub round: u32,
    pub decoder: Decoder,
    pub known_head: CachedBlock<E::Fields>,
    pub known_trailers: CachedBlock<E::Fields>,
    /// A header block that goes on in CONTINUATIONs: stream, flags, bytes so far.
    pub block: Option<(u32, u8)>,
    pub block_bytes: Vec<u8>,
    /// Which run's headers are in the server's table; 0: none.
    entered: u64,
    /// The table became smaller, and the server has yet to be told that this is known.
    pub size_update: Option<usize>,
    /// Payloads that vary, one at a time.
    pub(super) scratch: Vec<u8>,
}

impl<E: Exchange> Http2Connection<E> {
    /// Appends preface and SETTINGS.
    pub fn new(depth: u32, output: &mut Vec<u8>) -> Self {
        output.extend_from_slice(frame::PREFACE);
        frame::push_settings(
            &[
                (frame::ENABLE_PUSH, 0),
                (frame::INITIAL_WINDOW_SIZE, STREAM_WINDOW),
            ],
            output,
        );
        frame::push_window_update(0, CONNECTION_WINDOW - WINDOW, output);
        let messages = if E::HAS_MESSAGES { depth } else { 0 };
        Self {
            streams: Streams::new(depth),
            outgoing: vec![Outgoing::default(); messages as usize].into_boxed_slice(),
            resumed: 0,
            peer: Peer {
                stream_window: i64::from(WINDOW),
                frame_size: FRAME_SIZE,
                most_streams: u32::MAX,
                table_size: hpack::TABLE_SIZE,
            },
            is_ready: false,
            is_draining: false,
            unprocessed: Vec::new(),
            window: i64::from(WINDOW),
            blocked: VecDeque::new(),
            consumed: 0,
            promised: 0,
            promises_end: 0,
            round: 0,
            decoder: Decoder::default(),
            known_head: CachedBlock::default(),
            known_trailers: CachedBlock::default(),
            block: None,
            block_bytes: Vec::new(),
            entered: 0,
            size_update: None,
            scratch: Vec::new(),
        }
    }

    #[inline]
    pub fn room(&self) -> u32 {
        // A stream of messages that waits for its own window keeps no other from beginning.
        let is_blocked = match E::HAS_MESSAGES {
            true => self.window <= 0,
            false => !self.blocked.is_empty(),
        };
        if self.is_draining || !self.is_ready || is_blocked {
            return 0;
        }
        self.peer.most_streams.saturating_sub(self.streams.active())
    }

    /// Bytes came, while `unsent` bytes for the server have not gone out. What it sends it sends before
    /// it hears of them.
    #[inline]
    pub fn hears(&mut self, unsent: usize) {
        if unsent < self.promises_end {
            self.promised = 0;
            self.promises_end = 0;
            self.round = self.round.wrapping_add(1);
        }
    }

    /// Appends a request. `run` is the number of the run that `wires` were rendered for.
    /// True if it was the usual one: HEADERS, and DATA if there is a payload.
    #[inline]
    pub fn request(
        &mut self,
        slot: Slot,
        asked: Asked,
        run: u64,
        exchange: &mut E,
        output: &mut Vec<u8>,
    ) -> bool {
        let stream = self.streams.begin(slot, asked, self.peer.stream_window);
        exchange.begin(slot, &mut stream.reply);
        let wire = &exchange.wires()[asked.request as usize];
        if E::HAS_MESSAGES {
            self.begin_messages(slot, run, wire, output);
            self.is_draining |= self.streams.is_used_up();
            return false;
        }
        let length = wire.payload.len(asked.sequence);
        stream.length = length;
        let fits = length as i64 <= self.window.min(self.peer.stream_window);
        let is_usual = fits && self.entered == run && wire.is_short(asked.sequence, length);
        if is_usual {
            wire.push_whole(stream.id, asked.sequence, length, output);
            stream.sent = length;
            stream.window -= length as i64;
            self.window -= length as i64;
        } else {
            self.request_slowly(slot, run, wire, output);
        }
        if self.streams.is_used_up() {
            self.is_draining = true;
        }
        is_usual
    }

    /// The first request of a run on this connection, or a large one.
    fn request_slowly(
        &mut self,
        slot: Slot,
        run: u64,
        wire: &RenderedRequest,
        output: &mut Vec<u8>,
    ) {
        self.send_headers(slot, run, wire, output);
        self.send_payload(slot, wire, output);
    }

    /// Sends the headers of a request, whatever they are.
    pub(super) fn send_headers(
        &mut self,
        slot: Slot,
        run: u64,
        wire: &RenderedRequest,
        output: &mut Vec<u8>,
    ) {
        let stream = self.streams.get(slot);
        let (id, sequence) = (stream.id, stream.asked.sequence);
        let mut block = Vec::new();
        if let Some(size) = self.size_update.take() {
            self.entered = 0;
            block = hpack::size_update(size);
        }
        if wire.table_size > self.peer.table_size {
            wire.plain_block.write(sequence, &mut block);
        } else if self.entered == run {
            wire.next_block.write(sequence, &mut block);
        } else {
            wire.first_block.write(sequence, &mut block);
            self.entered = run;
        }
        frame::push_block(&block, wire.end_of_headers(), id, output);
    }

    /// Sends as much of a payload as the windows allow.
    fn send_payload(&mut self, slot: Slot, wire: &RenderedRequest, output: &mut Vec<u8>) {
        let stream = self.streams.get_mut(slot);
        let payload = wire
            .payload
            .rendered(stream.asked.sequence, &mut self.scratch);
        while stream.sent < payload.len() {
            let rest = &payload[stream.sent..];
            let window = self.window.min(stream.window).max(0) as usize;
            let here = rest.len().min(window).min(self.peer.frame_size);
            if here == 0 {
                self.blocked.push_back(slot);
                return;
            }
            let flags = if here == rest.len() { END_STREAM } else { 0 };
            frame::push(DATA, flags, stream.id, &rest[..here], output);
            stream.sent += here;
            stream.window -= here as i64;
            self.window -= here as i64;
        }
    }

    /// The server's table no longer holds what it held.
    pub fn forget_entries(&mut self) {
        self.entered = 0;
    }

    /// A window has grown: whatever was blocked is tried again.
    pub fn unblock(&mut self, exchange: &mut E, output: &mut Vec<u8>) {
        let from = output.len();
        for _ in 0..self.blocked.len() {
            let Some(slot) = self.blocked.pop_front() else {
                break;
            };
            if E::HAS_MESSAGES {
                self.send_messages(slot, exchange, output);
            } else {
                let request = self.streams.get(slot).asked.request;
                self.send_payload(slot, &exchange.wires()[request as usize], output);
            }
        }
        self.resumed += output.len() - from;
    }

    /// The request in `slot` is over, for whatever reason. What the server did not want of it
    /// is not sent any more.
    #[inline]
    pub fn end(&mut self, slot: Slot) {
        self.streams.end(slot);
        if !self.blocked.is_empty() {
            self.blocked.retain(|&blocked| blocked != slot);
        }
    }
}
