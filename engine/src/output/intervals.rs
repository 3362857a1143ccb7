//! The intervals of all threads, put together.

use crate::load::run_control::Interval;
use std::collections::BTreeMap;

/// Gathers each thread's intervals until they are complete.
pub struct Gatherer {
    threads: usize,
    pending: BTreeMap<u64, (usize, Interval)>,
}

impl Gatherer {
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            pending: BTreeMap::new(),
        }
    }

    /// Adds what threads have published, and returns what is complete by now, in order.
    pub fn add(&mut self, intervals: Vec<Interval>) -> Vec<Interval> {
        for interval in intervals {
            match self.pending.get_mut(&interval.index) {
                None => {
                    self.pending.insert(interval.index, (1, interval));
                }
                Some((members, sum)) => {
                    *members += 1;
                    sum.replies += interval.replies;
                    sum.errors += interval.errors;
                    sum.bytes_in += interval.bytes_in;
                    sum.latencies.merge(&interval.latencies);
                }
            }
        }
        let mut complete = Vec::new();
        while let Some(first) = self.pending.first_entry() {
            if first.get().0 < self.threads {
                break;
            }
            complete.push(first.remove().1);
        }
        complete
    }

    /// At the end: what is left, complete or not.
    pub fn rest(&mut self) -> Vec<Interval> {
        let pending = std::mem::take(&mut self.pending);
        pending
            .into_values()
            .map(|(_, interval)| interval)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Latencies;

    fn interval(index: u64, replies: u64) -> Interval {
        let mut latencies = Latencies::default();
        (0..replies).for_each(|_| latencies.record(1_000_000));
        Interval {
            index,
            replies,
            errors: 0,
            bytes_in: 0,
            latencies,
        }
    }

    #[test]
    fn an_interval_is_complete_when_every_thread_has_told_its_part() {
        let mut gatherer = Gatherer::new(2);
        assert!(gatherer
            .add(vec![interval(0, 1), interval(1, 10)])
            .is_empty());
        let complete = gatherer.add(vec![interval(0, 2)]);
        assert_eq!(complete.len(), 1);
        assert_eq!((complete[0].index, complete[0].replies), (0, 3));
        assert_eq!(complete[0].latencies.count(), 3);
        assert_eq!(gatherer.rest()[0].replies, 10);
        assert!(gatherer.rest().is_empty());
    }
}
