//! One slice of load: lead-in, counted part, drain.

use super::connection::State;
use super::tally::{Errors, Phase};
use super::Load;
use crate::clock;
use crate::histogram::Latencies;
use crate::net::Net;
use crate::protocol::Protocol;
use std::io;

/// What is asked of one slice.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub token: String,
    pub lead_in_ms: u64,
    pub counted_ms: u64,
    /// Processes whose CPU clocks are read at both edges of the counted part.
    #[serde(default)]
    pub pids: Vec<i32>,
}

/// What a slice was: the fields of `slice` in docs/engine-protocol.md, with their meaning there.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Slice {
    pub started_ns: u64,
    pub counted_from_ns: u64,
    pub counted_until_ns: u64,
    pub drained_ns: u64,
    pub replies: u64,
    pub replies_all: u64,
    pub bin_ms: u64,
    pub bins: Vec<u32>,
    pub latency_sum_ns: u64,
    pub latency_max_ns: u64,
    pub in_flight_ns: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub reconnects: u64,
    pub errors: Errors,
    pub first_error: Option<String>,
    pub engine_cpu_ns: u64,
    pub server_cpu_ns: Option<u64>,
    pub loop_delay_max_ns: u64,
}

const NS_PER_MS: u64 = 1_000_000;
pub const BIN_MS: u64 = 5;
const SPARE_BINS: u64 = 200;

/// The edges of the counted part, as planned until they are crossed and then as they were.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    from_ns: u64,
    until_ns: u64,
    counted_ns: u64,
    pids: Vec<i32>,
    /// Own and the servers' CPU time at the edge, later over the counted part.
    engine_cpu_ns: u64,
    server_cpu_ns: Option<u64>,
}

impl<P: Protocol, N: Net> Load<P, N> {
    /// Loads the target for one slice. It ends at the latest a timeout after its counted part.
    ///
    /// # Errors
    /// Only if waiting for events itself fails; whatever servers do is in the report.
    pub fn turn(&mut self, turn: &Turn) -> io::Result<Slice> {
        self.protocol.prepare(&turn.token);
        self.begin(turn);
        let mut events = Vec::new();
        loop {
            let now_ns = self.net.now_ns();
            self.cross_edges(now_ns);
            if now_ns >= self.look_at_ns {
                self.look_at_ns = u64::MAX;
                let next_ns = self.look_after(now_ns);
                self.look_at_ns = self.look_at_ns.min(next_ns);
            }
            if self.tally.phase == Phase::Drain {
                if self.in_flight == 0 {
                    break;
                }
                if now_ns >= self.edges.until_ns.saturating_add(self.settings.timeout_ns) {
                    self.give_up_all(now_ns);
                    break;
                }
            }
            self.net.wait(
                self.look_at_ns.min(self.edge_ns).min(self.latest_ns()),
                &mut events,
            )?;
            let woke_ns = self.net.now_ns();
            for &event in &events {
                self.handle(event);
            }
            if self.tally.counting() {
                let busy_ns = self.net.now_ns() - woke_ns;
                self.tally.loop_delay_max_ns = self.tally.loop_delay_max_ns.max(busy_ns);
            }
        }
        self.tally.phase = Phase::Idle;
        Ok(self.report())
    }

    /// While draining: when the turn is over, whatever is still in flight.
    fn latest_ns(&self) -> u64 {
        let timeout_ns = self.settings.timeout_ns;
        match self.tally.phase {
            Phase::Drain => self.edges.until_ns.saturating_add(timeout_ns),
            _ => u64::MAX,
        }
    }

    fn begin(&mut self, turn: &Turn) {
        let lead_in_ns = turn.lead_in_ms * NS_PER_MS;
        let counted_ns = turn.counted_ms * NS_PER_MS;
        let started_ns = self.net.now_ns();
        let bin_ns = BIN_MS * NS_PER_MS;
        // Some bins more: the first edge is crossed at the first event after it, which may be
        // late if this process did not get its core, and the counted part keeps its length.
        let bins = (lead_in_ns + counted_ns) / bin_ns + SPARE_BINS;
        self.tally.begin(started_ns, bin_ns, bins as usize);
        self.tally.phase = Phase::LeadIn;
        self.edges = Edges {
            counted_ns,
            pids: turn.pids.clone(),
            ..Edges::default()
        };
        self.edge_ns = started_ns + lead_in_ns;
        self.cross_edges(started_ns);
        self.look_at_ns = started_ns.saturating_add(self.settings.timeout_ns);
        for id in 0..self.connections.len() {
            match self.connections[id].state {
                State::Open => {
                    self.connections[id].may_be_stale = true;
                    let now_ns = self.net.now_ns();
                    self.cross_edges(now_ns);
                    self.fill(id, now_ns);
                }
                State::Closed { .. } => {
                    self.connections[id].failures = 0;
                    self.connect(id);
                }
                State::Connecting { .. } => {}
            }
        }
    }

    /// Changes the phase if its time has come. Whatever arrives at `now_ns` or later belongs to
    /// the new phase, so counts and clocks are of exactly the same span.
    #[inline]
    pub(super) fn cross_edges(&mut self, now_ns: u64) {
        if now_ns >= self.edge_ns {
            self.cross_edge(now_ns);
        }
    }

    #[cold]
    fn cross_edge(&mut self, now_ns: u64) {
        let engine_cpu_ns = clock::own_cpu_ns();
        let server_cpu_ns = clock::processes_cpu_ns(&self.edges.pids);
        match self.tally.phase {
            Phase::LeadIn => {
                self.tally.phase = Phase::Counted;
                self.tally.went_out(now_ns, self.in_flight);
                self.edges.from_ns = now_ns;
                self.edges.engine_cpu_ns = engine_cpu_ns;
                self.edges.server_cpu_ns = server_cpu_ns;
                self.edge_ns = now_ns + self.edges.counted_ns;
            }
            Phase::Counted => {
                self.tally.came_back(now_ns, self.in_flight);
                self.tally.phase = Phase::Drain;
                self.edges.until_ns = now_ns;
                self.edges.engine_cpu_ns = engine_cpu_ns - self.edges.engine_cpu_ns;
                self.edges.server_cpu_ns = server_cpu_ns
                    .zip(self.edges.server_cpu_ns)
                    .map(|(until, from)| until.saturating_sub(from));
                self.edge_ns = u64::MAX;
            }
            Phase::Idle | Phase::Drain => self.edge_ns = u64::MAX,
        }
    }

    fn report(&mut self) -> Slice {
        let loaded_ns = self.edges.until_ns - self.tally.started_ns;
        let bins = loaded_ns.div_ceil(self.tally.bin_ns) as usize;
        self.tally.bins.resize(bins, 0);
        let tally = &self.tally;
        Slice {
            started_ns: tally.started_ns,
            counted_from_ns: self.edges.from_ns,
            counted_until_ns: self.edges.until_ns,
            drained_ns: self.net.now_ns(),
            replies: tally.replies,
            replies_all: tally.replies_all,
            bin_ms: BIN_MS,
            bins: tally.bins.clone(),
            latency_sum_ns: tally.latency_sum_ns,
            latency_max_ns: tally.latency_max_ns,
            in_flight_ns: tally.in_flight_ns,
            bytes_in: tally.bytes_in,
            bytes_out: tally.bytes_out,
            reconnects: tally.reconnects,
            errors: tally.errors,
            first_error: tally.first_error.clone(),
            engine_cpu_ns: self.edges.engine_cpu_ns,
            server_cpu_ns: self.edges.server_cpu_ns,
            loop_delay_max_ns: tally.loop_delay_max_ns,
        }
    }

    /// Latencies of the counted parts since the last reset.
    pub fn latencies(&mut self) -> &mut Latencies {
        &mut self.latencies
    }
}
