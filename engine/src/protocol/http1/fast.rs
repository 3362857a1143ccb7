//! The usual reply: right, complete in one read, with the same head as the one before it.

use super::head::Framing;
use super::{Connection, Http1};
use crate::protocol::Reply;

impl Http1 {
    /// The reply at the start of `input` and its length, if it is such a one. Everything else,
    /// right or wrong, goes the long way.
    #[inline]
    pub(super) fn usual(
        &mut self,
        connection: &mut Connection,
        input: &[u8],
    ) -> Option<(Reply, usize)> {
        let head = self.known_head?;
        let Framing::Length(length) = head.framing else {
            return None;
        };
        let may_have_body = !matches!(head.status, 100..=199 | 204 | 304);
        if !head.keep_alive || !self.keep_alive || !may_have_body {
            return None;
        }
        let end = self
            .known
            .len()
            .checked_add(usize::try_from(length).ok()?)?;
        if input.len() < end || !input.starts_with(&self.known) {
            return None;
        }
        let (slot, asked) = connection.in_flight.front()?;
        let prepared = &self.requests[asked.request as usize];
        let status_is_right = prepared.request.expect.accepts(head.status);
        let body_is_right = match &prepared.expected_body {
            None => true,
            Some(expected) => expected.constant() == Some(&input[self.known.len()..end]),
        };
        if prepared.is_head || !status_is_right || !body_is_right {
            return None;
        }
        connection.in_flight.pop();
        // The same bytes are right again, as long as there is one request with one right body.
        let is_only = self.requests.len() == 1;
        if is_only && prepared.expected_body.is_some() && self.known_reply.count_in(input, 1) == 0 {
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
