//! Which requests may be sent, and how many are out.

use super::open_loop::OpenLoop;
use super::phases::Phase;

/// The requests of all connections of a worker.
#[derive(Default)]
pub struct Requests {
    /// Number of the next one; it goes on from run to run.
    pub sequence: u64,
    /// So many may still be sent in this run.
    pub remaining: u64,
    pub in_flight: u64,
    /// Sends them when they are due; without it each reply brings the next request.
    pub open_loop: Option<OpenLoop>,
}

impl Requests {
    /// Requests that may be sent now, `most` at most: when they are due, and how many. In open
    /// loop it is one at a time, as due times differ.
    #[inline]
    pub fn next(&mut self, phase: Phase, now_ns: u64, most: u64) -> Option<(u64, u64)> {
        match (&mut self.open_loop, phase) {
            (Some(open), Phase::LeadIn | Phase::Counted | Phase::Drain) => {
                open.take(now_ns).map(|due_ns| (due_ns, 1))
            }
            (None, Phase::LeadIn | Phase::Counted) => Some((now_ns, most)),
            _ => None,
        }
    }

    /// `n` went out.
    #[inline]
    pub fn sent(&mut self, n: u64) {
        self.remaining -= n;
        self.in_flight += n;
        if let (0, Some(open)) = (self.remaining, &mut self.open_loop) {
            open.close();
        }
    }

    /// Whether a request that was due then, and failed or was answered wrong in `phase`, is one
    /// to be told of: not one of the lead-in.
    pub fn is_told(&self, phase: Phase, due_ns: u64) -> bool {
        match &self.open_loop {
            None => matches!(phase, Phase::Counted | Phase::Drain),
            Some(open) => open.counts(due_ns),
        }
    }

    /// No more are sent in this run.
    pub fn stop(&mut self) {
        self.remaining = 0;
        if let Some(open) = &mut self.open_loop {
            open.close();
        }
    }

    /// All that the run was to send are sent, and none is out.
    pub fn are_done(&self) -> bool {
        self.remaining == 0 && self.in_flight == 0
    }

    /// None is out, and in open loop none is due any more.
    pub fn are_drained(&self) -> bool {
        self.in_flight == 0 && self.open_loop.as_ref().is_none_or(OpenLoop::is_exhausted)
    }
}
