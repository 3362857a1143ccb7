//! The shape of a latency distribution in a few lines of text.

use super::shown;
use crate::histogram::Latencies;

const WIDTH: f64 = 40.0;

/// One line for each doubling of latency that has any observations between the first and the
/// last: upper end, count, share as a bar.
pub fn bars(latencies: &Latencies) -> String {
    let all = latencies.count();
    if all == 0 {
        return String::new();
    }
    let mut ends: Vec<(u64, u64)> = Vec::new();
    for value in latencies.as_hdr().iter_recorded() {
        let end_ns = value.value_iterated_to().max(1).next_power_of_two();
        match ends.last_mut() {
            Some((last, count)) if *last == end_ns => *count += value.count_at_value(),
            _ => ends.push((end_ns, value.count_at_value())),
        }
    }
    let most = ends.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let line = |(end_ns, count): &(u64, u64)| {
        let length = (*count as f64 / most as f64 * WIDTH).ceil() as usize;
        format!(
            "  {:>8} {:>12} {:>6.2}% {}\n",
            shown::ms(Some(*end_ns as f64 / 1e6)),
            shown::thousands(*count),
            *count as f64 / all as f64 * 100.0,
            "#".repeat(length)
        )
    };
    ends.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_doubling_and_every_observation_in_one() {
        let mut latencies = Latencies::default();
        for ns in [100_000, 100_500, 120_000, 900_000] {
            latencies.record(ns);
        }
        let text = bars(&latencies);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(
            lines[0].contains("131us") && lines[0].contains("75.00%"),
            "{text}"
        );
        assert!(lines[0].ends_with(&"#".repeat(40)), "{text}");
        assert!(lines[1].contains("25.00%"), "{text}");
        assert_eq!(bars(&Latencies::default()), "");
    }
}
