//! The figures of each request of a mix, beside those of the whole.

use super::shown;
use super::summary::LatencyMs;
use crate::load::counts::Errors;
use crate::load::groups::GroupCounts;
use serde::Serialize;
use std::fmt::Write;

/// Characters of a name that are shown.
const NAME_WIDTH: usize = 24;

/// What `--json` says of one request.
#[derive(Clone, Debug, Serialize)]
pub struct RequestSummary {
    pub name: String,
    pub requests: u64,
    pub errors: u64,
    pub throughput_rps: f64,
    /// Where it has a rate of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_rps: Option<f64>,
    /// In open loop from the intended time.
    pub latency_ms: LatencyMs,
    pub errors_by_kind: Errors,
}

impl RequestSummary {
    /// `rps_of_one` is what one right reply adds to the rate.
    pub fn new(name: &str, counts: &GroupCounts, rps_of_one: f64) -> Self {
        let (sum_ns, max_ns) = (counts.latency_sum_ns, counts.latency_max_ns);
        Self {
            name: name.to_owned(),
            requests: counts.replies,
            errors: counts.errors.total(),
            throughput_rps: rps_of_one * counts.replies as f64,
            asked_rps: None,
            latency_ms: LatencyMs::new(&counts.latencies).exactly(counts.replies, sum_ns, max_ns),
            errors_by_kind: counts.errors,
        }
    }
}

/// A line for each, 80 columns wide; nothing where there are none.
pub fn table(requests: &[RequestSummary]) -> String {
    let mut text = String::new();
    if requests.is_empty() {
        return text;
    }
    let columns = ["requests", "errors", "/s", "50%", "90%", "99%"];
    text += &line("", columns.map(str::to_owned));
    for request in requests {
        let latency = &request.latency_ms;
        let figures = [
            shown::thousands(request.requests),
            shown::thousands(request.errors),
            format!("{:.1}", request.throughput_rps),
            shown::ms(latency.p50),
            shown::ms(latency.p90),
            shown::ms(latency.p99),
        ];
        text += &line(&request.name, figures);
    }
    text
}

fn line(name: &str, figures: [String; 6]) -> String {
    let mut shown: String = name.chars().take(NAME_WIDTH).collect();
    if shown.len() < name.len() {
        shown.truncate(
            shown
                .char_indices()
                .nth(NAME_WIDTH - 2)
                .map_or(0, |(at, _)| at),
        );
        shown += "..";
    }
    let mut text = format!("  {shown:<NAME_WIDTH$}");
    for (figure, width) in figures.iter().zip([11, 8, 11, 8, 8, 8]) {
        // A String takes every character.
        let _ = write!(text, "{figure:>width$}");
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ErrorKind;

    #[test]
    fn a_line_each_within_80_columns() {
        let mut counts = GroupCounts {
            replies: 1_234_567,
            ..GroupCounts::default()
        };
        counts.wrong(ErrorKind::Body);
        (0..1_000).for_each(|_| counts.latencies.record(2_000_000));
        let long = "GET /a/path/that/goes/on/and/on/äöü";
        let requests = ["GET /a", long].map(|name| RequestSummary::new(name, &counts, 0.1));
        let table = table(&requests);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 3, "{table}");
        assert!(
            lines.iter().all(|line| line.chars().count() == 80),
            "{table}"
        );
        assert!(lines[1].starts_with("  GET /a  "), "{table}");
        assert!(
            lines[1].contains("1,234,567       1   123456.7  2.00ms"),
            "{table}"
        );
        assert!(
            lines[2].starts_with("  GET /a/path/that/goes/.. "),
            "{table}"
        );
        assert_eq!(super::table(&[]), "");
    }
}
