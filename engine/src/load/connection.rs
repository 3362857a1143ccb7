//! One connection of the load loop: its state, its slots, and what is half read or half sent.

use crate::protocol::Slot;

/// One place for a request in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct InFlight {
    pub busy: bool,
    /// Number of the request in the order of sending.
    pub sequence: u64,
    /// When it should have been sent; in closed loop when it was.
    pub due_ns: u64,
    /// When it was first sent.
    pub sent_ns: u64,
}

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
    pub slots: Box<[InFlight]>,
    /// Slots that are not busy.
    pub free: Vec<Slot>,
    /// Bytes that came and are not complete.
    pub input: Vec<u8>,
    /// Bytes that the socket would not take yet.
    pub output: Vec<u8>,
    /// The server may have lost interest: it has answered before on this connection, or the
    /// connection is older than this slice. If it closes such a connection before any byte of
    /// a reply, nobody did anything wrong.
    pub may_be_stale: bool,
    /// The peer has agreed to take requests once. Only of interest while a target is opened.
    pub was_ready: bool,
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
            slots: vec![InFlight::default(); depth as usize].into_boxed_slice(),
            free: (0..depth).rev().collect(),
            input: Vec::new(),
            output: Vec::new(),
            may_be_stale: false,
            was_ready: false,
            failures: 0,
        }
    }

    #[inline]
    pub fn is_idle(&self) -> bool {
        self.in_flight() == 0
    }

    #[inline]
    pub fn in_flight(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Frees a slot and tells what was in it.
    #[inline]
    pub fn release(&mut self, slot: Slot) -> InFlight {
        let in_flight = self.slots[slot as usize];
        self.slots[slot as usize].busy = false;
        self.free.push(slot);
        in_flight
    }

    /// Slots in flight, oldest request first. Cold path: allocates.
    pub fn busy(&self) -> Vec<Slot> {
        let mut busy: Vec<Slot> = (0..self.slots.len() as Slot)
            .filter(|&slot| self.slots[slot as usize].busy)
            .collect();
        busy.sort_by_key(|&slot| self.slots[slot as usize].sequence);
        busy
    }

    /// When to try again after one more failure: 1 ms, then twice as long each time, to 128 ms.
    pub fn back_off(&mut self, now_ns: u64) -> u64 {
        let pause = FIRST_PAUSE_NS << self.failures.min(LONGEST_PAUSE_DOUBLINGS);
        self.failures += 1;
        now_ns + pause
    }
}
