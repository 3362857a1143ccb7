//! What a protocol has to say so that the load loop can drive it.
//!
//! A protocol turns requests into bytes and bytes into replies. It does no I/O, reads no clock
//! and keeps no statistics: the worker in [`crate::load`] owns the sockets, the slots, the
//! time and the metrics. One file (or folder) a protocol, and one arm in [`crate::target::open`].

pub mod asked;
pub mod grpc;
pub mod h2;
pub mod http;
pub mod http1;
pub mod http2;
pub mod in_order;
pub mod marks;
pub mod messages;
pub mod redis;
pub mod repeated;
pub mod websocket;

use self::h2::counts::Http2Counts;
use self::marks::Marks;
use self::messages::MessagePlan;
use self::websocket::Asides;

/// A request in flight, as the loop numbers them: `0..depth` within one connection.
pub type Slot = u32;

/// What is wrong with a reply. The names are those of docs/engine-protocol.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The reply says no: another status than expected.
    Status,
    /// The reply's body or message is not the one expected.
    Body,
    /// What came is not the protocol, or ended in the middle.
    Protocol,
    /// No reply in time.
    Timeout,
    /// No connection.
    Connect,
}

/// Why a request failed; small, as every reply and every stream has room for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: ErrorKind,
    pub details: Box<Details>,
}

/// What is made on the cold path only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub message: String,
    /// The assertions that failed, by their place among those of the run.
    pub assertions: Vec<u32>,
}

impl Failure {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            details: Box::new(Details {
                message: message.into(),
                ..Details::default()
            }),
        }
    }

    /// The same, because of these assertions.
    #[must_use]
    pub fn of_assertions(mut self, numbers: impl IntoIterator<Item = u32>) -> Self {
        self.details.assertions = numbers.into_iter().collect();
        self
    }

    pub fn protocol(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Protocol, message)
    }
}

/// A complete reply to the request in `slot`.
#[derive(Debug)]
pub struct Reply {
    pub slot: Slot,
    /// The protocol's own status (HTTP status, grpc-status, 0 or 1 for Redis), for the summary.
    pub status: u16,
    /// `None`: it is the reply that was expected.
    pub failure: Option<Failure>,
}

/// One application protocol.
///
/// Calls for one connection come in this order: `connect`, then any mixture of `request`
/// (only while `room` is above 0) and `receive`, at last `closed` if the peer closed it. After
/// a reconnect all starts again with `connect`, and the requests that were not answered are
/// given again with their old slots.
pub trait Protocol {
    /// What one connection remembers between two calls.
    type Connection;

    /// Whether [`Protocol::asides`] and [`Protocol::goodbye`] are asked; for other protocols they
    /// are no work at all.
    const HAS_ASIDES: bool = false;

    /// Whether requests are streams of messages, which [`Protocol::let_go`] sends one by one; for
    /// other protocols they are no work at all.
    const HAS_MESSAGES: bool = false;

    /// What requests are drawn by in the run that begins, where they are drawn at random.
    fn seed(&mut self, _seed: u64) {}

    /// Rows that are used once are shared out: this is worker number `worker` of `workers`.
    fn share_rows(&mut self, _worker: u64, _workers: u64) {}

    /// A new token for the run that begins: render now whatever can be rendered once.
    fn prepare(&mut self, token: &str);

    /// Which of several requests number `sequence` is: its index among those of the run.
    fn request_of(&self, _sequence: u64) -> u32 {
        0
    }

    /// State for a fresh connection; whatever has to be sent first (an HTTP/2 preface, AUTH)
    /// goes to `output`. `depth` is the number of slots, all of which may be in flight at once.
    fn connect(&mut self, depth: u32, output: &mut Vec<u8>) -> Self::Connection;

    /// False while the peer has yet to agree (AUTH, SETTINGS). Requests may be sent before.
    fn ready(&self, _connection: &Self::Connection) -> bool {
        true
    }

    /// How many more requests this connection may take just now, beyond those in flight.
    /// The loop never has more than `depth` in flight, so `u32::MAX` is a fine answer.
    fn room(&self, connection: &Self::Connection) -> u32;

    /// True once the connection takes no more requests (`Connection: close`, GOAWAY): the loop
    /// replaces it when nothing is in flight on it any more but what is `unprocessed`.
    fn is_draining(&self, connection: &Self::Connection) -> bool;

    /// Requests in flight, in no order, that the peer of a `draining` connection said it has not
    /// looked at (GOAWAY). They are sent again on the connection that replaces it.
    fn unprocessed<'a>(&self, _connection: &'a Self::Connection) -> &'a [Slot] {
        &[]
    }

    /// Appends request number `sequence` to `output`. Its reply must name `slot`.
    fn request(
        &mut self,
        connection: &mut Self::Connection,
        slot: Slot,
        sequence: u64,
        output: &mut Vec<u8>,
    );

    /// Appends requests number `first` and on, one for each of `slots` in this order, and
    /// returns how many. Fewer than there are slots is fine, none is not: it is called again
    /// while there is [`Protocol::room`].
    #[inline]
    fn request_many(
        &mut self,
        connection: &mut Self::Connection,
        slots: impl ExactSizeIterator<Item = Slot>,
        first: u64,
        output: &mut Vec<u8>,
    ) -> usize {
        self.request_first(connection, slots, first, output)
    }

    /// Appends the first of them alone; how many there were, 1 or 0.
    #[inline]
    fn request_first(
        &mut self,
        connection: &mut Self::Connection,
        mut slots: impl Iterator<Item = Slot>,
        first: u64,
        output: &mut Vec<u8>,
    ) -> usize {
        match slots.next() {
            Some(slot) => {
                self.request(connection, slot, first, output);
                1
            }
            None => 0,
        }
    }

    /// How requests are streams of messages, if they are.
    fn message_plan(&self) -> Option<MessagePlan> {
        None
    }

    /// `n` more messages of the request in `slot` may go: appends them, as far as the peer takes
    /// them now. The others follow as soon as it does.
    fn let_go(
        &mut self,
        _connection: &mut Self::Connection,
        _slot: Slot,
        _n: u64,
        _output: &mut Vec<u8>,
    ) {
    }

    /// A quick look before [`Protocol::receive`]: takes the replies at the start of `input` that
    /// are, byte for byte, what a right reply was before, gives each one's slot and status to
    /// `right`, and returns how many bytes these were. What is left is for `receive`.
    #[inline]
    fn match_cached(
        &mut self,
        _connection: &mut Self::Connection,
        _input: &[u8],
        _right: &mut impl FnMut(Slot, u16),
    ) -> usize {
        0
    }

    /// Takes bytes that came. Returns how many were used up: what is left is given again,
    /// with more behind it, so it has to be bounded (a header, never a whole body of any size).
    /// Every complete reply goes to `replies`; protocol chatter (acknowledgements, window
    /// updates) goes to `output`. After an `Err` the connection is closed.
    fn receive(
        &mut self,
        connection: &mut Self::Connection,
        input: &[u8],
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<usize, Failure>;

    /// How many of the bytes that the last `receive` appended belong to requests: what had to wait
    /// for the peer and may go now.
    #[inline]
    fn resumed(&mut self, _connection: &mut Self::Connection) -> usize {
        0
    }

    /// The peer closed its side. A reply that ends just there goes to `replies`.
    fn closed(&mut self, _connection: &mut Self::Connection, _replies: &mut impl FnMut(Reply)) {}

    /// What came of replies that are streams since this was asked last, all at one time.
    fn marks(&mut self) -> Option<&mut Marks> {
        None
    }

    /// What is told beside requests and replies, of the connection in hand since this was asked last.
    fn asides(&mut self) -> Asides {
        Asides::default()
    }

    /// The connection is about to be closed by us: appends what is said before.
    fn goodbye(&mut self, _connection: &mut Self::Connection, _output: &mut Vec<u8>) {}

    /// Whether any byte of the reply to `slot` has come; `unused` is the number of bytes that
    /// `receive` left. A request whose reply has not begun is sent again on a new connection.
    fn begun(&self, connection: &Self::Connection, slot: Slot, unused: usize) -> bool;

    /// Whether the request in `slot` may be sent twice without harm (RFC 9110, section 9.2.2). One
    /// that may not fails with its connection, unless the peer said that it has not looked at it.
    fn may_repeat(&self, _connection: &Self::Connection, _slot: Slot) -> bool {
        false
    }

    /// What may explain that the reply to `slot` does not come, if the protocol knows.
    fn why_late(&self, _connection: &Self::Connection, _slot: Slot) -> Option<&'static str> {
        None
    }

    /// Gives up on one request without closing the connection (RST_STREAM), if it can.
    fn abandon(
        &mut self,
        _connection: &mut Self::Connection,
        _slot: Slot,
        _output: &mut Vec<u8>,
    ) -> bool {
        false
    }

    /// What was counted over all connections since `prepare`, if the protocol counts anything.
    fn counters(&self) -> Option<Counters> {
        None
    }
}

/// What a protocol counts beside requests and replies; the loop passes it on unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    Http2(Http2Counts),
}

impl Counters {
    /// Takes in those of another worker on the same target.
    pub fn add(&mut self, other: &Self) {
        match (self, other) {
            (Self::Http2(sum), Self::Http2(more)) => sum.add(more),
        }
    }
}
