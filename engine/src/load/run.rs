//! What is asked of one run of load, and what it was.

use super::arrivals::Arrivals;
use super::asides::AsideCounts;
use super::counts::Counts;
use super::groups::GroupCounts;
use super::messages::MessageCounts;
use super::open_loop::{OpenPlan, OpenReport, Pacing};
use super::streams::StreamCounts;
use crate::fnv::Fnv1a;
use crate::histogram::Latencies;
use crate::net::tls::Handshakes;
use crate::protocol::Counters;
use std::collections::BTreeMap;

/// What is asked of one run: the fields of `turn` in docs/engine-protocol.md.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    pub token: String,
    pub lead_in_ms: u64,
    pub counted_ms: u64,
    /// Processes whose CPU clocks are read at both edges of the counted part.
    #[serde(default)]
    pub pids: Vec<i32>,
    /// Open loop: requests a second. Without it each reply brings the next request.
    pub rate: Option<f64>,
    #[serde(default)]
    pub arrivals: Arrivals,
    #[serde(default)]
    pub pacing: Pacing,
    /// For Poisson arrivals and for requests that are drawn; made from the token if not given.
    pub seed: Option<u64>,
    /// Ends after so many requests, if that comes first.
    pub requests: Option<u64>,
    /// When it is to begin, nanoseconds on CLOCK_MONOTONIC: for several hosts that begin together.
    pub at_ns: Option<u64>,
    /// Open loop with several workers: how much later this one's first request is due.
    #[serde(skip)]
    pub offset_ns: u64,
    /// When it begins, where several workers begin together; without it at once.
    #[serde(skip)]
    pub started_ns: Option<u64>,
    /// Which of several workers this is for.
    #[serde(skip)]
    pub worker: u64,
    /// How many workers have a share of it; 0 where it is not shared out.
    #[serde(skip)]
    pub workers: u64,
}

impl RunSpec {
    /// What everything is drawn by that is drawn at random.
    pub fn draw_seed(&self) -> u64 {
        let seed_of_token = || Fnv1a::of(self.token.as_bytes()).wrapping_add(self.worker);
        self.seed.unwrap_or_else(seed_of_token)
    }

    /// When the requests of an open loop are to be sent.
    pub fn open_plan(&self) -> Option<OpenPlan> {
        Some(OpenPlan {
            arrivals: self.arrivals,
            rate: self.rate?,
            pacing: self.pacing,
            seed: self.draw_seed(),
            offset_ns: self.offset_ns,
        })
    }

    /// The share of worker number `worker` out of `workers`.
    pub fn share(&self, worker: u64, workers: u64) -> Self {
        let mut share = self.clone();
        if let Some(rate) = self.rate {
            // Constant arrivals interleave: worker k is due k gaps of the whole stream later.
            share.rate = Some(rate / workers as f64);
            share.offset_ns += (worker as f64 * 1e9 / rate) as u64;
        }
        share.seed = self.seed.map(|seed| seed.wrapping_add(worker));
        share.worker += worker;
        share.workers = workers;
        let rest = |all: u64| u64::from(worker < all % workers);
        share.requests = self.requests.map(|all| all / workers + rest(all));
        share
    }
}

/// What a run was: the fields of `slice` in docs/engine-protocol.md, with their meaning there,
/// and what a run by hand tells besides.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RunResult {
    #[serde(flatten)]
    pub counts: Counts,
    pub started_ns: u64,
    pub counted_from_ns: u64,
    pub counted_until_ns: u64,
    pub drained_ns: u64,
    pub bin_ms: u64,
    pub bins: Vec<u32>,
    /// Replies by the protocol's status, those of the lead-in left out.
    #[serde(skip)]
    pub statuses: BTreeMap<u16, u64>,
    /// What the protocol counted in the whole run.
    #[serde(skip)]
    pub counters: Option<Counters>,
    /// Handshakes of TLS since the target was opened, where there is TLS.
    #[serde(skip)]
    pub handshakes: Option<Handshakes>,
    pub engine_cpu_ns: u64,
    pub server_cpu_ns: Option<u64>,
    /// Only in open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenReport>,
    /// Of the counted part; in open loop from the intended time.
    #[serde(skip)]
    pub latencies: Latencies,
    /// The same from the sending of each request; only in open loop.
    #[serde(skip)]
    pub service: Option<Latencies>,
    /// Of requests that are counted apart.
    #[serde(skip)]
    pub groups: Vec<GroupCounts>,
    /// Where replies are streams.
    #[serde(skip)]
    pub streams: Option<StreamCounts>,
    /// Where requests are streams of messages.
    #[serde(skip)]
    pub messages: Option<MessageCounts>,
    /// Where the protocol has upgrades and pings.
    #[serde(skip)]
    pub asides: Option<AsideCounts>,
}

impl RunResult {
    /// Takes in that of another worker in the same run. Counts add up, edges are the outermost,
    /// the longest delay is the longest of any.
    pub fn merge(&mut self, other: &Self) {
        self.started_ns = self.started_ns.min(other.started_ns);
        self.counted_from_ns = self.counted_from_ns.min(other.counted_from_ns);
        self.counted_until_ns = self.counted_until_ns.max(other.counted_until_ns);
        self.drained_ns = self.drained_ns.max(other.drained_ns);
        self.counts.add(&other.counts);
        let bins = self.bins.len().max(other.bins.len());
        self.bins.resize(bins, 0);
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin += more;
        }
        for (status, count) in &other.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
        if let (Some(sum), Some(other)) = (&mut self.counters, &other.counters) {
            sum.add(other);
        }
        if let (Some(sum), Some(other)) = (&mut self.handshakes, &other.handshakes) {
            sum.add(other);
        }
        // Each worker read the clock of the whole process: the widest reading is that of all.
        self.engine_cpu_ns = self.engine_cpu_ns.max(other.engine_cpu_ns);
        self.server_cpu_ns = self.server_cpu_ns.max(other.server_cpu_ns);
        if let (Some(sum), Some(other)) = (&mut self.open_loop, &other.open_loop) {
            sum.add(other);
        }
        self.latencies.merge(&other.latencies);
        if let (Some(sum), Some(other)) = (&mut self.service, &other.service) {
            sum.merge(other);
        }
        for (sum, other) in self.groups.iter_mut().zip(&other.groups) {
            sum.add(other);
        }
        if let (Some(sum), Some(other)) = (&mut self.streams, &other.streams) {
            sum.add(other);
        }
        if let (Some(sum), Some(other)) = (&mut self.messages, &other.messages) {
            sum.add(other);
        }
        if let (Some(sum), Some(other)) = (&mut self.asides, &other.asides) {
            sum.add(other);
        }
    }
}
