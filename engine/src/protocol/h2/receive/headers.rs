//! HEADERS and CONTINUATION: where replies begin and, with trailers, where they end.

use crate::protocol::h2::cached_block::HeaderFields;
use crate::protocol::h2::connection::Http2Connection;
use crate::protocol::h2::exchange::{End, Exchange};
use crate::protocol::h2::frame::{self, Frame};
use crate::protocol::{Failure, Reply};

impl<E: Exchange> Http2Connection<E> {
    #[inline]
    pub(super) fn headers(
        &mut self,
        frame: &Frame,
        exchange: &mut E,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let content = frame.content()?;
        if frame.has(frame::END_HEADERS) {
            return self.block(frame, frame.flags, content, exchange, output, replies);
        }
        self.block = Some((frame.stream, frame.flags));
        self.block_bytes.clear();
        self.block_bytes.extend_from_slice(content);
        Ok(())
    }

    pub(super) fn continuation(
        &mut self,
        frame: &Frame,
        exchange: &mut E,
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<(), Failure> {
        let Some((_, flags)) = self.block.filter(|(stream, _)| *stream == frame.stream) else {
            return Err(Failure::protocol("a CONTINUATION of nothing"));
        };
        if self.block_bytes.len() + frame.payload.len() > frame::LONGEST_BLOCK {
            return Err(Failure::protocol("a header block of over 64 KiB"));
        }
        self.block_bytes.extend_from_slice(frame.payload);
        if !frame.has(frame::END_HEADERS) {
            return Ok(());
        }
        self.block = None;
        let bytes = std::mem::take(&mut self.block_bytes);
        let done = self.block(frame, flags, &bytes, exchange, output, replies);
        self.block_bytes = bytes;
        done
    }

    /// A whole header block: the begin of a reply, its trailers, or all of it.
    #[inline]
    fn block(
        &mut self,
        frame: &Frame,
        flags: u8,
        block: &[u8],
        exchange: &mut E,
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
        let (head, rules) = known.head(block, &mut self.decoder)?;
        let Some(slot) = slot else {
            return Ok(());
        };
        let stream = self.streams.get_mut(slot);
        let wrong = if stream.has_head {
            let goes_on = (!is_last).then_some("headers in the middle of a reply");
            goes_on.or(rules.wrong_trailers())
        } else {
            rules.wrong_head().or(match head.http_status() {
                Some(101) => Some("101 Switching Protocols, which HTTP/2 does not have"),
                Some(100..=199) if is_last => Some("an informational reply that ends the stream"),
                _ => None,
            })
        };
        if let Some(why) = wrong {
            // RFC 9113 section 8.1.1: an error of this stream alone.
            if !is_last || stream.sent < stream.length {
                frame::push_reset(stream.id, frame::PROTOCOL_ERROR, output);
            }
            self.fail(slot, Failure::protocol(why), replies);
            return Ok(());
        }
        if is_last {
            let end = if stream.has_head {
                End::Trailers(head)
            } else {
                End::Head(head)
            };
            let verdict = exchange.end(stream.asked, &mut stream.reply, end);
            self.complete(slot, verdict, output, replies);
            return Ok(());
        }
        // Informational replies (1xx) come before the one that counts.
        if head.http_status().is_some_and(|status| status < 200) {
            return Ok(());
        }
        stream.has_head = true;
        stream.failure = exchange.head(stream.asked, &mut stream.reply, head);
        if E::HAS_MESSAGES && stream.failure.is_some() {
            self.give_up(slot, output, replies);
        }
        Ok(())
    }
}
