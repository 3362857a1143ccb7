//! WINDOW_UPDATE, RST_STREAM, GOAWAY.

use crate::protocol::h2::connection::Http2Connection;
use crate::protocol::h2::exchange::Exchange;
use crate::protocol::h2::frame::{self, code_name, Frame, LARGEST_WINDOW};
use crate::protocol::{Failure, Reply, Slot};

impl<E: Exchange> Http2Connection<E> {
    pub(super) fn window_update(
        &mut self,
        frame: &Frame,
        exchange: &mut E,
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
            self.unblock(exchange, output);
        }
        Ok(())
    }

    pub(super) fn reset(
        &mut self,
        frame: &Frame,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let code = frame.number()?;
        if let Some(slot) = self.slot(frame)? {
            let failure = Failure::protocol(format!("RST_STREAM: {}", code_name(code)));
            self.fail(slot, failure, replies);
        }
        Ok(())
    }

    /// Requests beyond the last stream that it names were not looked at, and may be sent again
    /// (RFC 9113 section 6.8): so they are where the server is content. Where it complains they
    /// fail, as what it complains about is to be heard of.
    #[cold]
    pub(super) fn goaway(
        &mut self,
        frame: &Frame,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let Some((&[a, b, c, d, e, f, g, h], text)) = frame.payload.split_first_chunk() else {
            return Err(Failure::protocol("a GOAWAY that is too short"));
        };
        if frame.stream != 0 {
            return Err(Failure::protocol("a GOAWAY of a stream"));
        }
        self.is_draining = true;
        let last = u32::from_be_bytes([a, b, c, d]) & frame::LAST_STREAM;
        let code = u32::from_be_bytes([e, f, g, h]);
        let text: String = String::from_utf8_lossy(text).chars().take(100).collect();
        let lost: Vec<Slot> = self.streams.open().collect();
        for slot in lost {
            if self.streams.get(slot).id <= last {
                continue;
            }
            if code == frame::NO_ERROR {
                self.end(slot);
                self.unprocessed.push(slot);
            } else {
                let name = code_name(code);
                let message = format!("GOAWAY: {name} {text}: the request was not taken");
                self.fail(slot, Failure::protocol(message), replies);
            }
        }
        Ok(())
    }
}
