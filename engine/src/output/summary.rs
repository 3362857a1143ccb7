//! The result of a run by hand: a table for people, JSON for programs.

use super::assertions::{self, AssertionSummary};
use super::by_request::{self, RequestSummary};
use super::messages::MessageSummary;
use super::streams::StreamSummary;
use super::websocket::WebSocketSummary;
use super::{bars::bars, latency_table, shown, LatenessMs};
use crate::histogram::Latencies;
use crate::limits;
use crate::load::counts::Errors;
use crate::load::open_loop::OpenReport;
use crate::load::run::RunResult;
use crate::net::tls::Handshakes;
use crate::protocol::h2::counts::Http2Counts;
use crate::protocol::Counters;
use crate::threshold::Judged;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

const NS_PER_S: f64 = 1e9;
const NS_PER_MS: f64 = 1e6;

/// Percentiles are `None` where fewer than 10 observations lie beyond them.
#[derive(Clone, Debug, Serialize)]
pub struct LatencyMs {
    pub mean: Option<f64>,
    pub stdev: Option<f64>,
    pub p50: Option<f64>,
    pub p75: Option<f64>,
    pub p90: Option<f64>,
    pub p95: Option<f64>,
    pub p99: Option<f64>,
    pub p99_9: Option<f64>,
    pub p99_99: Option<f64>,
    pub max: Option<f64>,
}

impl LatencyMs {
    /// For people.
    pub fn in_a_line(&self) -> String {
        format!(
            "mean {}, 50% {}, 90% {}, 99% {}, max {}",
            shown::ms(self.mean),
            shown::ms(self.p50),
            shown::ms(self.p90),
            shown::ms(self.p99),
            shown::ms(self.max)
        )
    }

    /// The same with the exact mean and maximum of so many right replies.
    #[must_use]
    pub fn exactly(mut self, replies: u64, sum_ns: u64, max_ns: u64) -> Self {
        if replies > 0 {
            self.mean = Some(sum_ns as f64 / NS_PER_MS / replies as f64);
            self.max = Some(max_ns as f64 / NS_PER_MS);
        }
        self
    }

    /// Mean and maximum to the precision of the histogram's bins.
    pub fn new(latencies: &Latencies) -> Self {
        let hdr = latencies.as_hdr();
        let some = |ns: f64| (latencies.count() > 0).then_some(ns / NS_PER_MS);
        let at = |quantile| {
            latencies
                .quantile_ns(quantile)
                .map(|ns| ns as f64 / NS_PER_MS)
        };
        Self {
            mean: some(hdr.mean()),
            stdev: some(latencies.deviation_ns()),
            p50: at(0.5),
            p75: at(0.75),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p99_9: at(0.999),
            p99_99: at(0.9999),
            max: some(hdr.max() as f64),
        }
    }
}

/// What `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub requests: u64,
    pub errors: u64,
    pub duration_s: f64,
    pub throughput_rps: f64,
    /// In open loop from the intended time.
    pub latency_ms: LatencyMs,
    /// In open loop from the actual sending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_ms: Option<LatencyMs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenReport>,
    /// In open loop: how late requests were sent that had a connection in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lateness_ms: Option<LatenessMs>,
    /// How the bytes got to the kernel: `epoll` or `io_uring`.
    pub io: &'static str,
    pub cpu_s: f64,
    /// The generator's own, since it started; `None` where the kernel does not tell it.
    pub peak_memory_bytes: Option<u64>,
    /// Longest time that the generator's own loop kept an event waiting.
    pub loop_delay_max_ms: f64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub reconnects: u64,
    /// Requests sent again on another connection, which may have been served twice.
    pub resent: u64,
    pub statuses: BTreeMap<u16, u64>,
    pub errors_by_kind: Errors,
    pub first_error: Option<String>,
    /// How often each assertion failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<AssertionSummary>,
    /// Since the target was opened; over TLS only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_handshakes: Option<Handshakes>,
    /// Frames by type, over HTTP/2 only; lead-in and drain included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http2: Option<Http2Counts>,
    /// What `--fail-if` says of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<Judged>,
    /// With `--stream`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamSummary>,
    /// Where calls of gRPC take streams of messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<MessageSummary>,
    /// Over WebSocket only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub websocket: Option<WebSocketSummary>,
    /// Of each request of a mix.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_request: Vec<RequestSummary>,
    #[serde(skip)]
    bars: String,
}

impl Summary {
    /// `io` is how the bytes got to the kernel.
    pub fn new(run: &RunResult, io: &'static str) -> Self {
        // A run that is stopped while it warms up has counted nothing for no time.
        let counted_ns = (run.counted_until_ns - run.counted_from_ns).max(1);
        let duration_s = counted_ns as f64 / NS_PER_S;
        let counts = &run.counts;
        let (sum_ns, max_ns) = (counts.latency_sum_ns, counts.latency_max_ns);
        let latency_ms = LatencyMs::new(&run.latencies).exactly(counts.replies, sum_ns, max_ns);
        let throughput_rps = match &run.open_loop {
            // Replies may come after the counted part: their rate is that of the sending.
            Some(open) if open.sent > 0 => {
                open.achieved_rps * run.counts.replies as f64 / open.sent as f64
            }
            _ => run.counts.replies as f64 / duration_s,
        };
        let of_one = throughput_rps / run.counts.replies.max(1) as f64;
        let (streams, messages) = (run.streams.as_ref(), run.messages.as_ref());
        Self {
            requests: run.counts.replies,
            errors: run.counts.counted_errors.total(),
            duration_s,
            throughput_rps,
            latency_ms,
            service_ms: run.service.as_ref().map(LatencyMs::new),
            open_loop: run.open_loop.clone(),
            lateness_ms: run.open_loop.as_ref().map(LatenessMs::new),
            io,
            cpu_s: run.engine_cpu_ns as f64 / NS_PER_S,
            peak_memory_bytes: limits::peak_memory_bytes(),
            loop_delay_max_ms: run.counts.loop_delay_max_ns as f64 / NS_PER_MS,
            bytes_in: run.counts.bytes_in,
            bytes_out: run.counts.bytes_out,
            reconnects: run.counts.reconnects,
            resent: run.counts.resent,
            statuses: run.statuses.clone(),
            errors_by_kind: run.counts.counted_errors,
            first_error: run.counts.first_error.clone(),
            assertions: Vec::new(),
            tls_handshakes: run.handshakes,
            http2: run.counters.map(|Counters::Http2(counts)| counts),
            thresholds: Vec::new(),
            streams: streams.map(|counts| StreamSummary::new(counts, of_one)),
            messages: messages.map(|counts| MessageSummary::new(counts, of_one)),
            websocket: run.asides.as_ref().map(WebSocketSummary::new),
            by_request: Vec::new(),
            bars: bars(&run.latencies),
        }
    }

    /// The same, with the figures of each request; `names` are those of the groups, `rates` the
    /// rates that were asked for by name.
    #[must_use]
    pub fn by_request(
        mut self,
        run: &RunResult,
        names: &[String],
        rates: &BTreeMap<String, f64>,
    ) -> Self {
        let of_all = self.throughput_rps / run.counts.replies.max(1) as f64;
        let groups = names.iter().zip(&run.groups);
        self.by_request = groups
            .map(|(name, counts)| RequestSummary {
                asked_rps: rates.get(name).copied(),
                ..RequestSummary::new(name, counts, of_all)
            })
            .collect();
        self
    }

    /// The same, with what became of each assertion; `names` are those of the run.
    #[must_use]
    pub fn by_assertion(mut self, run: &RunResult, names: Vec<String>) -> Self {
        let mut failures = run.counts.assertions.iter().copied();
        let assertions = names.into_iter().map(|assertion| AssertionSummary {
            assertion,
            failed: failures.next().unwrap_or(0),
        });
        self.assertions = assertions.collect();
        self
    }

    /// Asked and achieved rate of an open loop differ by more than 1%.
    pub fn fell_short(&self) -> bool {
        self.open_loop
            .as_ref()
            .is_some_and(|open| (open.achieved_rps / open.asked_rps - 1.0).abs() > 0.01)
    }
}

/// The table for people.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&latency_table(&self.latency_ms, self.service_ms.as_ref()))?;
        f.write_str(&self.bars)?;
        writeln!(
            f,
            "{} requests in {:.2} s, {} read, {} reconnects, {} requests resent",
            shown::thousands(self.requests),
            self.duration_s,
            shown::bytes(self.bytes_in as f64),
            self.reconnects,
            shown::thousands(self.resent)
        )?;
        self.write_errors(f)?;
        if let Some(Handshakes { full, resumed }) = self.tls_handshakes {
            writeln!(f, "TLS: {full} full handshakes, {resumed} resumed")?;
        }
        if let Some(open) = &self.open_loop {
            writeln!(
                f,
                "rate: {:.1}/s asked, {:.1}/s achieved; longest queue {}, never sent {}",
                open.asked_rps, open.achieved_rps, open.queue_max, open.unsent
            )?;
        }
        if let Some(lateness) = &self.lateness_ms {
            write!(f, "{lateness}")?;
        }
        let core = 100.0 * self.cpu_s / self.duration_s;
        writeln!(
            f,
            "generator: {}, {:.2} s CPU ({core:.0}% of a core), longest own delay {}{}",
            self.io,
            self.cpu_s,
            shown::ms(Some(self.loop_delay_max_ms)),
            match self.peak_memory_bytes {
                Some(peak) => format!(", peak memory {}", shown::bytes(peak as f64)),
                None => String::new(),
            }
        )?;
        writeln!(f, "requests/s: {:.2}", self.throughput_rps)?;
        let transfer = shown::bytes(self.bytes_in as f64 / self.duration_s);
        writeln!(f, "transfer/s: {transfer}")?;
        if let Some(streams) = &self.streams {
            write!(f, "{streams}")?;
        }
        if let Some(messages) = &self.messages {
            write!(f, "{messages}")?;
        }
        if let Some(websocket) = &self.websocket {
            write!(f, "{websocket}")?;
        }
        f.write_str(&by_request::table(&self.by_request))?;
        f.write_str(&assertions::table(&self.assertions))?;
        let mut thresholds = self.thresholds.iter();
        thresholds.try_for_each(|judged| writeln!(f, "{judged}"))
    }
}

impl Summary {
    fn write_errors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statuses: Vec<String> = self
            .statuses
            .iter()
            .map(|(status, count)| format!("{status}: {}", shown::thousands(*count)))
            .collect();
        writeln!(f, "statuses: {}", statuses.join(", "))?;
        if self.errors == 0 {
            return Ok(());
        }
        let by = &self.errors_by_kind;
        writeln!(
            f,
            "errors: {} status, {} body, {} protocol, {} timeout, {} connect",
            by.status, by.body, by.protocol, by.timeout, by.connect
        )?;
        match &self.first_error {
            Some(first) => writeln!(f, "first error: {first}"),
            None => Ok(()),
        }
    }
}
