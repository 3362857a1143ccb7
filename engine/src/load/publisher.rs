//! What a watcher of a run is told, an interval after the other.

use super::metrics::Metrics;
use super::run_control::{Interval, RunControl};

/// How far the watcher has been told; nothing is where nobody watches.
#[derive(Clone, Debug)]
pub struct Publisher {
    interval_ns: u64,
    next_ns: u64,
    index: u64,
    replies: u64,
    errors: u64,
    bytes_in: u64,
}

impl Publisher {
    /// Before the counted part of a run; `interval_ns` is 0 if nobody watches.
    pub fn new(interval_ns: u64) -> Self {
        Self {
            interval_ns,
            next_ns: u64::MAX,
            index: 0,
            replies: 0,
            errors: 0,
            bytes_in: 0,
        }
    }

    /// The counted part begins.
    pub fn begin(&mut self, now_ns: u64) {
        if self.is_watched() {
            self.next_ns = now_ns + self.interval_ns;
        }
    }

    pub fn is_watched(&self) -> bool {
        self.interval_ns > 0
    }

    /// When the next interval is over.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Tells what happened since the last time.
    #[cold]
    pub fn publish(&mut self, metrics: &mut Metrics, control: &RunControl) {
        let counts = &metrics.counts;
        let (replies, bytes_in) = (counts.replies, counts.bytes_in);
        let errors = counts.counted_errors.total();
        control.publish(Interval {
            index: self.index,
            replies: replies - self.replies,
            errors: errors - self.errors,
            bytes_in: bytes_in - self.bytes_in,
            latencies: metrics.take_interval(),
        });
        self.index += 1;
        (self.replies, self.errors, self.bytes_in) = (replies, errors, bytes_in);
        self.next_ns = self.next_ns.saturating_add(self.interval_ns);
    }
}
