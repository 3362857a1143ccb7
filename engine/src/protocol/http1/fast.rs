//! The usual reply: right, complete in one read, with a head like the one before it.

use super::head::Framing;
use super::rendered::Expected;
use super::{Http1, Http1Connection};
use crate::protocol::Reply;

impl Http1 {
    /// The reply at the start of `input` and its length, if it is such a one. Everything else,
    /// right or wrong, goes the long way.
    #[inline]
    pub(super) fn usual(
        &mut self,
        connection: &mut Http1Connection,
        input: &[u8],
    ) -> Option<(Reply, usize)> {
        let (slot, asked) = connection.in_flight.front()?;
        let alike = self.known[self.rendered.head_place(asked.request)].alike(input)?;
        let head = alike.head;
        let Framing::Length(length) = head.framing else {
            return None;
        };
        let may_have_body = !matches!(head.status, 100..=199 | 204 | 304);
        if !head.keep_alive || !self.keep_alive || !may_have_body {
            return None;
        }
        let from = head.len;
        let end = from.checked_add(usize::try_from(length).ok()?)?;
        if input.len() < end {
            return None;
        }
        let traits = self.traits[asked.request as usize];
        let (body_is_right, is_known) = match self.rendered.expected(asked.request) {
            Expected::Any => (true, false),
            Expected::Constant(expected) => (*expected == input[from..end], true),
            Expected::Varies => return None,
        };
        if traits.is_head || !traits.accept(head.status) || !body_is_right {
            return None;
        }
        let is_known = match traits.is_looked_into {
            true if self.inspection.is_of_streams() => return None,
            true => {
                let body = &input[from..end];
                self.inspection.hold_of(asked, head.coding, body)?
            }
            false => is_known,
        };
        connection.in_flight.pop();
        // The same bytes are right again, as long as there is one request with one right body.
        let is_only = self.requests.len() == 1;
        if is_only && is_known && alike.is_same && self.known_reply.count_in(input, 1) == 0 {
            self.known_reply.set(&input[..end]);
            self.known_status = head.status;
        }
        let reply = Reply {
            slot,
            status: head.status,
            failure: None,
        };
        Some((reply, end))
    }
}
