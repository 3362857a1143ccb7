//! For protocols whose replies come in the order of their requests.

use super::Slot;

/// A ring of what is in flight on one connection, oldest first. Never grows after it was made.
#[derive(Debug)]
pub struct InOrder<T> {
    ring: Box<[(Slot, T)]>,
    head: usize,
    len: usize,
}

impl<T: Copy + Default> InOrder<T> {
    pub fn new(depth: u32) -> Self {
        Self {
            ring: vec![(0, T::default()); depth as usize].into_boxed_slice(),
            head: 0,
            len: 0,
        }
    }

    /// Adds the newest request. The loop never has more than `depth` in flight.
    #[inline]
    pub fn push(&mut self, slot: Slot, what: T) {
        assert!(self.len < self.ring.len(), "more in flight than slots");
        let mut at = self.head + self.len;
        if at >= self.ring.len() {
            at -= self.ring.len();
        }
        self.ring[at] = (slot, what);
        self.len += 1;
    }

    /// The oldest request, whose reply comes next.
    #[inline]
    pub fn front(&self) -> Option<(Slot, T)> {
        (self.len > 0).then(|| self.ring[self.head])
    }

    /// Whether the reply that comes next is that of `slot`.
    pub fn is_next(&self, slot: Slot) -> bool {
        self.front().is_some_and(|(front, _)| front == slot)
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(Slot, T)> {
        let front = self.front()?;
        self.head += 1;
        if self.head == self.ring.len() {
            self.head = 0;
        }
        self.len -= 1;
        Some(front)
    }

    /// Takes the oldest `n` requests off, or all if there are fewer, and gives each to `each`.
    #[inline]
    pub fn pop_many(&mut self, n: usize, mut each: impl FnMut(Slot, T)) {
        let n = n.min(self.len);
        // In a ring they are one stretch or two.
        let (before, after) = self.ring.split_at(self.head);
        let first = n.min(after.len());
        for &(slot, what) in after[..first].iter().chain(&before[..n - first]) {
            each(slot, what);
        }
        self.len -= n;
        self.head += n;
        if self.head >= self.ring.len() {
            self.head -= self.ring.len();
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_is_a_queue(steps in prop::collection::vec(0usize..8, 0..200)) {
            let mut ring = InOrder::new(4);
            let mut model = VecDeque::new();
            for (i, step) in steps.into_iter().enumerate() {
                match step {
                    // As many pushes as pops, so that the ring is full and empty now and then.
                    0..4 if model.len() < 4 => {
                        ring.push(i as u32, i);
                        model.push_back((i as u32, i));
                    }
                    0..4 => {}
                    4 | 5 => prop_assert_eq!(ring.pop(), model.pop_front()),
                    _ => {
                        let n = step - 4;
                        let mut popped = Vec::new();
                        ring.pop_many(n, |slot, what| popped.push((slot, what)));
                        let expected: Vec<_> = model.drain(..n.min(model.len())).collect();
                        prop_assert_eq!(popped, expected);
                    }
                }
                prop_assert_eq!(ring.front(), model.front().copied());
                prop_assert_eq!(ring.len(), model.len());
            }
        }
    }
}
