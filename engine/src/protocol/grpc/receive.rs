//! One HTTP/2 connection as a gRPC client sees it: what comes in.

use super::body::Body;
use super::connection::{Connection, CONNECTION_WINDOW, STREAM_WINDOW};
use super::head::Head;
use super::message::Expected;
use super::wire::Wire;
use crate::protocol::h2::frame::{self, code_name, Frame, LARGEST_WINDOW};
use crate::protocol::h2::hpack::Undecodable;
use crate::protocol::{ErrorKind, Failure, Reply, Slot};

/// What the replies of a turn are held against.
pub struct Asked<'a> {
    pub wire: &'a Wire,
    pub expected: Option<&'a Expected>,
    pub messages: u32,
    /// Replies may be compressed.
    pub gzip: bool,
}

impl From<frame::Malformed> for Failure {
    fn from(why: frame::Malformed) -> Self {
        Self::protocol(why.0)
    }
}

impl From<Undecodable> for Failure {
    fn from(why: Undecodable) -> Self {
        Self::protocol(why.0)
    }
}

impl Connection {
    #[inline]
    pub fn frame(
        &mut self,
        frame: &Frame,
        asked: &Asked,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        if self.block.is_some() && frame.kind != frame::CONTINUATION {
            return Err(Failure::protocol("a header block that does not go on"));
        }
        match frame.kind {
            frame::DATA => self.data(frame, asked, output, replies),
            frame::HEADERS => self.headers(frame, asked, output, replies),
            _ => self.control(frame, asked, output, replies),
        }
    }

    /// Everything that calls seldom need.
    fn control(
        &mut self,
        frame: &Frame,
        asked: &Asked,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        match frame.kind {
            frame::CONTINUATION => self.continuation(frame, asked, output, replies),
            frame::SETTINGS => self.settings(frame, asked.wire, output),
            frame::WINDOW_UPDATE => self.window_update(frame, asked.wire, output),
            frame::RST_STREAM => self.reset(frame, replies),
            frame::GOAWAY => self.goaway(frame, replies),
            frame::PING if frame.payload.len() != 8 => {
                Err(Failure::protocol("a PING not of 8 bytes"))
            }
            frame::PING if !frame.has(frame::ACK) => {
                frame::push(frame::PING, frame::ACK, 0, frame.payload, output);
                Ok(())
            }
            frame::PUSH_PROMISE => Err(Failure::protocol("a push that was forbidden")),
            // Unknown frames are no errors, RFC 9113 section 4.1.
            _ => Ok(()),
        }
    }

    #[inline]
    fn data(
        &mut self,
        frame: &Frame,
        asked: &Asked,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        // Padding counts too, and so does what comes for a stream that is over.
        let length = frame.payload.len() as u32;
        self.consumed += length;
        if self.consumed > CONNECTION_WINDOW / 2 {
            frame::push_window_update(0, self.consumed, output);
            self.consumed = 0;
        }
        let content = frame.content()?;
        let Some(slot) = self.slot(frame)? else {
            return Ok(());
        };
        let stream = self.streams.get_mut(slot);
        stream.consumed += length;
        let is_last = frame.has(frame::END_STREAM);
        if stream.consumed > STREAM_WINDOW / 2 && !is_last {
            frame::push_window_update(stream.id, stream.consumed, output);
            stream.consumed = 0;
        }
        if stream.failure.is_none() {
            if !stream.has_head {
                stream.failure = Some(Failure::protocol("a message before any headers"));
            } else if let Err(why) = stream.body.take(content, asked.expected, asked.gzip) {
                stream.failure = Some(Failure::protocol(why));
            }
        }
        if is_last {
            let failure = stream.failure.take();
            let failure = failure.unwrap_or_else(|| Failure::protocol("the trailers are missing"));
            self.fail(slot, failure, replies);
        }
        Ok(())
    }

    #[inline]
    fn headers(
        &mut self,
        frame: &Frame,
        asked: &Asked,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let content = frame.content()?;
        if frame.has(frame::END_HEADERS) {
            return self.block(frame, frame.flags, content, asked, output, replies);
        }
        self.block = Some((frame.stream, frame.flags));
        self.block_bytes.clear();
        self.block_bytes.extend_from_slice(content);
        Ok(())
    }

    fn continuation(
        &mut self,
        frame: &Frame,
        asked: &Asked,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let Some((stream, flags)) = self.block.filter(|(stream, _)| *stream == frame.stream) else {
            return Err(Failure::protocol("a CONTINUATION of nothing"));
        };
        debug_assert_eq!(stream, frame.stream);
        if self.block_bytes.len() + frame.payload.len() > frame::LONGEST_BLOCK {
            return Err(Failure::protocol("a header block of over 64 KiB"));
        }
        self.block_bytes.extend_from_slice(frame.payload);
        if !frame.has(frame::END_HEADERS) {
            return Ok(());
        }
        self.block = None;
        let bytes = std::mem::take(&mut self.block_bytes);
        let done = self.block(frame, flags, &bytes, asked, output, replies);
        self.block_bytes = bytes;
        done
    }

    /// A whole header block: the begin of a reply or its trailers.
    #[inline]
    fn block(
        &mut self,
        frame: &Frame,
        flags: u8,
        block: &[u8],
        asked: &Asked,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let slot = self.slot(frame)?;
        let is_last = flags & frame::END_STREAM != 0;
        let known = if is_last {
            &mut self.known_trailers
        } else {
            &mut self.known_head
        };
        // For a stream that is over, too: the table may change.
        let head = known.head(block, &mut self.decoder)?;
        let Some(slot) = slot else {
            return Ok(());
        };
        let stream = self.streams.get_mut(slot);
        if !is_last {
            // Informational replies (1xx) come before the one that counts.
            if head.http_status.is_some_and(|status| status < 200) {
                return Ok(());
            }
            if stream.has_head {
                return Err(Failure::protocol("headers in the middle of a reply"));
            }
            stream.has_head = true;
            stream.failure = not_grpc(head);
            return Ok(());
        }
        let failure = stream.failure.take().or_else(|| {
            if !stream.has_head {
                // Trailers only: the first block is the last.
                not_grpc(head).or_else(|| judge(head, &stream.body, asked))
            } else {
                judge(head, &stream.body, asked)
            }
        });
        let status = head.grpc_status.unwrap_or(u16::MAX);
        if stream.sent < asked.wire.payload.len() {
            // It has answered before it has heard all: the rest will not come.
            frame::push_reset(stream.id, frame::CANCEL, output);
        }
        self.end(slot);
        replies(Reply {
            slot,
            status,
            failure,
        });
        Ok(())
    }

    /// The slot of a frame's stream; `None` if that stream is over.
    #[inline]
    fn slot(&self, frame: &Frame) -> Result<Option<Slot>, Failure> {
        match self.streams.slot(frame.stream) {
            None if self.streams.is_new(frame.stream) => {
                Err(Failure::protocol("a frame for a stream that is not open"))
            }
            slot => Ok(slot),
        }
    }

    fn fail(&mut self, slot: Slot, failure: Failure, replies: &mut impl FnMut(Reply)) {
        self.end(slot);
        replies(Reply {
            slot,
            status: u16::MAX,
            failure: Some(failure),
        });
    }

    #[cold]
    fn settings(
        &mut self,
        frame: &Frame,
        wire: &Wire,
        output: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let settings = frame.settings()?;
        if frame.has(frame::ACK) {
            return Ok(());
        }
        for (number, value) in settings {
            match number {
                frame::HEADER_TABLE_SIZE => {
                    let size = (value as usize).min(self.peer.table_size);
                    if size < self.peer.table_size {
                        self.size_update = Some(size);
                        self.peer.table_size = size;
                        self.forget_entries();
                    }
                }
                frame::MAX_CONCURRENT_STREAMS => self.peer.most_streams = value,
                frame::INITIAL_WINDOW_SIZE => self.resize_windows(i64::from(value))?,
                frame::MAX_FRAME_SIZE => {
                    if !(frame::FRAME_SIZE as u32..=frame::LARGEST_FRAME_SIZE).contains(&value) {
                        return Err(Failure::protocol("SETTINGS with an impossible frame size"));
                    }
                    self.peer.frame_size = value as usize;
                }
                _ => {}
            }
        }
        self.is_ready = true;
        frame::push(frame::SETTINGS, frame::ACK, 0, &[], output);
        self.unblock(wire, output);
        Ok(())
    }

    fn resize_windows(&mut self, size: i64) -> Result<(), Failure> {
        if size > LARGEST_WINDOW {
            return Err(Failure::protocol("SETTINGS with an impossible window"));
        }
        let more = size - self.peer.stream_window;
        self.peer.stream_window = size;
        let open: Vec<Slot> = self.streams.open().collect();
        for slot in open {
            self.streams.get_mut(slot).window += more;
        }
        Ok(())
    }

    fn window_update(
        &mut self,
        frame: &Frame,
        wire: &Wire,
        output: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let more = i64::from(frame.number()? & frame::LAST_STREAM);
        let window = match frame.stream {
            0 => &mut self.window,
            _ => match self.slot(frame)? {
                Some(slot) => &mut self.streams.get_mut(slot).window,
                None => return Ok(()),
            },
        };
        if more == 0 {
            return Err(Failure::protocol("a window that grows by nothing"));
        }
        *window += more;
        if *window > LARGEST_WINDOW {
            return Err(Failure::protocol("a window beyond its limit"));
        }
        if !self.blocked.is_empty() {
            self.unblock(wire, output);
        }
        Ok(())
    }

    fn reset(&mut self, frame: &Frame, replies: &mut impl FnMut(Reply)) -> Result<(), Failure> {
        let code = frame.number()?;
        if let Some(slot) = self.slot(frame)? {
            let failure = Failure::protocol(format!("RST_STREAM: {}", code_name(code)));
            self.fail(slot, failure, replies);
        }
        Ok(())
    }

    #[cold]
    fn goaway(&mut self, frame: &Frame, replies: &mut impl FnMut(Reply)) -> Result<(), Failure> {
        let Some((&[a, b, c, d, e, f, g, h], text)) = frame.payload.split_first_chunk() else {
            return Err(Failure::protocol("a GOAWAY that is too short"));
        };
        self.is_spent = true;
        let last = u32::from_be_bytes([a, b, c, d]) & frame::LAST_STREAM;
        let code = u32::from_be_bytes([e, f, g, h]);
        let text: String = String::from_utf8_lossy(text).chars().take(100).collect();
        let lost: Vec<Slot> = self.streams.open().collect();
        for slot in lost {
            if self.streams.get(slot).id > last {
                let name = code_name(code);
                let message = format!("GOAWAY: {name} {text}: the call was not taken");
                self.fail(slot, Failure::protocol(message), replies);
            }
        }
        Ok(())
    }
}

/// Why a reply is none of gRPC's.
fn not_grpc(head: &Head) -> Option<Failure> {
    match head.http_status {
        Some(200) if head.is_grpc => None,
        Some(200) => Some(Failure::protocol("a reply that is not application/grpc")),
        Some(status) => Some(Failure::new(
            ErrorKind::Status,
            format!("HTTP status {status} instead of a gRPC reply"),
        )),
        None => Some(Failure::protocol("a reply without :status")),
    }
}

/// What is wrong with a call that has ended as it should.
#[inline]
fn judge(trailers: &Head, body: &Body, asked: &Asked) -> Option<Failure> {
    let right = trailers.grpc_status == Some(0)
        && body.is_whole()
        && body.messages == asked.messages
        && !body.is_different;
    if right {
        None
    } else {
        Some(explain(trailers, body, asked))
    }
}

#[cold]
fn explain(trailers: &Head, body: &Body, asked: &Asked) -> Failure {
    match trailers.grpc_status {
        None => Failure::protocol("trailers without grpc-status"),
        Some(0) if !body.is_whole() => Failure::protocol("a message that ends in the middle"),
        Some(0) if body.is_different => {
            let got = asked.expected.map(|expected| expected.explain(body.got()));
            Failure::new(ErrorKind::Body, got.unwrap_or_default())
        }
        Some(0) => Failure::new(
            ErrorKind::Body,
            format!("{} messages, expected {}", body.messages, asked.messages),
        ),
        Some(_) => Failure::new(ErrorKind::Status, trailers.status_text()),
    }
}
