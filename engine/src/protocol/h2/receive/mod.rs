//! One HTTP/2 connection as a client sees it: what comes in.

mod control;
mod data;
mod headers;
mod settings;

use super::connection::Http2Connection;
use super::exchange::Exchange;
use super::frame::{self, Frame};
use super::hpack::Undecodable;
use crate::protocol::{Failure, Reply, Slot};

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

impl<E: Exchange> Http2Connection<E> {
    #[inline]
    pub fn frame(
        &mut self,
        frame: &Frame,
        exchange: &mut E,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        if self.block.is_some() && frame.kind != frame::CONTINUATION {
            return Err(Failure::protocol("a header block that does not go on"));
        }
        match frame.kind {
            frame::DATA => self.data(frame, exchange, output, replies),
            frame::HEADERS => self.headers(frame, exchange, output, replies),
            _ => self.control(frame, exchange, output, replies),
        }
    }

    /// Everything that requests seldom need.
    fn control(
        &mut self,
        frame: &Frame,
        exchange: &mut E,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        match frame.kind {
            frame::CONTINUATION => self.continuation(frame, exchange, output, replies),
            frame::SETTINGS => self.settings(frame, exchange, output),
            frame::WINDOW_UPDATE => self.window_update(frame, exchange, output),
            frame::RST_STREAM => self.reset(frame, replies),
            frame::GOAWAY => self.goaway(frame, replies),
            frame::PING => ping(frame, output),
            // An error of a stream may be taken as one of the connection, RFC 9113 section 5.4.2.
            frame::PRIORITY if frame.stream == 0 || frame.payload.len() != 5 => {
                Err(Failure::protocol("a PRIORITY of a wrong form"))
            }
            frame::PUSH_PROMISE => Err(Failure::protocol("a push that was forbidden")),
            // Unknown frames are no errors, RFC 9113 section 4.1.
            _ => Ok(()),
        }
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

    /// A request ends without a reply.
    fn fail(&mut self, slot: Slot, failure: Failure, replies: &mut impl FnMut(Reply)) {
        self.end(slot);
        replies(Reply {
            slot,
            status: u16::MAX,
            failure: Some(failure),
        });
    }

    /// Ends a request whose reply is known to be wrong: a server that waits for the next message
    /// might never end it.
    #[cold]
    fn give_up(&mut self, slot: Slot, output: &mut Vec<u8>, replies: &mut impl FnMut(Reply)) {
        let stream = self.streams.get_mut(slot);
        if let Some(failure) = stream.failure.take() {
            frame::push_reset(stream.id, frame::CANCEL, output);
            self.fail(slot, failure, replies);
        }
    }

    /// A reply is complete.
    #[inline]
    fn complete(
        &mut self,
        slot: Slot,
        (status, failure): (u16, Option<Failure>),
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) {
        let stream = self.streams.get_mut(slot);
        let failure = stream.failure.take().or(failure);
        if stream.sent < stream.length {
            // It has answered before it has heard all: the rest will not come.
            frame::push_reset(stream.id, frame::CANCEL, output);
        }
        self.end(slot);
        replies(Reply {
            slot,
            status,
            failure,
        });
    }
}

fn ping(frame: &Frame, output: &mut Vec<u8>) -> Result<(), Failure> {
    if frame.payload.len() != 8 || frame.stream != 0 {
        return Err(Failure::protocol("a PING of a stream, or not of 8 bytes"));
    }
    if !frame.has(frame::ACK) {
        frame::push(frame::PING, frame::ACK, 0, frame.payload, output);
    }
    Ok(())
}
