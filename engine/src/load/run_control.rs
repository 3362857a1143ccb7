//! What passes between a loop and whoever watches it: once a second, never for a request.

use crate::histogram::Latencies;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What one loop did in one interval of the counted part.
pub struct Interval {
    /// 0 for the first interval.
    pub index: u64,
    pub replies: u64,
    pub errors: u64,
    pub bytes_in: u64,
    pub latencies: Latencies,
}

/// Shared by the loops of one run and its watcher.
#[derive(Default)]
pub struct RunControl {
    stop: AtomicBool,
    interval_ns: u64,
    intervals: Mutex<Vec<Interval>>,
}

impl RunControl {
    /// A control that collects what happens in each interval.
    pub fn watching(interval_ns: u64) -> Self {
        Self {
            interval_ns,
            ..Self::default()
        }
    }

    /// Length of an interval; 0 if nobody watches.
    pub fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// Asks the loops to end the counted part now; what is in flight is awaited.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn publish(&self, interval: Interval) {
        self.lock().push(interval);
    }

    /// Everything published since the last call.
    pub fn take(&self) -> Vec<Interval> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Interval>> {
        self.intervals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
