//! A time series, one line an interval.

use crate::load::run_control::Interval;
use std::io::{self, Write};

/// Writes the heading.
///
/// # Errors
/// `output` cannot be written.
pub fn heading(output: &mut impl Write) -> io::Result<()> {
    writeln!(
        output,
        "second,requests,errors,bytes,p50_ms,p90_ms,p99_ms,max_ms"
    )
}

/// Writes one interval of one second. A percentile is empty where fewer than 10 observations
/// lie beyond it.
///
/// # Errors
/// `output` cannot be written.
pub fn line(output: &mut impl Write, interval: &Interval) -> io::Result<()> {
    let latencies = &interval.latencies;
    let shown = |ns: Option<u64>| ns.map_or(String::new(), |ns| format!("{:.3}", ns as f64 / 1e6));
    let max = (latencies.count() > 0).then(|| latencies.as_hdr().max());
    writeln!(
        output,
        "{},{},{},{},{},{},{},{}",
        interval.index,
        interval.replies,
        interval.errors,
        interval.bytes_in,
        shown(latencies.quantile_ns(0.5)),
        shown(latencies.quantile_ns(0.9)),
        shown(latencies.quantile_ns(0.99)),
        shown(max),
    )
}
