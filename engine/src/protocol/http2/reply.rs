//! One reply on its way in, and whether it is the one that was expected.

use super::head::{ContentLength, ReplyFields};
use crate::protocol::http::compare::Compared;
use crate::protocol::http::content::{Coding, Content};
use crate::protocol::http::Request;
use crate::protocol::{ErrorKind, Failure, Slot};

#[derive(Debug, Default)]
pub struct Reply {
    status: Option<u16>,
    length: Option<ContentLength>,
    pub coding: Coding,
    pub body: Compared,
    /// The body, where it is looked into.
    pub content: Option<Box<Content>>,
    pub slot: Slot,
}

impl Reply {
    /// Another reply is to come; the memory is kept.
    #[inline]
    pub fn clear(&mut self) {
        self.status = None;
        self.length = None;
        self.coding = Coding::None;
        self.body = Compared::default();
    }

    #[inline]
    pub fn begin(&mut self, head: &ReplyFields) {
        self.status = head.status;
        self.length = head.content_length;
        self.coding = head.coding;
    }

    /// Status, and what is wrong with the reply, which is complete.
    #[inline]
    pub fn judge(&self, request: &Request, expected: Option<&[u8]>) -> (u16, Option<Failure>) {
        let Some(status) = self.status else {
            return (u16::MAX, Some(Failure::protocol("a reply without :status")));
        };
        let failure = self
            .unframed(request, status)
            .or_else(|| request.expect.judge(status))
            .or_else(|| {
                let expected = expected?;
                let explain = || Failure::new(ErrorKind::Body, self.body.explain(expected));
                (!self.body.is(expected)).then(explain)
            });
        (status, failure)
    }

    /// A length that is not the body's, RFC 9113 section 8.1.1. Replies to HEAD and 304 tell
    /// the length of a body that does not come.
    #[inline]
    fn unframed(&self, request: &Request, status: u16) -> Option<Failure> {
        let came = self.body.seen();
        let told = match self.length? {
            ContentLength::Wrong => {
                return Some(Failure::protocol("a content-length that is no length"))
            }
            ContentLength::Bytes(told) => told,
        };
        if told == came || (came == 0 && (request.method == "HEAD" || status == 304)) {
            return None;
        }
        Some(Failure::protocol(format!(
            "a body of {came} bytes, its content-length says {told}"
        )))
    }
}
