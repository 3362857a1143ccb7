//! How long the loop keeps an event waiting.

use std::collections::VecDeque;

/// Of the batches of events that were as long as they can be, and one: while such batches come one
/// after the other, an event may wait for as many of them as it takes to come to each connection once.
#[derive(Debug)]
pub struct LoopDelay {
    /// Batches that an event may wait for.
    batches: usize,
    /// When each of the last batches came, all but the last of them full.
    came_ns: VecDeque<u64>,
    was_full: bool,
}

impl LoopDelay {
    /// For so many connections, of which one batch tells `at_once` at most.
    pub fn new(connections: usize, at_once: usize) -> Self {
        let batches = connections.div_ceil(at_once).max(1);
        Self {
            batches,
            came_ns: VecDeque::with_capacity(batches + 1),
            was_full: false,
        }
    }

    /// A batch came; `is_full`: there may be more that it had no room for.
    #[inline]
    pub fn came(&mut self, now_ns: u64, is_full: bool) {
        if !self.was_full {
            self.came_ns.clear();
        } else if self.came_ns.len() == self.batches {
            self.came_ns.pop_front();
        }
        self.came_ns.push_back(now_ns);
        self.was_full = is_full;
    }

    /// The batch is done with: how long an event of it may have waited.
    #[inline]
    pub fn done(&self, now_ns: u64) -> u64 {
        let since_ns = self.came_ns.front().copied();
        since_ns.map_or(0, |since_ns| now_ns - since_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_waits_for_the_batches_before_its_own() {
        let mut delay = LoopDelay::new(1_200, 512);
        delay.came(100, true);
        assert_eq!(delay.done(150), 50);
        delay.came(150, true);
        assert_eq!(delay.done(210), 110);
        delay.came(210, true);
        assert_eq!(delay.done(250), 150);
        // The fourth: everybody has had a turn since the first.
        delay.came(250, false);
        assert_eq!(delay.done(290), 140);
        delay.came(1_000, false);
        assert_eq!(delay.done(1_010), 10);
        let mut few = LoopDelay::new(64, 512);
        few.came(0, false);
        few.came(70, false);
        assert_eq!(few.done(80), 10);
    }
}
