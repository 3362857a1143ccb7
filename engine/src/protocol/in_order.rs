//! For protocols whose replies come in the order of their requests.

use super::Slot;
use std::collections::VecDeque;

/// What is in flight on one connection, oldest first, each with what is remembered of it. It
/// never grows after it was made.
#[derive(Debug)]
pub struct InOrder<T>(VecDeque<(Slot, T)>);

impl<T: Copy> InOrder<T> {
    /// For `depth` requests at most.
    pub fn new(depth: u32) -> Self {
        Self(VecDeque::with_capacity(depth as usize))
    }

    /// Adds the newest request.
    #[inline]
    pub fn push(&mut self, slot: Slot, what: T) {
        self.0.push_back((slot, what));
    }

    /// The oldest request, whose reply comes next.
    #[inline]
    pub fn front(&self) -> Option<(Slot, T)> {
        self.0.front().copied()
    }

    /// Whether the reply that comes next is that of `slot`.
    pub fn is_next(&self, slot: Slot) -> bool {
        self.front().is_some_and(|(front, _)| front == slot)
    }

    /// What is remembered of the request in `slot`.
    pub fn find(&self, slot: Slot) -> Option<T> {
        let found = self.0.iter().find(|(other, _)| *other == slot);
        found.map(|(_, what)| *what)
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(Slot, T)> {
        self.0.pop_front()
    }

    /// Takes the oldest `n` requests off, or all if there are fewer, and gives each to `each`.
    #[inline]
    pub fn pop_many(&mut self, n: usize, mut each: impl FnMut(Slot, T)) {
        let n = n.min(self.0.len());
        self.0.drain(..n).for_each(|(slot, what)| each(slot, what));
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
