//! Responder on their way to the client, within its windows.

use crate::protocol::h2::frame::{self, DATA, END_HEADERS, END_STREAM, HEADERS, WINDOW};
use crate::protocol::h2::hpack::{self, indexed, literal, literal_indexed};
use std::collections::{HashMap, HashSet, VecDeque};

/// `:status: 200` in the static table.
const STATUS_200: usize = 8;
const OK: u16 = 0;
/// The newest entry of the client's table.
const NEWEST: usize = 62;
/// More than our two entries need.
const TABLE_SIZE: usize = 256;

/// A reply that waits for a window.
struct Unsent {
    stream: u32,
    messages: Vec<u8>,
    sent: usize,
    /// The status behind them; `None`: there will be more.
    end: Option<u16>,
}

/// The sending half of a connection.
pub struct Out {
    /// Our two headers are in the client's table: the newest is grpc-status, if it is there.
    has_content_type: bool,
    has_status: bool,
    table_size: usize,
    size_update: Option<usize>,
    window: i64,
    stream_window: i64,
    frame_size: usize,
    /// What the client granted single streams beyond `stream_window`; what was sent of a reply that
    /// comes in pieces is taken off.
    grants: HashMap<u32, i64>,
    /// Replies that come in pieces, and have begun.
    begun: HashSet<u32>,
    unsent: VecDeque<Unsent>,
}

impl Default for Out {
    fn default() -> Self {
        Self {
            has_content_type: false,
            has_status: false,
            table_size: hpack::TABLE_SIZE,
            size_update: None,
            window: i64::from(WINDOW),
            stream_window: i64::from(WINDOW),
            frame_size: frame::FRAME_SIZE,
            grants: HashMap::new(),
            begun: HashSet::new(),
            unsent: VecDeque::new(),
        }
    }
}

impl Out {
    /// Appends a whole reply, or as much as the windows allow.
    #[inline]
    pub fn reply(&mut self, stream: u32, messages: &[u8], output: &mut Vec<u8>) {
        self.headers(stream, output);
        let fits = self.window.min(self.stream_window).max(0) as usize;
        if self.unsent.is_empty() && messages.len() <= fits.min(self.frame_size) {
            frame::push(DATA, 0, stream, messages, output);
            self.window -= messages.len() as i64;
            self.trailers(stream, output);
            return;
        }
        self.unsent.push_back(Unsent {
            stream,
            messages: messages.to_vec(),
            sent: 0,
            end: Some(OK),
        });
        self.go_on(output);
    }

    /// Appends a piece of a reply, or as much as the windows allow.
    pub fn messages(&mut self, stream: u32, messages: &[u8], output: &mut Vec<u8>) {
        if self.begun.insert(stream) {
            self.headers(stream, output);
        }
        match self.unsent.iter_mut().find(|one| one.stream == stream) {
            Some(unsent) => unsent.messages.extend_from_slice(messages),
            None => self.unsent.push_back(Unsent {
                stream,
                messages: messages.to_vec(),
                sent: 0,
                end: None,
            }),
        }
        self.go_on(output);
    }

    /// Ends a reply, whether or not it has begun.
    pub fn end(&mut self, stream: u32, status: u16, output: &mut Vec<u8>) {
        if !self.begun.remove(&stream) {
            return self.status(stream, status, output);
        }
        match self.unsent.iter_mut().find(|one| one.stream == stream) {
            Some(unsent) => unsent.end = Some(status),
            None => self.finish(stream, status, output),
        }
    }

    fn finish(&mut self, stream: u32, status: u16, output: &mut Vec<u8>) {
        if status == OK {
            return self.trailers(stream, output);
        }
        let mut block = self.update();
        block.extend(literal(b"grpc-status", status.to_string().as_bytes()));
        frame::push_block(&block, END_STREAM, stream, output);
        self.grants.remove(&stream);
    }

    /// Appends a reply that is only a status.
    pub fn status(&mut self, stream: u32, status: u16, output: &mut Vec<u8>) {
        let mut block = self.update();
        block.extend(indexed(STATUS_200));
        block.extend(literal(b"content-type", b"application/grpc"));
        block.extend(literal(b"grpc-status", status.to_string().as_bytes()));
        frame::push_block(&block, END_STREAM, stream, output);
        self.grants.remove(&stream);
    }

    #[inline]
    fn headers(&mut self, stream: u32, output: &mut Vec<u8>) {
        if self.has_content_type {
            let content_type = NEWEST + usize::from(self.has_status);
            let block = [0x80 | STATUS_200 as u8, 0x80 | content_type as u8];
            return frame::push(HEADERS, END_HEADERS, stream, &block, output);
        }
        let mut block = self.update();
        block.extend(indexed(STATUS_200));
        self.has_content_type = self.table_size >= TABLE_SIZE;
        let enter = if self.has_content_type {
            literal_indexed
        } else {
            literal
        };
        block.extend(enter(b"content-type", b"application/grpc"));
        frame::push_block(&block, 0, stream, output);
    }

    #[inline]
    fn trailers(&mut self, stream: u32, output: &mut Vec<u8>) {
        const FLAGS: u8 = END_HEADERS | END_STREAM;
        if self.has_status {
            frame::push(HEADERS, FLAGS, stream, &[0x80 | NEWEST as u8], output);
        } else {
            let mut block = self.update();
            self.has_status = self.has_content_type;
            let enter = if self.has_status {
                literal_indexed
            } else {
                literal
            };
            block.extend(enter(b"grpc-status", b"0"));
            frame::push(HEADERS, FLAGS, stream, &block, output);
        }
        if !self.grants.is_empty() {
            self.grants.remove(&stream);
        }
    }

    /// The begin of a block behind a table that became smaller.
    fn update(&mut self) -> Vec<u8> {
        self.size_update
            .take()
            .map_or_else(Vec::new, hpack::size_update)
    }

    /// Sends what the windows allow now.
    fn go_on(&mut self, output: &mut Vec<u8>) {
        let mut waiting = std::mem::take(&mut self.unsent);
        while let Some(mut unsent) = waiting.pop_front() {
            match (self.send(&mut unsent, output), unsent.end) {
                (false, _) => self.unsent.push_back(unsent),
                (true, Some(status)) => self.finish(unsent.stream, status, output),
                (true, None) => {
                    let grant = self.grants.entry(unsent.stream).or_default();
                    *grant -= unsent.sent as i64;
                }
            }
        }
    }

    /// True once all is sent.
    fn send(&mut self, unsent: &mut Unsent, output: &mut Vec<u8>) -> bool {
        while unsent.sent < unsent.messages.len() {
            let granted = self.grants.get(&unsent.stream).copied().unwrap_or(0);
            let window = self.stream_window + granted - unsent.sent as i64;
            let rest = &unsent.messages[unsent.sent..];
            let here = self.window.min(window).max(0) as usize;
            let here = here.min(rest.len()).min(self.frame_size);
            if here == 0 {
                return false;
            }
            frame::push(DATA, 0, unsent.stream, &rest[..here], output);
            unsent.sent += here;
            self.window -= here as i64;
        }
        true
    }

    /// WINDOW_UPDATE; `None` if it is an impossible one. `is_open` as far as the receiving half
    /// knows: a grant may come before the reply.
    pub fn grant(
        &mut self,
        stream: u32,
        more: u32,
        is_open: bool,
        output: &mut Vec<u8>,
    ) -> Option<()> {
        if stream == 0 {
            self.window += i64::from(more);
        } else if is_open || self.unsent.iter().any(|unsent| unsent.stream == stream) {
            *self.grants.entry(stream).or_default() += i64::from(more);
        }
        if self.window > frame::LARGEST_WINDOW || more == 0 {
            return None;
        }
        if !self.unsent.is_empty() {
            self.go_on(output);
        }
        Some(())
    }

    /// RST_STREAM: nothing more on this stream.
    pub fn forget(&mut self, stream: u32) {
        self.unsent.retain(|unsent| unsent.stream != stream);
        self.begun.remove(&stream);
        self.grants.remove(&stream);
    }

    /// One of the client's SETTINGS; `None` if it is an impossible one.
    pub fn setting(&mut self, number: u16, value: u32, output: &mut Vec<u8>) -> Option<()> {
        match number {
            frame::HEADER_TABLE_SIZE if (value as usize) < self.table_size => {
                self.table_size = value as usize;
                self.size_update = Some(self.table_size);
                self.has_content_type = false;
                self.has_status = false;
            }
            frame::INITIAL_WINDOW_SIZE => {
                self.stream_window = i64::from(value);
                if self.stream_window > frame::LARGEST_WINDOW {
                    return None;
                }
                self.go_on(output);
            }
            frame::MAX_FRAME_SIZE => {
                self.frame_size = (value as usize).max(frame::FRAME_SIZE);
            }
            _ => {}
        }
        Some(())
    }
}
