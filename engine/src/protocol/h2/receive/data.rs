//! DATA: bodies, and the windows that they take up.

use crate::protocol::h2::connection::{Http2Connection, CONNECTION_WINDOW, STREAM_WINDOW};
use crate::protocol::h2::exchange::{End, Exchange};
use crate::protocol::h2::frame::{self, Frame};
use crate::protocol::{Failure, Reply, Slot};

impl<E: Exchange> Http2Connection<E> {
    #[inline]
    pub(super) fn data(
        &mut self,
        frame: &Frame,
        exchange: &mut E,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        // Padding counts too, and so does what comes for a stream that is over.
        let length = frame.payload.len() as u32;
        self.consumed += length;
        if self.consumed + self.promised > CONNECTION_WINDOW {
            return Err(Failure::protocol(format!(
                "FLOW_CONTROL_ERROR: more DATA than the connection's window of {CONNECTION_WINDOW} bytes"
            )));
        }
        if self.consumed > CONNECTION_WINDOW / 2 {
            frame::push_window_update(0, self.consumed, output);
            self.promised += self.consumed;
            self.promises_end = output.len();
            self.consumed = 0;
        }
        let content = frame.content()?;
        let Some(slot) = self.slot(frame)? else {
            return Ok(());
        };
        let stream = self.streams.get_mut(slot);
        stream.consumed += length;
        let is_last = frame.has(frame::END_STREAM);
        if stream.promised > 0 && self.round == stream.promised_in {
            if stream.consumed + stream.promised > STREAM_WINDOW {
                return self.overrun(slot, is_last, output, replies);
            }
        } else {
            stream.promised = 0;
        }
        if stream.consumed > STREAM_WINDOW / 2 && !is_last {
            frame::push_window_update(stream.id, stream.consumed, output);
            stream.promised += stream.consumed;
            stream.promised_in = self.round;
            self.promises_end = output.len();
            stream.consumed = 0;
        }
        if stream.failure.is_none() {
            stream.failure = if stream.has_head {
                exchange
                    .data(stream.asked, &mut stream.reply, content)
                    .err()
            } else {
                Some(Failure::protocol("a body before any headers"))
            };
        }
        if is_last {
            let verdict = exchange.end(stream.asked, &mut stream.reply, End::Data);
            self.complete(slot, verdict, output, replies);
        } else if E::HAS_MESSAGES && stream.failure.is_some() {
            self.give_up(slot, output, replies);
        }
        Ok(())
    }

    /// The server sent more than the stream's window lets it: an error of this stream alone (RFC 9113
    /// section 6.9).
    #[cold]
    fn overrun(
        &mut self,
        slot: Slot,
        is_last: bool,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let stream = self.streams.get(slot);
        if !is_last || stream.sent < stream.length {
            frame::push_reset(stream.id, frame::FLOW_CONTROL_ERROR, output);
        }
        let message = format!(
            "FLOW_CONTROL_ERROR: more DATA than the stream's window of {STREAM_WINDOW} bytes"
        );
        self.fail(slot, Failure::protocol(message), replies);
        Ok(())
    }
}
