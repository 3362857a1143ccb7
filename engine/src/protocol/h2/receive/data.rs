//! DATA: bodies, and the windows that they take up.

use crate::protocol::h2::connection::{Http2Connection, CONNECTION_WINDOW, STREAM_WINDOW};
use crate::protocol::h2::exchange::{End, Exchange};
use crate::protocol::h2::frame::{self, Frame};
use crate::protocol::{Failure, Reply};

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
}
