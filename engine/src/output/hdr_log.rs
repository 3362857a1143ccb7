//! An HdrHistogram V2 interval log, readable by the usual tools.

use crate::load::run_control::Interval;
use hdrhistogram::serialization::interval_log::IntervalLogWriterBuilder;
use hdrhistogram::serialization::V2DeflateSerializer;
use std::io::{self, Write};
use std::time::SystemTime;

/// Maxima are told in milliseconds, the histograms themselves are of nanoseconds.
const NS_PER_MS: f64 = 1e6;

/// Writes what stands above the intervals of a run that started at `started`.
///
/// # Errors
/// `output` cannot be written.
pub fn heading(output: &mut impl Write, started: SystemTime) -> io::Result<()> {
    IntervalLogWriterBuilder::new()
        .add_comment("Latencies in nanoseconds, written by deadheat-load")
        .with_start_time(started)
        .with_base_time(started)
        .with_max_value_divisor(NS_PER_MS)
        .begin_log_with(output, &mut V2DeflateSerializer::new())?;
    Ok(())
}

/// Writes one interval of one second.
///
/// # Errors
/// `output` cannot be written.
pub fn line(output: &mut impl Write, interval: &Interval) -> io::Result<()> {
    let max_ms = interval.latencies.as_hdr().max() as f64 / NS_PER_MS;
    let encoded = interval.latencies.encoded();
    writeln!(output, "{}.000,1.000,{max_ms:.3},{encoded}", interval.index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Latencies;
    use base64::Engine as _;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::Histogram;
    use std::time::Duration;

    #[test]
    fn the_log_reads_back() {
        let mut latencies = Latencies::default();
        for ns in [1_000_000, 2_000_000, 2_000_000] {
            latencies.record(ns);
        }
        let interval = Interval {
            index: 3,
            replies: 3,
            errors: 0,
            bytes_in: 0,
            latencies: latencies.clone(),
        };
        let mut text = Vec::new();
        heading(&mut text, SystemTime::UNIX_EPOCH).unwrap();
        line(&mut text, &interval).unwrap();
        let entries: Vec<LogEntry> = IntervalLogIterator::new(&text)
            .map(|entry| entry.expect("a well-formed line"))
            .collect();
        let interval = entries.iter().find_map(|entry| match entry {
            LogEntry::Interval(interval) => Some(interval),
            _ => None,
        });
        let interval = interval.expect("an interval");
        assert_eq!(interval.start_timestamp(), Duration::from_secs(3));
        assert!((interval.max() - 2.0).abs() < 0.01);
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(interval.encoded_histogram())
            .unwrap();
        let back: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
        assert_eq!(&back, latencies.as_hdr());
    }
}
