//! The places for requests in flight on one connection.

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
    /// Where requests are counted apart: with which of them this one is.
    pub group: u32,
}

/// As many places as requests may be in flight at once.
pub struct Slots {
    all: Box<[InFlight]>,
    /// Those that are not busy.
    free: Vec<Slot>,
}

impl Slots {
    pub fn new(depth: u32) -> Self {
        Self {
            all: vec![InFlight::default(); depth as usize].into_boxed_slice(),
            free: (0..depth).rev().collect(),
        }
    }

    #[inline]
    pub fn get(&self, slot: Slot) -> &InFlight {
        &self.all[slot as usize]
    }

    #[inline]
    pub fn free(&self) -> usize {
        self.free.len()
    }

    #[inline]
    pub fn in_flight(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// The free slots that [`Self::occupy`] takes next, `most` at most.
    #[inline]
    pub fn next_free(&self, most: usize) -> impl ExactSizeIterator<Item = Slot> + '_ {
        self.free.iter().rev().take(most).copied()
    }

    /// Puts `n` requests with the numbers from `first` on into the next free slots.
    #[inline]
    pub fn occupy(&mut self, n: usize, first: u64, due_ns: u64, sent_ns: u64) {
        let kept = self.free.len() - n;
        for (&slot, sequence) in self.free[kept..].iter().rev().zip(first..) {
            let in_flight = &mut self.all[slot as usize];
            in_flight.busy = true;
            in_flight.sequence = sequence;
            in_flight.due_ns = due_ns;
            in_flight.sent_ns = sent_ns;
        }
        self.free.truncate(kept);
    }

    /// Says of the `n` requests that [`Self::occupy`] is about to put in which group each is.
    pub fn group(&mut self, n: usize, first: u64, group_of: impl Fn(u64) -> u32) {
        for (&slot, sequence) in self.free.iter().rev().take(n).zip(first..) {
            self.all[slot as usize].group = group_of(sequence);
        }
    }

    /// Frees a slot; what was in it.
    #[inline]
    pub fn release(&mut self, slot: Slot) -> &InFlight {
        let in_flight = &mut self.all[slot as usize];
        in_flight.busy = false;
        self.free.push(slot);
        in_flight
    }

    /// Slots in flight, oldest request first. Cold path: allocates.
    pub fn busy(&self) -> Vec<Slot> {
        let mut busy: Vec<Slot> = (0..self.all.len() as Slot)
            .filter(|&slot| self.get(slot).busy)
            .collect();
        busy.sort_by_key(|&slot| self.get(slot).sequence);
        busy
    }

    /// When the first of the requests in flight was sent; `None` if there is none.
    pub fn oldest_ns(&self) -> Option<u64> {
        let busy = self.all.iter().filter(|slot| slot.busy);
        busy.map(|slot| slot.sent_ns).min()
    }
}
