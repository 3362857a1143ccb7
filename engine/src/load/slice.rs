//! What is asked of one slice of load, and what it was.

use super::arrivals::Arrivals;
use super::counts::Counts;
use super::open_loop::{OpenReport, Pacing};
use crate::protocol::h2::counts::Traffic;
use std::collections::BTreeMap;

/// What is asked of one slice.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
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
    /// For Poisson arrivals; made from the token if not given.
    pub seed: Option<u64>,
    /// Ends after so many requests, if that comes first.
    pub requests: Option<u64>,
    /// Open loop in several threads: how much later this one's first request is due.
    #[serde(skip)]
    pub offset_ns: u64,
    /// Which of several threads this is.
    #[serde(skip)]
    pub member: u64,
}

/// What a slice was: the fields of `slice` in docs/engine-protocol.md, with their meaning there.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Slice {
    #[serde(flatten)]
    pub counts: Counts,
    pub started_ns: u64,
    pub counted_from_ns: u64,
    pub counted_until_ns: u64,
    pub drained_ns: u64,
    pub bin_ms: u64,
    pub bins: Vec<u32>,
    /// Replies of the whole slice by the protocol's status, for the summary of a run by hand.
    #[serde(skip)]
    pub statuses: BTreeMap<u16, u64>,
    /// Of the whole slice, over HTTP/2; for the same summary.
    #[serde(skip)]
    pub http2: Option<Traffic>,
    pub engine_cpu_ns: u64,
    pub server_cpu_ns: Option<u64>,
    /// Only in open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenReport>,
}
