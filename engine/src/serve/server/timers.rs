//! What is due when: replies that are held back, and times that the service asked for.

use crate::clock;
use crate::serve::faults::Held;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// When, in which order, and for which client of which generation.
type Timer = Reverse<(u64, u64, usize, u64)>;

/// Something whose time has come.
pub struct Due {
    /// The client's place.
    pub id: usize,
    pub generation: u64,
    /// The reply to send now; `None`: the service is to be woken.
    pub held: Option<Held>,
}

#[derive(Default)]
pub struct Timers {
    queue: BinaryHeap<Timer>,
    /// By the order of their timers.
    held: HashMap<u64, Held>,
    /// What is due at the same time keeps the order in which it came.
    order: u64,
}

impl Timers {
    pub fn next_ns(&self) -> Option<u64> {
        self.queue.peek().map(|Reverse((due_ns, ..))| *due_ns)
    }

    pub fn hold(&mut self, held: Held, id: usize, generation: u64) {
        self.wake(held.due_ns, id, generation);
        self.held.insert(self.order, held);
    }

    /// Wakes the service for a client.
    pub fn wake(&mut self, due_ns: u64, id: usize, generation: u64) {
        self.order += 1;
        self.queue
            .push(Reverse((due_ns, self.order, id, generation)));
    }

    /// Stays awake for the earliest, if it is due within so long.
    pub fn await_next(&self, within_ns: u64) {
        let Some(due_ns) = self.next_ns() else {
            return;
        };
        let mut now_ns = clock::now_ns();
        if due_ns > now_ns + within_ns {
            return;
        }
        while now_ns < due_ns {
            std::hint::spin_loop();
            now_ns = clock::now_ns();
        }
    }

    /// The earliest, if its time has come. The clock is read only where there is one.
    pub fn pop_due(&mut self) -> Option<Due> {
        if self.next_ns()? > clock::now_ns() {
            return None;
        }
        let Reverse((_, order, id, generation)) = self.queue.pop()?;
        Some(Due {
            id,
            generation,
            held: self.held.remove(&order),
        })
    }
}
