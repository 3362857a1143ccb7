//! Latencies as a table for people.

use super::shown;
use super::summary::LatencyMs;
use std::fmt::Write;

pub(super) type Figure = fn(&LatencyMs) -> Option<f64>;

pub(super) const LINES: [(&str, Figure); 10] = [
    ("mean", |latency| latency.mean),
    ("stdev", |latency| latency.stdev),
    ("50%", |latency| latency.p50),
    ("75%", |latency| latency.p75),
    ("90%", |latency| latency.p90),
    ("95%", |latency| latency.p95),
    ("99%", |latency| latency.p99),
    ("99.9%", |latency| latency.p99_9),
    ("99.99%", |latency| latency.p99_99),
    ("max", |latency| latency.max),
];

/// A line for each figure; `service` is a column of its own, in open loop.
pub fn latency_table(latency: &LatencyMs, service: Option<&LatencyMs>) -> String {
    let mut text = format!("  {:<7}{:>12}", "", "latency");
    if service.is_some() {
        text += "     service";
    }
    text.push('\n');
    for (name, figure) in LINES {
        // A String takes every character.
        let _ = write!(text, "  {name:<7}{:>12}", shown::ms(figure(latency)));
        if let Some(service) = service {
            let _ = write!(text, "{:>12}", shown::ms(figure(service)));
        }
        text.push('\n');
    }
    text
}
