//! What a protocol over HTTP/2 has to say of its requests and of what answers them.

use super::cached_block::HeaderFields;
use super::rendered::RenderedRequest;
use crate::protocol::asked::Asked;
use crate::protocol::marks::Marks;
use crate::protocol::messages::MessagePlan;
use crate::protocol::{Failure, Slot};

/// How a stream has ended.
pub enum End<'a, H> {
    /// With a DATA frame.
    Data,
    /// With a header block behind the one that began the reply.
    Trailers(&'a H),
    /// With the header block that began it.
    Head(&'a H),
}

/// Requests, and the judgement of what answers them: the part of a client that is not HTTP/2.
pub trait Exchange {
    /// What is remembered of a reply while it comes in.
    type Reply: Default;
    type Fields: HeaderFields;

    /// Whether requests are streams of messages, by [`Exchange::message_plan`], instead of headers
    /// and a payload.
    const HAS_MESSAGES: bool = false;

    /// What requests are drawn by, where they are drawn at random.
    fn seed(&mut self, _seed: u64) {}

    /// Rows that are used once are shared out: this is worker number `worker` of `workers`.
    fn share_rows(&mut self, _worker: u64, _workers: u64) {}

    /// A new token for the run that begins: render now whatever can be rendered once.
    fn prepare(&mut self, token: &str);

    /// The requests as they were rendered last.
    fn wires(&self) -> &[RenderedRequest];

    /// Which of them request number `sequence` is.
    fn pick(&self, sequence: u64) -> u32;

    /// How requests are streams of messages, if they are.
    fn message_plan(&self) -> Option<MessagePlan> {
        None
    }

    /// Message number `number` of a request, from 0; in `scratch` if it varies.
    fn message<'a>(&'a self, _asked: Asked, _number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        scratch
    }

    /// One more message of a request is sent, whole.
    fn sent(&mut self, _reply: &mut Self::Reply) {}

    /// A request is on its way; what is remembered of an older reply is no longer needed.
    fn begin(&mut self, slot: Slot, reply: &mut Self::Reply);

    /// What came of replies that are streams since this was asked last.
    fn marks(&mut self) -> Option<&mut Marks> {
        None
    }

    /// A reply has begun, and goes on. What is wrong with it is told when it has ended.
    fn head(
        &mut self,
        asked: Asked,
        reply: &mut Self::Reply,
        head: &Self::Fields,
    ) -> Option<Failure>;

    /// A piece of the reply's body.
    ///
    /// # Errors
    /// What the request is to fail with when the reply has ended.
    fn data(
        &mut self,
        asked: Asked,
        reply: &mut Self::Reply,
        content: &[u8],
    ) -> Result<(), Failure>;

    /// The reply is complete: its status, and what is wrong with it.
    fn end(
        &mut self,
        asked: Asked,
        reply: &mut Self::Reply,
        end: End<'_, Self::Fields>,
    ) -> (u16, Option<Failure>);
}
