//! One slice of load: lead-in, counted part, drain.

use super::coalesce::Round;
use super::connection::State;
use super::control::{Control, Interval};
use super::open_loop::OpenLoop;
pub use super::slice::{Slice, Turn};
use super::tally::Phase;
use super::Load;
use crate::clock;
use crate::histogram::Latencies;
use crate::net::Net;
use crate::protocol::Protocol;
use std::io;

const NS_PER_MS: u64 = 1_000_000;
pub const BIN_MS: u64 = 5;
const LOOK_FOR_STOP_NS: u64 = 50 * NS_PER_MS;
/// The first edge is crossed at the first event after it, which may be late if this process did
/// not get its core, and the counted part keeps its length: bins for a second more.
const SPARE_BINS: u64 = 200;
/// Bins are for slices, not for runs of minutes.
const MOST_BINS: u64 = 100_000;

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

/// How far a watcher has been told.
#[derive(Clone, Debug, Default)]
pub struct Published {
    interval_ns: u64,
    next_ns: u64,
    index: u64,
    replies: u64,
    errors: u64,
    bytes_in: u64,
}

impl<P: Protocol, N: Net> Load<P, N> {
    /// Loads the target for one slice. It ends at the latest a timeout after its counted part.
    ///
    /// # Errors
    /// Only if waiting for events itself fails; whatever servers do is in the report.
    pub fn turn(&mut self, turn: &Turn, control: &Control) -> io::Result<Slice> {
        self.protocol.prepare(&turn.token);
        self.begin(turn, control);
        let mut events = Vec::new();
        let mut woke_ns = self.net.now_ns();
        loop {
            let now_ns = self.net.now_ns();
            // Told by the kernel, a reply that waits to be read may have come before the edge.
            let known_ns = if self.coalescer.is_on() {
                woke_ns
            } else {
                now_ns
            };
            self.cross_edges(known_ns);
            self.look_around(now_ns, control);
            if self.is_drained() {
                break;
            }
            if self.tally.phase == Phase::Drain && now_ns >= self.latest_ns() {
                self.give_up_all(now_ns);
                break;
            }
            if self.coalescer.is_on() {
                self.pause(woke_ns, events.len());
            }
            // Whoever asks for the end of the run cannot wake this loop.
            let until_ns = self.next_ns().min(now_ns + LOOK_FOR_STOP_NS);
            self.net.wait(until_ns, &mut events)?;
            woke_ns = self.net.now_ns();
            for &event in &events {
                self.handle(event);
            }
            if self.tally.counting() {
                let busy_ns = self.net.now_ns() - woke_ns;
                self.tally.counts.loop_delay_max_ns =
                    self.tally.counts.loop_delay_max_ns.max(busy_ns);
            }
        }
        if self.published.interval_ns > 0 {
            self.publish(control);
        }
        self.latencies.merge(&self.interval);
        self.interval.reset();
        self.tally.phase = Phase::Idle;
        Ok(self.report())
    }

    /// Lets replies collect before the next wait, but never past the next edge.
    fn pause(&mut self, woke_ns: u64, events: usize) {
        let now_ns = self.net.now_ns();
        let pause_ns = self.coalescer.pause_ns(&Round {
            woke_ns,
            now_ns,
            events,
            in_flight: self.in_flight,
            replies: self.tally.counts.replies_all,
        });
        let pause_ns = pause_ns.min(self.next_ns().saturating_sub(now_ns));
        if pause_ns > 0 && self.tally.phase != Phase::Drain {
            self.net.pause(pause_ns);
        }
    }

    /// Everything that time alone brings about.
    fn look_around(&mut self, now_ns: u64, control: &Control) {
        if self.tally.phase == Phase::LeadIn && control.is_stopped() {
            // Nothing is counted, and nothing new is sent.
            self.cross_edge(now_ns);
        }
        let all_done = self.remaining == 0 && self.in_flight == 0;
        if self.tally.counting() && (all_done || control.is_stopped()) {
            self.remaining = 0;
            if let Some(open) = &mut self.open_loop {
                open.close();
            }
            self.cross_edge(now_ns);
        }
        if now_ns >= self.look_at_ns {
            self.look_at_ns = u64::MAX;
            let next_ns = self.look_after(now_ns);
            self.look_at_ns = self.look_at_ns.min(next_ns);
        }
        self.dispatch(now_ns);
        if self.tally.counting() && now_ns >= self.published.next_ns {
            self.publish(control);
            self.published.next_ns += self.published.interval_ns;
        }
    }

    /// When `look_around` has something to do again.
    fn next_ns(&self) -> u64 {
        let mut next_ns = self.look_at_ns.min(self.edge_ns);
        if let Some(send_ns) = self.open_loop.as_ref().and_then(OpenLoop::next_ns) {
            next_ns = next_ns.min(send_ns);
        }
        match self.tally.phase {
            Phase::Counted => next_ns.min(self.published.next_ns),
            Phase::Drain => next_ns.min(self.latest_ns()),
            Phase::Idle | Phase::LeadIn => next_ns,
        }
    }

    /// While draining: when the turn is over, whatever is still in flight.
    fn latest_ns(&self) -> u64 {
        self.edges.until_ns.saturating_add(self.settings.timeout_ns)
    }

    /// The counted part is over, and so is everything that belongs to it.
    pub(super) fn is_drained(&self) -> bool {
        let all_sent = match &self.open_loop {
            Some(open) => open.is_exhausted(),
            None => true,
        };
        self.tally.phase == Phase::Drain && self.in_flight == 0 && all_sent
    }

    fn begin(&mut self, turn: &Turn, control: &Control) {
        let lead_in_ns = turn.lead_in_ms * NS_PER_MS;
        let counted_ns = turn.counted_ms * NS_PER_MS;
        let started_ns = self.net.now_ns();
        let bin_ns = BIN_MS * NS_PER_MS;
        let bins = ((lead_in_ns + counted_ns) / bin_ns + SPARE_BINS).min(MOST_BINS);
        self.tally.begin(started_ns, bin_ns, bins as usize);
        self.tally.phase = Phase::LeadIn;
        self.remaining = turn.requests.unwrap_or(u64::MAX);
        self.published = Published {
            interval_ns: control.interval_ns(),
            next_ns: u64::MAX,
            ..Published::default()
        };
        self.edges = Edges {
            counted_ns,
            pids: turn.pids.clone(),
            ..Edges::default()
        };
        self.edge_ns = started_ns + lead_in_ns;
        self.open_loop = turn.rate.map(|rate| {
            let seed = turn
                .seed
                .unwrap_or_else(|| fnv1a(turn.token.as_bytes()).wrapping_add(turn.member));
            OpenLoop::new(
                turn.arrivals,
                rate,
                turn.pacing,
                seed,
                started_ns,
                turn.offset_ns,
                started_ns + lead_in_ns,
                started_ns + lead_in_ns + counted_ns,
                self.connections.len(),
            )
        });
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
                if self.published.interval_ns > 0 {
                    self.published.next_ns = now_ns + self.published.interval_ns;
                }
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

    /// Tells a watcher what happened since the last time.
    #[cold]
    fn publish(&mut self, control: &Control) {
        let before = self.published.clone();
        let errors = self.tally.counts.errors.total();
        self.published.index += 1;
        self.published.replies = self.tally.counts.replies;
        self.published.errors = errors;
        self.published.bytes_in = self.tally.counts.bytes_in;
        control.publish(Interval {
            index: before.index,
            replies: self.tally.counts.replies - before.replies,
            errors: errors - before.errors,
            bytes_in: self.tally.counts.bytes_in - before.bytes_in,
            latencies: self.interval.clone(),
        });
        self.latencies.merge(&self.interval);
        self.interval.reset();
    }

    fn report(&mut self) -> Slice {
        let loaded_ns = self.edges.until_ns - self.tally.started_ns;
        let bins = loaded_ns.div_ceil(self.tally.bin_ns).min(MOST_BINS) as usize;
        self.tally.bins.resize(bins, 0);
        let tally = &self.tally;
        Slice {
            counts: tally.counts.clone(),
            started_ns: tally.started_ns,
            counted_from_ns: self.edges.from_ns,
            counted_until_ns: self.edges.until_ns,
            drained_ns: self.net.now_ns(),
            bin_ms: BIN_MS,
            bins: tally.bins.clone(),
            statuses: tally.statuses(),
            http2: self.protocol.traffic(),
            engine_cpu_ns: self.edges.engine_cpu_ns,
            server_cpu_ns: self.edges.server_cpu_ns,
            open_loop: self.open_loop.as_mut().map(OpenLoop::report),
        }
    }

    /// How the bytes get to the kernel.
    pub fn io(&self) -> &'static str {
        self.net.name()
    }

    /// Latencies of the counted parts since the last reset.
    pub fn latencies(&mut self) -> &mut Latencies {
        &mut self.latencies
    }

    /// The same from the sending of each request; empty in closed loop.
    pub fn service(&mut self) -> &mut Latencies {
        &mut self.service
    }
}

/// FNV-1a: any number will do as a seed, if the same token gives the same.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
