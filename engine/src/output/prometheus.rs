//! What a run has counted so far, in Prometheus' text format, with a classic histogram.

use crate::histogram::Latencies;
use crate::load::run_control::Interval;
use std::fmt::Write as _;

/// The media type of the text.
pub const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper ends of the histogram's buckets, in us.
const BUCKETS_US: [u64; 20] = [
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000,
    500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 60_000_000,
];
const US_PER_S: f64 = 1e6;
const NS_PER_S: f64 = 1e9;

/// The sum of all intervals so far.
#[derive(Default)]
pub struct Exposition {
    replies: u64,
    errors: u64,
    bytes_in: u64,
    latencies: Latencies,
}

impl Exposition {
    pub fn add(&mut self, interval: &Interval) {
        self.replies += interval.replies;
        self.errors += interval.errors;
        self.bytes_in += interval.bytes_in;
        self.latencies.merge(&interval.latencies);
    }

    /// What a scrape is answered with.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, help, value) in [
            ("requests_total", "Right replies", self.replies),
            (
                "errors_total",
                "Requests without a right reply",
                self.errors,
            ),
            ("received_bytes_total", "Bytes received", self.bytes_in),
        ] {
            let _ = write!(
                text,
                "# HELP deadheat_load_{name} {help}\n# TYPE deadheat_load_{name} counter\ndeadheat_load_{name} {value}\n"
            );
        }
        let name = "deadheat_load_latency_seconds";
        let _ = write!(
            text,
            "# HELP {name} Latency of right replies, as in the summary\n# TYPE {name} histogram\n"
        );
        let histogram = self.latencies.as_hdr();
        for us in BUCKETS_US {
            let count = histogram.count_between(0, us * 1_000);
            let _ = writeln!(
                text,
                "{name}_bucket{{le=\"{}\"}} {count}",
                us as f64 / US_PER_S
            );
        }
        let count = self.latencies.count();
        let sum_s = histogram.mean() * count as f64 / NS_PER_S;
        let _ = write!(
            text,
            "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum_s}\n{name}_count {count}\n"
        );
        text
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
