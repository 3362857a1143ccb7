//! Prometheus' text format, 0.0.4.

use super::{Exposition, LATENCY, LATENCY_HELP};
use std::fmt::Write as _;

impl Exposition {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for counter in self.counters() {
            let (name, help, value) = (counter.name, counter.help, counter.value);
            let _ = write!(
                text,
                "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}\n"
            );
        }
        let name = LATENCY;
        let _ = write!(
            text,
            "# HELP {name} {LATENCY_HELP}\n# TYPE {name} histogram\n"
        );
        for (end_s, count) in self.buckets() {
            let _ = writeln!(text, "{name}_bucket{{le=\"{end_s}\"}} {count}");
        }
        let (count, sum_s) = (self.latencies.count(), self.sum_s());
        let _ = write!(
            text,
            "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum_s}\n{name}_count {count}\n"
        );
        text
    }
}
