//! An HdrHistogram V2 interval log, readable by the usual tools.

use crate::histogram::Latencies;
use crate::load::run_control::Interval;
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry,
};
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

/// A log that was read: everything in it, and for how long it was observed.
pub struct Log {
    pub latencies: Latencies,
    pub seconds: f64,
}

/// Reads a log of ours, or of another program that has latencies in nanoseconds.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &[u8]) -> Result<Log, String> {
    let mut log = Log {
        latencies: Latencies::default(),
        seconds: 0.0,
    };
    let mut intervals = 0;
    for entry in IntervalLogIterator::new(text) {
        let entry = entry.map_err(|_| "no HdrHistogram interval log".to_owned())?;
        if let LogEntry::Interval(interval) = entry {
            intervals += 1;
            log.seconds += interval.duration().as_secs_f64();
            let histogram = interval.encoded_histogram();
            let latencies = Latencies::decoded(histogram)
                .map_err(|why| format!("interval {intervals}: {why}"))?;
            log.latencies.merge(&latencies);
        }
    }
    match intervals {
        0 => Err("no interval in it".into()),
        _ => Ok(log),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let back = read(&text).unwrap();
        assert_eq!(back.latencies.as_hdr(), latencies.as_hdr());
        assert!((back.seconds - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_log_is_refused() {
        for (text, why) in [
            ("", "no interval"),
            ("hello\n", "no HdrHistogram interval log"),
            ("0.000,1.000,2.000,AAAA\n", "interval 1: "),
        ] {
            let said = read(text.as_bytes()).err().expect(text);
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
