//! What a run has counted so far, for Prometheus: in its text format with a classic histogram, or in
//! protobuf, which alone has native ones.

mod format;
mod protobuf;
mod text;

pub use self::format::Format;

use crate::histogram::Latencies;
use crate::load::run_control::Interval;

/// Upper ends of the classic histogram's buckets, in us.
const BUCKETS_US: [u64; 20] = [
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000,
    500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 60_000_000,
];
const US_PER_S: f64 = 1e6;
const NS_PER_S: f64 = 1e9;
const LATENCY: &str = "deadheat_load_latency_seconds";
const LATENCY_HELP: &str = "Latency of right replies, as in the summary";

/// The sum of all intervals so far.
#[derive(Default)]
pub struct Exposition {
    replies: u64,
    errors: u64,
    bytes_in: u64,
    latencies: Latencies,
}

/// A count that only grows.
struct Counter {
    name: &'static str,
    help: &'static str,
    value: u64,
}

impl Exposition {
    pub fn add(&mut self, interval: &Interval) {
        self.replies += interval.replies;
        self.errors += interval.errors;
        self.bytes_in += interval.bytes_in;
        self.latencies.merge(&interval.latencies);
    }

    /// What a scrape is answered with.
    pub fn body(&self, format: Format) -> Vec<u8> {
        match format {
            Format::Text => self.text().into_bytes(),
            Format::Protobuf => self.protobuf(),
        }
    }

    fn counters(&self) -> [Counter; 3] {
        [
            Counter {
                name: "deadheat_load_requests_total",
                help: "Right replies",
                value: self.replies,
            },
            Counter {
                name: "deadheat_load_errors_total",
                help: "Requests without a right reply",
                value: self.errors,
            },
            Counter {
                name: "deadheat_load_received_bytes_total",
                help: "Bytes received",
                value: self.bytes_in,
            },
        ]
    }

    /// Upper ends of classic buckets, in seconds, and how many latencies do not exceed them.
    fn buckets(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let histogram = self.latencies.as_hdr();
        let bucket = |us: u64| (us as f64 / US_PER_S, histogram.count_between(0, us * 1_000));
        BUCKETS_US.into_iter().map(bucket)
    }

    /// Of all latencies, in seconds, to the precision of the histogram's bins.
    fn sum_s(&self) -> f64 {
        self.latencies.as_hdr().mean() * self.latencies.count() as f64 / NS_PER_S
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_add_up_and_buckets_hold_all_below_them() {
        let mut exposition = Exposition::default();
        for (latency_us, replies) in [(40, 3), (700, 2), (90_000_000, 1)] {
            let mut latencies = Latencies::default();
            latencies.record_n(latency_us * 1_000, replies);
            exposition.add(&Interval {
                index: 0,
                replies,
                errors: 1,
                bytes_in: 10,
                latencies,
            });
        }
        let text = exposition.text();
        for line in [
            "# TYPE deadheat_load_requests_total counter",
            "deadheat_load_requests_total 6",
            "deadheat_load_errors_total 3",
            "deadheat_load_received_bytes_total 30",
            "# TYPE deadheat_load_latency_seconds histogram",
            "deadheat_load_latency_seconds_bucket{le=\"0.000025\"} 0",
            "deadheat_load_latency_seconds_bucket{le=\"0.00005\"} 3",
            "deadheat_load_latency_seconds_bucket{le=\"0.001\"} 5",
            "deadheat_load_latency_seconds_bucket{le=\"60\"} 5",
            "deadheat_load_latency_seconds_bucket{le=\"+Inf\"} 6",
            "deadheat_load_latency_seconds_count 6",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}:\n{text}");
        }
        let sum = text
            .lines()
            .find_map(|line| line.strip_prefix("deadheat_load_latency_seconds_sum "));
        let sum_s: f64 = sum.expect("a sum").parse().expect("a number");
        assert!((sum_s / 90.001_52 - 1.0).abs() < 0.001, "{sum_s}");
    }
}
