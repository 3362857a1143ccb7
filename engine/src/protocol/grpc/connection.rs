//! One HTTP/2 connection as a gRPC client sees it: what it sends.

use super::head::Known;
use super::stream::Streams;
use super::wire::Wire;
use crate::protocol::h2::frame::{self, DATA, END_STREAM, FRAME_SIZE, WINDOW};
use crate::protocol::h2::hpack::{self, Decoder};
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

pub struct Connection {
    pub streams: Streams,
    pub peer: Peer,
    /// SETTINGS have come.
    pub is_ready: bool,
    /// No new calls.
    pub is_spent: bool,
    /// Bytes that the server still takes on this connection.
    pub window: i64,
    /// Calls whose payload waits for a window.
    pub blocked: VecDeque<Slot>,
    /// Bytes that came and were not given back to the server's window.
    pub consumed: u32,
    pub decoder: Decoder,
    pub known_head: Known,
    pub known_trailers: Known,
    /// A header block that goes on in CONTINUATIONs: stream, flags, bytes so far.
    pub block: Option<(u32, u8)>,
    pub block_bytes: Vec<u8>,
    /// Which turn's headers are in the server's table; 0: none.
    entered: u64,
    /// The table became smaller, and the server has yet to be told that this is known.
    pub size_update: Option<usize>,
}

impl Connection {
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
        Self {
            streams: Streams::new(depth),
            peer: Peer {
                stream_window: i64::from(WINDOW),
                frame_size: FRAME_SIZE,
                most_streams: u32::MAX,
                table_size: hpack::TABLE_SIZE,
            },
            is_ready: false,
            is_spent: false,
            window: i64::from(WINDOW),
            blocked: VecDeque::new(),
            consumed: 0,
            decoder: Decoder::default(),
            known_head: Known::default(),
            known_trailers: Known::default(),
            block: None,
            block_bytes: Vec::new(),
            entered: 0,
            size_update: None,
        }
    }

    #[inline]
    pub fn room(&self) -> u32 {
        if self.is_spent || !self.is_ready || !self.blocked.is_empty() {
            return 0;
        }
        self.peer.most_streams.saturating_sub(self.streams.active())
    }

    /// Appends a call. `turn` is the number of the turn that `wire` was rendered for.
    #[inline]
    pub fn call(&mut self, slot: Slot, turn: u64, wire: &Wire, output: &mut Vec<u8>) {
        let length = wire.payload.len();
        let stream = self.streams.begin(slot, self.peer.stream_window);
        let fits = length as i64 <= self.window.min(self.peer.stream_window);
        if fits && self.entered == turn && !wire.both.is_empty() {
            wire.push_both(stream.id, output);
            stream.sent = length;
            self.window -= length as i64;
            if self.streams.is_used_up() {
                self.is_spent = true;
            }
            return;
        }
        self.call_slowly(slot, turn, wire, output);
    }

    /// The first call of a turn on this connection, or a large one.
    fn call_slowly(&mut self, slot: Slot, turn: u64, wire: &Wire, output: &mut Vec<u8>) {
        let mut block = Vec::new();
        if let Some(size) = self.size_update.take() {
            self.entered = 0;
            block = hpack::size_update(size);
        }
        if wire.table_size > self.peer.table_size {
            block.extend_from_slice(&wire.plain_block);
        } else if self.entered == turn {
            block.extend_from_slice(&wire.next_block);
        } else {
            block.extend_from_slice(&wire.first_block);
            self.entered = turn;
        }
        frame::push_block(&block, 0, self.streams.get(slot).id, output);
        self.send_payload(slot, wire, output);
        if self.streams.is_used_up() {
            self.is_spent = true;
        }
    }

    /// Sends as much of a payload as the windows allow.
    fn send_payload(&mut self, slot: Slot, wire: &Wire, output: &mut Vec<u8>) {
        let stream = self.streams.get_mut(slot);
        while stream.sent < wire.payload.len() {
            let rest = &wire.payload[stream.sent..];
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
    pub fn unblock(&mut self, wire: &Wire, output: &mut Vec<u8>) {
        for _ in 0..self.blocked.len() {
            if let Some(slot) = self.blocked.pop_front() {
                self.send_payload(slot, wire, output);
            }
        }
    }

    /// The call in `slot` is over, for whatever reason. What the server did not want of it is
    /// not sent any more.
    #[inline]
    pub fn end(&mut self, slot: Slot) {
        self.streams.end(slot);
        if !self.blocked.is_empty() {
            self.blocked.retain(|&blocked| blocked != slot);
        }
    }
}
