//! A worker and its main loop: one run from its beginning to its result.

use super::asides::AsideTimes;
use super::coalesce::{Coalesce, Coalescer, Round};
use super::connection::Connection;
use super::groups::Groups;
use super::loop_delay::LoopDelay;
use super::messages::Messages;
use super::metrics::Metrics;
use super::open_loop::OpenLoop;
use super::phases::{Phase, Phases};
use super::publisher::Publisher;
use super::requests::Requests;
use super::run::{RunResult, RunSpec};
use super::run_control::RunControl;
use super::streams::Streams;
use super::timers::Timers;
use crate::net::Net;
use crate::protocol::Protocol;
use std::collections::VecDeque;
use std::io;

/// Bytes read with one system call.
const READ_AT_ONCE: usize = 64 * 1024;

pub(super) const NS_PER_MS: u64 = 1_000_000;
pub(super) const BIN_MS: u64 = 5;
/// Bins are for slices, not for runs of minutes.
pub(super) const MOST_BINS: u64 = 100_000;
const LOOK_FOR_STOP_NS: u64 = 50 * NS_PER_MS;

/// How a target is loaded; the same in all its runs.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub connections: usize,
    /// Connections are meant to last: a new one is worth a `reconnects`.
    pub keep_alive: bool,
    /// Requests in flight on one connection, at most.
    pub depth: u32,
    pub timeout_ns: u64,
    pub coalesce: Coalesce,
}

/// An event loop with the connections that it loads a target over.
pub struct Worker<P: Protocol, N: Net> {
    pub(super) settings: Settings,
    pub(super) protocol: P,
    pub(super) net: N,
    pub(super) connections: Vec<Connection<P::Connection>>,
    /// Why the last attempt to connect failed.
    pub(super) connect_error: Option<io::ErrorKind>,
    pub(super) requests: Requests,
    pub(super) phases: Phases,
    pub(super) metrics: Metrics,
    pub(super) groups: Groups,
    /// Where replies are streams.
    pub(super) streams: Option<Streams>,
    /// Where requests are streams of messages.
    pub(super) messages: Option<Messages>,
    /// Where the protocol has any.
    pub(super) asides: Option<AsideTimes>,
    pub(super) timers: Timers,
    pub(super) coalescer: Coalescer,
    pub(super) publisher: Publisher,
    loop_delay: LoopDelay,
    /// What goes out next on the connection in hand; empty between two of them.
    pub(super) output: Vec<u8>,
    /// What was read last.
    pub(super) buffer: Box<[u8]>,
    /// Connections with more to read than was their share, and whether they are at their end.
    pub(super) unread: VecDeque<(usize, bool)>,
}

impl<P: Protocol, N: Net> Worker<P, N> {
    pub fn new(settings: Settings, protocol: P, net: N) -> Self {
        let plan = protocol.message_plan();
        let messages = plan.map(|plan| Messages::new(plan, settings.connections, settings.depth));
        Self {
            messages,
            loop_delay: LoopDelay::new(settings.connections, net.events_at_once()),
            settings,
            protocol,
            net,
            connections: (0..settings.connections)
                .map(|_| Connection::new(settings.depth))
                .collect(),
            connect_error: None,
            requests: Requests::default(),
            phases: Phases::idle(),
            metrics: Metrics::new(),
            groups: Groups::default(),
            streams: None,
            asides: P::HAS_ASIDES.then(|| AsideTimes::new(settings.connections)),
            timers: Timers::new(),
            coalescer: Coalescer::new(settings.coalesce),
            publisher: Publisher::new(0),
            output: Vec::new(),
            buffer: vec![0; READ_AT_ONCE].into_boxed_slice(),
            unread: VecDeque::new(),
        }
    }

    /// The same, with these requests counted each by itself too.
    #[must_use]
    pub fn counting_apart(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }

    /// The same, with replies that are streams.
    #[must_use]
    pub fn timing_streams(mut self) -> Self {
        let Settings {
            connections, depth, ..
        } = self.settings;
        self.streams = Some(Streams::new(connections, depth));
        self
    }

    /// Loads the target for one run. It ends at the latest a timeout after its counted part.
    ///
    /// # Errors
    /// Only if waiting for events itself fails; whatever servers do is in the result.
    pub fn run(&mut self, spec: &RunSpec, control: &RunControl) -> io::Result<RunResult> {
        self.begin(spec, control);
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
            self.do_what_is_due(now_ns, control);
            if self.is_drained() {
                break;
            }
            if self.phases.now() == Phase::Drain && now_ns >= self.latest_ns() {
                self.give_up_all(now_ns);
                break;
            }
            if self.coalescer.is_on() {
                self.pause(woke_ns, events.len());
            }
            // Whoever asks for the end of the run cannot wake this loop.
            let until_ns = match self.unread.is_empty() {
                true => self.next_ns().min(now_ns + LOOK_FOR_STOP_NS),
                false => now_ns,
            };
            self.net.wait(until_ns, &mut events)?;
            woke_ns = self.net.now_ns();
            let is_full = events.len() >= self.net.events_at_once();
            self.loop_delay.came(woke_ns, is_full);
            self.read_on();
            for &event in &events {
                self.on_event(event);
            }
            if self.phases.is_counting() {
                let busy_ns = self.loop_delay.done(self.net.now_ns());
                self.metrics.counts.was_busy(busy_ns);
            }
        }
        if self.publisher.is_watched() {
            self.publisher.publish(&mut self.metrics, control);
        }
        self.phases.end();
        Ok(self.result())
    }

    /// Changes the phase if its time has come. Whatever arrives at `now_ns` or later belongs to
    /// the new phase, so counts and clocks are of exactly the same span.
    #[inline]
    pub(super) fn cross_edges(&mut self, now_ns: u64) {
        if now_ns >= self.phases.edge_ns() {
            self.cross_edge(now_ns);
        }
    }

    #[cold]
    fn cross_edge(&mut self, now_ns: u64) {
        let before = self.phases.now();
        match (before, self.phases.advance(now_ns)) {
            (Phase::LeadIn, Phase::Counted) => {
                self.metrics.went_out(now_ns, self.requests.in_flight);
                self.publisher.begin(now_ns);
            }
            (Phase::Counted, Phase::Drain) => {
                self.metrics.came_back(now_ns, self.requests.in_flight);
            }
            _ => {}
        }
    }

    /// Everything that time alone brings about.
    fn do_what_is_due(&mut self, now_ns: u64, control: &RunControl) {
        if self.phases.now() == Phase::LeadIn && control.is_stopped() {
            // Nothing is counted, and nothing new is sent.
            self.cross_edge(now_ns);
        }
        if self.phases.is_counting() && (self.requests.are_done() || control.is_stopped()) {
            self.requests.stop();
            self.cross_edge(now_ns);
        }
        self.check_timeouts(now_ns);
        self.reconnect_due(now_ns);
        self.send_due(now_ns);
        if P::HAS_MESSAGES {
            self.send_messages_due(now_ns);
        }
        if self.phases.is_counting() && now_ns >= self.publisher.next_ns() {
            self.publisher.publish(&mut self.metrics, control);
        }
    }

    /// When [`Self::do_what_is_due`] has something to do again.
    fn next_ns(&self) -> u64 {
        let mut next_ns = self.timers.next_ns().min(self.phases.edge_ns());
        let open = self.requests.open_loop.as_ref();
        if let Some(send_ns) = open.and_then(OpenLoop::next_ns) {
            next_ns = next_ns.min(send_ns);
        }
        if let (true, Some(messages)) = (P::HAS_MESSAGES, &self.messages) {
            next_ns = next_ns.min(messages.next_ns());
        }
        match self.phases.now() {
            Phase::Counted => next_ns.min(self.publisher.next_ns()),
            Phase::Drain => next_ns.min(self.latest_ns()),
            Phase::Idle | Phase::LeadIn => next_ns,
        }
    }

    /// Lets replies collect before the next wait, but never past the next edge.
    fn pause(&mut self, woke_ns: u64, events: usize) {
        let now_ns = self.net.now_ns();
        let open = self.requests.open_loop.as_ref();
        let pause_ns = self.coalescer.pause_ns(&Round {
            woke_ns,
            now_ns,
            events,
            in_flight: self.requests.in_flight,
            replies: self.metrics.counts.replies_all,
            nothing_to_send_ns: open.and_then(|open| open.nothing_to_send_ns(now_ns)),
        });
        let pause_ns = pause_ns.min(self.next_ns().saturating_sub(now_ns));
        if pause_ns > 0 && self.phases.now() != Phase::Drain {
            self.net.pause(pause_ns);
        }
    }

    /// While draining: when the run is over, whatever is still in flight.
    fn latest_ns(&self) -> u64 {
        let timeout_ns = self.settings.timeout_ns;
        self.phases.until_ns.saturating_add(timeout_ns)
    }

    /// The counted part is over, and so is everything that belongs to it.
    pub(super) fn is_drained(&self) -> bool {
        self.phases.now() == Phase::Drain && self.requests.are_drained()
    }

    fn result(&mut self) -> RunResult {
        let (latencies, service) = self.metrics.take_latencies();
        RunResult {
            counts: self.metrics.counts.clone(),
            started_ns: self.metrics.started_ns,
            counted_from_ns: self.phases.from_ns,
            counted_until_ns: self.phases.until_ns,
            drained_ns: self.net.now_ns(),
            bin_ms: BIN_MS,
            bins: self.metrics.bins(self.phases.until_ns, MOST_BINS),
            statuses: self.metrics.statuses(),
            counters: self.protocol.counters(),
            handshakes: self.net.handshakes(),
            engine_cpu_ns: self.phases.engine_cpu_ns,
            server_cpu_ns: self.phases.server_cpu_ns,
            open_loop: self.requests.open_loop.as_mut().map(OpenLoop::report),
            latencies,
            service,
            groups: self.metrics.take_groups(),
            streams: self.streams.as_mut().map(Streams::take_counts),
            messages: self.messages.as_mut().map(Messages::take_counts),
            asides: self.asides.as_ref().map(AsideTimes::counts),
        }
    }

    /// How the bytes get to the kernel.
    pub fn io(&self) -> &'static str {
        self.net.name()
    }
}
