//! What is counted during a slice.

use crate::protocol::{ErrorKind, Failure};
use std::collections::BTreeMap;

/// Statuses are below this; what is not counts as the last.
const STATUSES: usize = 1000;

/// Failed requests, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Errors {
    pub status: u64,
    pub body: u64,
    pub protocol: u64,
    pub timeout: u64,
    pub connect: u64,
}

impl Errors {
    pub fn total(&self) -> u64 {
        self.status + self.body + self.protocol + self.timeout + self.connect
    }
}

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

/// Counts of one slice. What belongs to the counted part alone says so.
#[derive(Clone, Debug)]
pub struct Tally {
    pub phase: Phase,
    pub started_ns: u64,
    /// Right replies of the counted part.
    pub replies: u64,
    /// Right replies of the whole slice.
    pub replies_all: u64,
    pub bin_ns: u64,
    /// Right replies of lead-in and counted part, by `bin_ns` since `started_ns`.
    pub bins: Vec<u32>,
    /// Of the counted part.
    pub latency_sum_ns: u64,
    /// Of the counted part.
    pub latency_max_ns: u64,
    /// Time integral of requests in flight over the counted part, as a sum of plus and minus
    /// points in time. It wraps on the way and is right at the end.
    pub in_flight_ns: u64,
    /// Of the counted part.
    pub bytes_in: u64,
    /// Of the counted part.
    pub bytes_out: u64,
    pub reconnects: u64,
    pub errors: Errors,
    pub first_error: Option<String>,
    /// Replies of the whole slice by status.
    statuses: Box<[u64; STATUSES]>,
    /// Longest time that the loop took over one batch of events, in the counted part.
    pub loop_delay_max_ns: u64,
}

impl Tally {
    pub fn new() -> Self {
        Self {
            phase: Phase::Idle,
            started_ns: 0,
            replies: 0,
            replies_all: 0,
            bin_ns: 1,
            bins: Vec::new(),
            latency_sum_ns: 0,
            latency_max_ns: 0,
            in_flight_ns: 0,
            bytes_in: 0,
            bytes_out: 0,
            reconnects: 0,
            errors: Errors::default(),
            first_error: None,
            statuses: Box::new([0; STATUSES]),
            loop_delay_max_ns: 0,
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
            self.in_flight_ns = self.in_flight_ns.wrapping_sub(now_ns.wrapping_mul(n));
        }
    }

    /// A request is no longer in flight, for whatever reason (or `n` still were at the end).
    #[inline]
    pub fn came_back(&mut self, now_ns: u64, n: u64) {
        if self.counting() {
            self.in_flight_ns = self.in_flight_ns.wrapping_add(now_ns.wrapping_mul(n));
        }
    }

    /// `n` right replies arrived; whether they are counted depends on closed or open loop.
    #[inline]
    pub fn right(&mut self, now_ns: u64, latency_ns: u64, counted: bool, n: u64) {
        self.replies_all += n;
        if matches!(self.phase, Phase::LeadIn | Phase::Counted) {
            let bin = ((now_ns - self.started_ns) / self.bin_ns) as usize;
            if let Some(bin) = self.bins.get_mut(bin) {
                *bin += n as u32;
            }
        }
        if counted {
            self.replies += n;
            self.latency_sum_ns += latency_ns * n;
            self.latency_max_ns = self.latency_max_ns.max(latency_ns);
        }
    }

    #[cold]
    pub fn wrong(&mut self, failure: &Failure) {
        *match failure.kind {
            ErrorKind::Status => &mut self.errors.status,
            ErrorKind::Body => &mut self.errors.body,
            ErrorKind::Protocol => &mut self.errors.protocol,
            ErrorKind::Timeout => &mut self.errors.timeout,
            ErrorKind::Connect => &mut self.errors.connect,
        } += 1;
        if self.first_error.is_none() {
            self.first_error = Some(failure.message.clone());
        }
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}
