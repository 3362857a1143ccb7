//! What is counted during a slice.

use super::counts::Counts;
use std::collections::BTreeMap;

/// Statuses are below this; what is not counts as the last.
const STATUSES: usize = 1000;

/// The part of a slice that an event falls into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Connected, not loaded.
    Idle,
    /// Loaded, not counted.
    LeadIn,
    Counted,
    /// Nothing new is sent; what is in flight is awaited.
    Drain,
}

/// One slice as it goes on.
#[derive(Clone, Debug)]
pub struct Tally {
    pub phase: Phase,
    pub started_ns: u64,
    pub counts: Counts,
    pub bin_ns: u64,
    /// Right replies of lead-in and counted part, by `bin_ns` since `started_ns`.
    pub bins: Vec<u32>,
    /// Replies of the whole slice by status.
    statuses: Box<[u64; STATUSES]>,
}

impl Tally {
    pub fn new() -> Self {
        Self {
            phase: Phase::Idle,
            started_ns: 0,
            counts: Counts::default(),
            bin_ns: 1,
            bins: Vec::new(),
            statuses: Box::new([0; STATUSES]),
        }
    }

    /// Starts afresh, keeping the memory of the bins.
    pub fn begin(&mut self, started_ns: u64, bin_ns: u64, bins: usize) {
        let mut kept = std::mem::take(&mut self.bins);
        kept.clear();
        kept.resize(bins, 0);
        *self = Self {
            started_ns,
            bin_ns,
            bins: kept,
            ..Self::new()
        };
    }

    /// `n` replies with this status came, right or wrong.
    #[inline]
    pub fn status(&mut self, status: u16, n: u64) {
        self.statuses[usize::from(status).min(STATUSES - 1)] += n;
    }

    pub fn statuses(&self) -> BTreeMap<u16, u64> {
        let all = (0..).zip(self.statuses.iter().copied());
        all.filter(|(_, count)| *count > 0).collect()
    }

    #[inline]
    pub fn counting(&self) -> bool {
        self.phase == Phase::Counted
    }

    /// A request went out (or a queue of `n` was there when counting began).
    #[inline]
    pub fn went_out(&mut self, now_ns: u64, n: u64) {
        if self.counting() {
            self.counts.in_flight_ns = self
                .counts
                .in_flight_ns
                .wrapping_sub(now_ns.wrapping_mul(n));
        }
    }

    /// A request is no longer in flight, for whatever reason (or `n` still were at the end).
    #[inline]
    pub fn came_back(&mut self, now_ns: u64, n: u64) {
        if self.counting() {
            self.counts.in_flight_ns = self
                .counts
                .in_flight_ns
                .wrapping_add(now_ns.wrapping_mul(n));
        }
    }

    /// `n` right replies arrived; whether they are counted depends on closed or open loop.
    #[inline]
    pub fn right(&mut self, now_ns: u64, latency_ns: u64, counted: bool, n: u64) {
        self.counts.replies_all += n;
        if matches!(self.phase, Phase::LeadIn | Phase::Counted) {
            let bin = ((now_ns - self.started_ns) / self.bin_ns) as usize;
            if let Some(bin) = self.bins.get_mut(bin) {
                *bin += n as u32;
            }
        }
        if counted {
            self.counts.replies += n;
            self.counts.latency_sum_ns += latency_ns * n;
            self.counts.latency_max_ns = self.counts.latency_max_ns.max(latency_ns);
        }
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}
