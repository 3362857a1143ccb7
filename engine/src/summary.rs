//! The result of a run by hand: a table for people, JSON for programs.

use crate::histogram::Latencies;
use crate::load::turn::Slice;
use serde::Serialize;
use std::fmt::Write;

const NS_PER_S: f64 = 1e9;
const NS_PER_MS: f64 = 1e6;

/// Percentiles are `None` where fewer than 10 observations lie beyond them.
#[derive(Debug, Serialize)]
pub struct LatencyMs {
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    pub p99_9: Option<f64>,
    pub max: Option<f64>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub requests: u64,
    pub errors: u64,
    pub duration_s: f64,
    pub throughput_rps: f64,
    pub latency_ms: LatencyMs,
    pub cpu_s: f64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub reconnects: u64,
    pub errors_by_kind: crate::load::tally::Errors,
    pub first_error: Option<String>,
    #[serde(skip)]
    deviation_ms: f64,
}

impl Summary {
    pub fn new(slice: &Slice, latencies: &Latencies) -> Self {
        let duration_s = (slice.counted_until_ns - slice.counted_from_ns) as f64 / NS_PER_S;
        let some = |value: f64| (slice.replies > 0).then_some(value);
        let ms = |quantile| {
            latencies
                .quantile_ns(quantile)
                .map(|ns| ns as f64 / NS_PER_MS)
        };
        Self {
            requests: slice.replies,
            errors: slice.errors.total(),
            duration_s,
            throughput_rps: slice.replies as f64 / duration_s,
            latency_ms: LatencyMs {
                mean: some(slice.latency_sum_ns as f64 / NS_PER_MS / slice.replies as f64),
                p50: ms(0.5),
                p90: ms(0.9),
                p99: ms(0.99),
                p99_9: ms(0.999),
                max: some(slice.latency_max_ns as f64 / NS_PER_MS),
            },
            cpu_s: slice.engine_cpu_ns as f64 / NS_PER_S,
            bytes_in: slice.bytes_in,
            bytes_out: slice.bytes_out,
            reconnects: slice.reconnects,
            errors_by_kind: slice.errors,
            first_error: slice.first_error.clone(),
            deviation_ms: latencies.deviation_ns() / NS_PER_MS,
        }
    }

    /// The table for people.
    pub fn table(&self) -> String {
        let mut text = String::new();
        self.write_table(&mut text)
            .expect("a String takes every character");
        text
    }

    fn write_table(&self, text: &mut String) -> std::fmt::Result {
        let latency = &self.latency_ms;
        writeln!(text, "latency      mean    stdev      max")?;
        writeln!(
            text,
            "     {:>12} {:>8} {:>8}",
            shown_ms(latency.mean),
            shown_ms(latency.mean.map(|_| self.deviation_ms)),
            shown_ms(latency.max)
        )?;
        for (name, value) in [
            ("50%", latency.p50),
            ("90%", latency.p90),
            ("99%", latency.p99),
            ("99.9%", latency.p99_9),
        ] {
            writeln!(text, "  {name:<6} {}", shown_ms(value))?;
        }
        writeln!(
            text,
            "{} requests in {:.2} s, {} read, {} reconnects",
            self.requests,
            self.duration_s,
            shown_bytes(self.bytes_in as f64),
            self.reconnects
        )?;
        if self.errors > 0 {
            let by = &self.errors_by_kind;
            writeln!(
                text,
                "errors: {} status, {} body, {} protocol, {} timeout, {} connect",
                by.status, by.body, by.protocol, by.timeout, by.connect
            )?;
            if let Some(first) = &self.first_error {
                writeln!(text, "first error: {first}")?;
            }
        }
        let core = 100.0 * self.cpu_s / self.duration_s;
        writeln!(
            text,
            "generator: {:.2} s CPU ({core:.0}% of a core)",
            self.cpu_s
        )?;
        writeln!(text, "requests/s: {:.2}", self.throughput_rps)?;
        let transfer = shown_bytes(self.bytes_in as f64 / self.duration_s);
        writeln!(text, "transfer/s: {transfer}")
    }
}

fn shown_ms(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(ms) if ms < 1.0 => format!("{:.0}us", ms * 1000.0),
        Some(ms) if ms < 1000.0 => format!("{ms:.2}ms"),
        Some(ms) => format!("{:.2}s", ms / 1000.0),
    }
}

fn shown_bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{:.2} kB", b / 1e3),
        b if b < 1e9 => format!("{:.2} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}
