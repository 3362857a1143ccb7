//! Requests that are streams of messages: each goes in frames of its own, when the loop lets it
//! go and as far as the server's windows allow. The last one ends the stream.

use super::connection::Http2Connection;
use super::exchange::Exchange;
use super::frame::{self, DATA, END_STREAM};
use super::rendered::RenderedRequest;
use crate::protocol::messages::{MessagePlan, Pace};
use crate::protocol::Slot;

/// How far the messages of one request have been sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outgoing {
    /// So many may go.
    allowed: u64,
    /// The first one that is not sent whole, from 0 ...
    number: u64,
    /// ... and how many of its bytes are.
    sent: usize,
    /// It waits for a window.
    is_blocked: bool,
}

impl<E: Exchange> Http2Connection<E> {
    /// Begins a request: its headers go now, its messages when they may.
    pub(super) fn begin_messages(
        &mut self,
        slot: Slot,
        run: u64,
        wire: &RenderedRequest,
        output: &mut Vec<u8>,
    ) {
        self.outgoing[slot as usize] = Outgoing::default();
        // More than is ever sent: it is not over before its last message.
        self.streams.get_mut(slot).length = usize::MAX;
        self.send_headers(slot, run, wire, output);
    }

    /// `n` more messages of the request in `slot` may go.
    pub fn let_go(&mut self, slot: Slot, n: u64, exchange: &mut E, output: &mut Vec<u8>) {
        // Over already, or a request without messages.
        if self.streams.get(slot).id == 0 || !E::HAS_MESSAGES {
            return;
        }
        let outgoing = &mut self.outgoing[slot as usize];
        outgoing.allowed += n;
        if !outgoing.is_blocked {
            self.send_messages(slot, exchange, output);
        }
    }

    /// Sends those that may go, as far as the windows allow.
    pub(super) fn send_messages(&mut self, slot: Slot, exchange: &mut E, output: &mut Vec<u8>) {
        let count = exchange.message_plan().map_or(0, |plan| plan.count);
        let stream = self.streams.get_mut(slot);
        let outgoing = &mut self.outgoing[slot as usize];
        outgoing.is_blocked = false;
        while outgoing.number < outgoing.allowed.min(count) {
            let message = exchange.message(stream.asked, outgoing.number, &mut self.scratch);
            while outgoing.sent < message.len() {
                let rest = &message[outgoing.sent..];
                let window = self.window.min(stream.window).max(0) as usize;
                let here = rest.len().min(window).min(self.peer.frame_size);
                if here == 0 {
                    outgoing.is_blocked = true;
                    self.blocked.push_back(slot);
                    return;
                }
                let is_last = here == rest.len() && outgoing.number + 1 == count;
                let flags = if is_last { END_STREAM } else { 0 };
                frame::push(DATA, flags, stream.id, &rest[..here], output);
                outgoing.sent += here;
                stream.window -= here as i64;
                self.window -= here as i64;
            }
            outgoing.sent = 0;
            outgoing.number += 1;
            exchange.sent(&mut stream.reply);
        }
        if outgoing.number == count {
            stream.length = stream.sent;
        }
    }

    /// What may explain that the reply to `slot` does not come, if it lies in its messages.
    pub fn why_late(&self, slot: Slot, plan: &MessagePlan) -> Option<&'static str> {
        let outgoing = self.outgoing.get(slot as usize)?;
        let waits = plan.pace == Pace::Answers && outgoing.number < plan.count;
        waits.then_some("a message has no reply, and the next one waits for it (--message-interval sends by the clock)")
    }
}
