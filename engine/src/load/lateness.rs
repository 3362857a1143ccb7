//! How late the loop sends what is paced.

use crate::histogram::Latencies;

/// How much later than at its time, or at the beginning of its tick, each request was sent for which
/// a connection had room then. It is the generator's own doing: what waits for a connection is not in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lateness {
    times: Latencies,
    max_ns: u64,
}

impl Lateness {
    #[inline]
    pub fn record(&mut self, late_ns: u64) {
        self.times.record(late_ns);
        self.max_ns = self.max_ns.max(late_ns);
    }

    /// Takes in that of another worker in the same run.
    pub fn add(&mut self, other: &Self) {
        self.times.merge(&other.times);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Requests that had a connection in time.
    pub fn count(&self) -> u64 {
        self.times.count()
    }

    /// To the precision of [`Latencies`]; `None` where too few lie beyond it.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        self.times.quantile_ns(quantile)
    }

    /// Exactly; `None` if there were no such requests.
    pub fn max_ns(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.max_ns)
    }
}
