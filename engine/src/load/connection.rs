//! One connection of the load loop: its state, its slots, and what is half read or half sent.

use super::slots::Slots;
use crate::net::send_buffer::SendBuffer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// To be opened again not before this time.
    Closed {
        retry_at_ns: u64,
    },
    Connecting {
        since_ns: u64,
    },
    Open,
}

pub struct Connection<C> {
    pub state: State,
    /// The protocol's own state; there is one while `state` is `Open`.
    pub protocol: Option<C>,
    pub slots: Slots,
    /// Bytes that came and are not complete.
    pub input: Vec<u8>,
    /// Bytes that the socket would not take yet.
    pub unsent: SendBuffer,
    /// The server has answered on this connection before, or the connection is older than the run.
    pub was_of_use: bool,
    /// Nothing has come since the connection was idle: the server may have lost interest. If it
    /// closes such a connection, nobody did anything wrong.
    pub may_be_stale: bool,
    /// When the last reply came.
    pub answered_ns: u64,
    /// The peer has agreed to take requests once. Only of interest while a target is opened.
    pub was_ready: bool,
    /// Bytes of acknowledgements and the like that wait behind others.
    pub chatter: usize,
    /// Failures in a row, for the back-off.
    pub failures: u32,
}

/// First and longest pause before a connection is opened again after a failure.
const FIRST_PAUSE_NS: u64 = 1_000_000;
const LONGEST_PAUSE_DOUBLINGS: u32 = 7;

impl<C> Connection<C> {
    pub fn new(depth: u32) -> Self {
        Self {
            state: State::Closed { retry_at_ns: 0 },
            protocol: None,
            slots: Slots::new(depth),
            input: Vec::new(),
            unsent: SendBuffer::default(),
            was_of_use: false,
            may_be_stale: false,
            answered_ns: 0,
            chatter: 0,
            was_ready: false,
            failures: 0,
        }
    }

    #[inline]
    pub fn is_idle(&self) -> bool {
        self.slots.in_flight() == 0
    }

    /// When to try again after one more failure: 1 ms, then twice as long each time, to 128 ms.
    pub fn back_off(&mut self, now_ns: u64) -> u64 {
        let pause = FIRST_PAUSE_NS << self.failures.min(LONGEST_PAUSE_DOUBLINGS);
        self.failures += 1;
        now_ns + pause
    }
}
