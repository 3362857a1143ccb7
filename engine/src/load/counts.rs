//! What one run counts, as it goes on and as it is told.

use crate::protocol::{ErrorKind, Failure};

/// The counts of `slice` in docs/engine-protocol.md, with their meaning there. What belongs to
/// the counted part alone says so.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Counts {
    /// Right replies of the counted part.
    pub replies: u64,
    /// Right replies of the whole run.
    pub replies_all: u64,
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
    /// Requests that were sent again on another connection, in the whole run.
    pub resent: u64,
    pub errors: Errors,
    /// Those among them that are no matter of the lead-in: what the summary of a run tells.
    #[serde(skip)]
    pub counted_errors: Errors,
    pub first_error: Option<String>,
    /// Failures of each assertion, no matter of the lead-in; those beyond its end have none.
    #[serde(skip)]
    pub assertions: Vec<u64>,
    /// Longest time that the loop took over one batch of events, in the counted part.
    pub loop_delay_max_ns: u64,
}

impl Counts {
    /// A request failed; `counted`: not one of the lead-in.
    #[cold]
    pub fn wrong(&mut self, failure: &Failure, counted: bool) {
        self.errors.count(failure.kind);
        if counted {
            self.counted_errors.count(failure.kind);
            for &number in &failure.details.assertions {
                add_at(&mut self.assertions, number as usize, 1);
            }
        }
        if self.first_error.is_none() {
            self.first_error = Some(failure.details.message.clone());
        }
    }

    /// The loop took so long over one batch of events.
    #[inline]
    pub fn was_busy(&mut self, busy_ns: u64) {
        self.loop_delay_max_ns = self.loop_delay_max_ns.max(busy_ns);
    }

    /// Takes in those of another worker on the same target.
    pub fn add(&mut self, other: &Self) {
        self.replies += other.replies;
        self.replies_all += other.replies_all;
        self.latency_sum_ns += other.latency_sum_ns;
        self.latency_max_ns = self.latency_max_ns.max(other.latency_max_ns);
        self.in_flight_ns += other.in_flight_ns;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.reconnects += other.reconnects;
        self.resent += other.resent;
        self.errors.add(&other.errors);
        self.counted_errors.add(&other.counted_errors);
        if self.first_error.is_none() {
            self.first_error.clone_from(&other.first_error);
        }
        for (number, &failures) in other.assertions.iter().enumerate() {
            add_at(&mut self.assertions, number, failures);
        }
        self.loop_delay_max_ns = self.loop_delay_max_ns.max(other.loop_delay_max_ns);
    }
}

fn add_at(counts: &mut Vec<u64>, at: usize, more: u64) {
    if counts.len() <= at {
        counts.resize(at + 1, 0);
    }
    counts[at] += more;
}

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
    pub(super) fn count(&mut self, kind: ErrorKind) {
        *match kind {
            ErrorKind::Status => &mut self.status,
            ErrorKind::Body => &mut self.body,
            ErrorKind::Protocol => &mut self.protocol,
            ErrorKind::Timeout => &mut self.timeout,
            ErrorKind::Connect => &mut self.connect,
        } += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.status += other.status;
        self.body += other.body;
        self.protocol += other.protocol;
        self.timeout += other.timeout;
        self.connect += other.connect;
    }

    pub fn total(&self) -> u64 {
        self.status + self.body + self.protocol + self.timeout + self.connect
    }
}
