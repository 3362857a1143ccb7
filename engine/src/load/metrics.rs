//! What is counted and timed during a run.

use super::counts::Counts;
use super::groups::{GroupCounts, Groups};
use super::phases::Phase;
use crate::histogram::Latencies;
use crate::protocol::Failure;
use std::collections::BTreeMap;

/// Statuses are below this; whatever is not is no status.
const STATUSES: usize = 1000;

/// The metrics of one run as it goes on.
pub struct Metrics {
    pub started_ns: u64,
    pub counts: Counts,
    bin_ns: u64,
    /// Right replies of lead-in and counted part, by `bin_ns` since `started_ns`.
    bins: Vec<u32>,
    /// By status: the replies that are counted, and the wrong ones that are told of.
    statuses: Box<[u64; STATUSES]>,
    /// Of the interval that is not yet published.
    interval: Latencies,
    /// Of all intervals before.
    published: Latencies,
    /// From the sending instead of the intended time, in open loop only.
    service: Option<Latencies>,
    /// Of a mix whose requests are counted apart.
    groups: Vec<GroupCounts>,
}

/// Right replies that came together and are alike.
pub struct Answered {
    pub n: u64,
    pub status: u16,
    pub group: u32,
    pub latency_ns: u64,
    /// From the sending; in open loop only.
    pub service_ns: Option<u64>,
    /// Whether they are counted depends on closed or open loop.
    pub counted: bool,
}

impl Metrics {
    pub fn new() -> Self {
        Self {
            started_ns: 0,
            counts: Counts::default(),
            bin_ns: 1,
            bins: Vec::new(),
            statuses: Box::new([0; STATUSES]),
            interval: Latencies::default(),
            published: Latencies::default(),
            service: None,
            groups: Vec::new(),
        }
    }

    /// Starts afresh, keeping the memory of the bins.
    pub fn begin(
        &mut self,
        started_ns: u64,
        bin_ns: u64,
        bins: usize,
        is_open_loop: bool,
        groups: &Groups,
    ) {
        self.started_ns = started_ns;
        self.counts = Counts::default();
        self.bin_ns = bin_ns;
        self.bins.clear();
        self.bins.resize(bins, 0);
        self.statuses.fill(0);
        self.service = is_open_loop.then(Latencies::default);
        self.groups = vec![GroupCounts::default(); groups.len()];
    }

    /// `n` replies with this status came; one that has none (a stream that was reset) is not
    /// counted.
    #[inline]
    pub fn status(&mut self, status: u16, n: u64) {
        if let Some(count) = self.statuses.get_mut(usize::from(status)) {
            *count += n;
        }
    }

    pub fn statuses(&self) -> BTreeMap<u16, u64> {
        let all = (0..).zip(self.statuses.iter().copied());
        all.filter(|(_, count)| *count > 0).collect()
    }

    /// `n` requests are in flight from now on, in the counted part.
    #[inline]
    pub fn went_out(&mut self, now_ns: u64, n: u64) {
        let sum_ns = &mut self.counts.in_flight_ns;
        *sum_ns = sum_ns.wrapping_sub(now_ns.wrapping_mul(n));
    }

    /// `n` requests are no longer in flight, or the counted part is over.
    #[inline]
    pub fn came_back(&mut self, now_ns: u64, n: u64) {
        let sum_ns = &mut self.counts.in_flight_ns;
        *sum_ns = sum_ns.wrapping_add(now_ns.wrapping_mul(n));
    }

    /// Right replies arrived.
    #[inline]
    pub fn right(&mut self, phase: Phase, now_ns: u64, replies: &Answered) {
        let n = replies.n;
        self.counts.replies_all += n;
        if matches!(phase, Phase::LeadIn | Phase::Counted) {
            let bin = ((now_ns - self.started_ns) / self.bin_ns) as usize;
            if let Some(bin) = self.bins.get_mut(bin) {
                *bin += n as u32;
            }
        }
        if !replies.counted {
            return;
        }
        self.status(replies.status, n);
        self.counts.replies += n;
        self.counts.latency_sum_ns += replies.latency_ns * n;
        self.counts.latency_max_ns = self.counts.latency_max_ns.max(replies.latency_ns);
        self.interval.record_n(replies.latency_ns, n);
        if let (Some(service), Some(service_ns)) = (&mut self.service, replies.service_ns) {
            service.record_n(service_ns, n);
        }
        if let Some(group) = self.groups.get_mut(replies.group as usize) {
            group.right(replies);
        }
    }

    /// Something failed: a request of a group, or (`None`) a connection with no request on it.
    /// `counted`: no matter of the lead-in.
    #[cold]
    pub fn wrong(&mut self, failure: &Failure, counted: bool, group: Option<u32>) {
        self.counts.wrong(failure, counted);
        let group = group.and_then(|group| self.groups.get_mut(group as usize));
        if let (true, Some(group)) = (counted, group) {
            group.wrong(failure.kind);
        }
    }

    /// At the end of a run: what was counted apart.
    pub fn take_groups(&mut self) -> Vec<GroupCounts> {
        std::mem::take(&mut self.groups)
    }

    /// The bins up to `until_ns`, `most` at most.
    pub fn bins(&self, until_ns: u64, most: u64) -> Vec<u32> {
        let bins = (until_ns - self.started_ns).div_ceil(self.bin_ns).min(most);
        let mut until = self.bins.clone();
        until.resize(bins as usize, 0);
        until
    }

    /// The latencies since this was asked last; they stay part of those of the run.
    pub fn take_interval(&mut self) -> Latencies {
        let interval = std::mem::take(&mut self.interval);
        self.published.merge(&interval);
        interval
    }

    /// At the end of a run: its latencies, and in open loop those from the sending.
    pub fn take_latencies(&mut self) -> (Latencies, Option<Latencies>) {
        let mut latencies = std::mem::take(&mut self.interval);
        if self.published.count() > 0 {
            latencies.merge(&self.published);
            self.published.reset();
        }
        (latencies, self.service.take())
    }
}
