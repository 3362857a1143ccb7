//! The beginning of a run, and its first requests.

use super::connection::State;
use super::open_loop::{OpenLoop, Span};
use super::phases::Phases;
use super::publisher::Publisher;
use super::run::RunSpec;
use super::run_control::RunControl;
use super::worker::{Worker, BIN_MS, MOST_BINS, NS_PER_MS};
use crate::net::Net;
use crate::protocol::Protocol;

/// The first edge is crossed at the first event after it, which may be late if this process did
/// not get its core, and the counted part keeps its length: bins for a second more.
const SPARE_BINS: u64 = 200;

impl<P: Protocol, N: Net> Worker<P, N> {
    /// Everything is set for a run, and its first requests go out.
    pub(super) fn begin(&mut self, spec: &RunSpec, control: &RunControl) {
        self.protocol.seed(spec.draw_seed());
        self.protocol.share_rows(spec.worker, spec.workers.max(1));
        self.protocol.prepare(&spec.token);
        let lead_in_ns = spec.lead_in_ms * NS_PER_MS;
        let counted_ns = spec.counted_ms * NS_PER_MS;
        let started_ns = spec.started_ns.unwrap_or_else(|| self.net.now_ns());
        let bin_ns = BIN_MS * NS_PER_MS;
        let bins = ((lead_in_ns + counted_ns) / bin_ns + SPARE_BINS).min(MOST_BINS);
        let is_open_loop = spec.rate.is_some();
        let bins = bins as usize;
        self.metrics
            .begin(started_ns, bin_ns, bins, is_open_loop, &self.groups);
        if let Some(streams) = &mut self.streams {
            streams.begin();
        }
        if let Some(messages) = &mut self.messages {
            messages.begin_run();
        }
        if let Some(asides) = &mut self.asides {
            asides.begin();
        }
        self.publisher = Publisher::new(control.interval_ns());
        self.phases = Phases::begin(started_ns, lead_in_ns, counted_ns, &spec.pids);
        self.requests.remaining = spec.requests.unwrap_or(u64::MAX);
        let span = Span {
            started_ns,
            from_ns: started_ns + lead_in_ns,
            until_ns: started_ns + lead_in_ns + counted_ns,
        };
        self.requests.open_loop = spec
            .open_plan()
            .map(|plan| OpenLoop::new(&plan, span, self.connections.len()));
        self.cross_edges(started_ns);
        self.timers
            .expect_timeout(started_ns.saturating_add(self.settings.timeout_ns));
        self.load_all();
    }

    /// Sends the first requests, after connecting again where that is needed.
    fn load_all(&mut self) {
        for id in 0..self.connections.len() {
            match self.connections[id].state {
                State::Open => {
                    self.connections[id].was_of_use = true;
                    self.connections[id].may_be_stale = true;
                    let now_ns = self.net.now_ns();
                    self.cross_edges(now_ns);
                    if let Some(open) = &mut self.requests.open_loop {
                        open.has_room(self.metrics.started_ns);
                    }
                    self.send_requests(id, now_ns, u32::MAX);
                }
                State::Closed { .. } => {
                    self.connections[id].failures = 0;
                    self.connect_and_send(id);
                }
                State::Connecting { .. } => {}
            }
        }
    }
}
