//! A summary in the words of ghz, for what reads its JSON.

use super::summary::Summary;
use crate::histogram::Latencies;
use crate::load::run::RunResult;
use serde::Serialize;
use std::collections::BTreeMap;

const NS_PER_S: f64 = 1e9;

/// The statuses of gRPC by number, as ghz spells them.
const STATUSES: [&str; 17] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

/// Percentiles that ghz shows.
const PERCENTAGES: [u32; 7] = [10, 25, 50, 75, 90, 95, 99];

/// Bins of its histogram, beside one for the fastest call alone.
const BINS: u64 = 10;

/// Times are nanoseconds, but for the marks of the histogram, which are seconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GhzSummary {
    end_reason: &'static str,
    /// Right and wrong ones; times and percentiles are of right ones alone.
    count: u64,
    total: u64,
    average: u64,
    fastest: u64,
    slowest: u64,
    rps: f64,
    /// What was no status: by our kinds of errors.
    error_distribution: BTreeMap<&'static str, u64>,
    status_code_distribution: BTreeMap<String, u64>,
    /// Without those that fewer than 10 observations lie beyond.
    latency_distribution: Vec<Percentile>,
    histogram: Vec<Bin>,
}

#[derive(Debug, Serialize)]
struct Percentile {
    percentage: u32,
    latency: u64,
}

#[derive(Debug, Serialize)]
struct Bin {
    mark: f64,
    count: u64,
    frequency: f64,
}

impl GhzSummary {
    /// `stopped`: by a signal.
    pub fn new(run: &RunResult, summary: &Summary, by_count: bool, stopped: bool) -> Self {
        let counts = &run.counts;
        let total = run.counted_until_ns - run.counted_from_ns;
        let count = summary.requests + summary.errors;
        let errors = &summary.errors_by_kind;
        let kinds = [
            ("body", errors.body),
            ("connect", errors.connect),
            ("protocol", errors.protocol),
            ("timeout", errors.timeout),
        ];
        let percentile = |percentage: u32| {
            let latency = run.latencies.quantile_ns(f64::from(percentage) / 100.0)?;
            Some(Percentile {
                percentage,
                latency,
            })
        };
        let statuses = summary.statuses.iter();
        let named = statuses.map(|(status, count)| {
            let name = STATUSES.get(usize::from(*status));
            let name = name.map_or_else(|| format!("Code({status})"), |name| (*name).to_owned());
            (name, *count)
        });
        Self {
            end_reason: match (stopped, by_count) {
                (true, _) => "cancel",
                (false, true) => "normal",
                (false, false) => "timeout",
            },
            count,
            total,
            average: counts.latency_sum_ns / counts.replies.max(1),
            fastest: fastest(&run.latencies),
            slowest: counts.latency_max_ns,
            rps: count as f64 * NS_PER_S / total.max(1) as f64,
            error_distribution: kinds.into_iter().filter(|(_, n)| *n > 0).collect(),
            status_code_distribution: named.collect(),
            latency_distribution: PERCENTAGES.into_iter().filter_map(percentile).collect(),
            histogram: histogram(&run.latencies, counts.latency_max_ns),
        }
    }
}

fn fastest(latencies: &Latencies) -> u64 {
    match latencies.count() {
        0 => 0,
        _ => latencies.as_hdr().min(),
    }
}

/// Bins of one width from the fastest to the slowest.
fn histogram(latencies: &Latencies, slowest: u64) -> Vec<Bin> {
    let all = latencies.count();
    if all == 0 {
        return Vec::new();
    }
    let fastest = fastest(latencies).min(slowest);
    let ends = (0..=BINS).map(|bin| fastest + (slowest - fastest) * bin / BINS);
    let mut bins: Vec<(u64, u64)> = ends.map(|end| (end, 0)).collect();
    for value in latencies.as_hdr().iter_recorded() {
        let at = value.value_iterated_to();
        let bin = bins.iter().position(|(end, _)| at <= *end);
        let last = bins.len() - 1;
        bins[bin.unwrap_or(last)].1 += value.count_at_value();
    }
    let bin = |(end, count): (u64, u64)| Bin {
        mark: end as f64 / NS_PER_S,
        count,
        frequency: count as f64 / all as f64,
    };
    bins.into_iter().map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_observation_is_in_one_bin() {
        let mut latencies = Latencies::default();
        (1..=1_000).for_each(|ms| latencies.record(ms * 1_000_000));
        let bins = histogram(&latencies, 1_000_000_000);
        assert_eq!(bins.len(), 11);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 1_000);
        assert!((bins.iter().map(|bin| bin.frequency).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((90..=110).contains(&bins[5].count), "{bins:?}");
        assert!((bins[10].mark - 1.0).abs() < 1e-9);
        assert!(histogram(&Latencies::default(), 0).is_empty());
    }
}
