//! Two summaries side by side.

use clap::Args;
use deadheat_load::error::{Error, Result};
use deadheat_load::output::shown;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Compare {
    /// A summary that --save wrote
    a: PathBuf,
    /// Another one
    b: PathBuf,
}

/// A figure of a summary: what it is called, where it stands, how it is shown.
struct Figure {
    name: &'static str,
    of: fn(&Value) -> Option<f64>,
    shown: fn(Option<f64>) -> String,
}

const FIGURES: [Figure; 8] = [
    Figure::of("requests/s", |run| run["throughput_rps"].as_f64(), rate),
    Figure::of("mean", |run| run["latency_ms"]["mean"].as_f64(), shown::ms),
    Figure::of("50%", |run| run["latency_ms"]["p50"].as_f64(), shown::ms),
    Figure::of("90%", |run| run["latency_ms"]["p90"].as_f64(), shown::ms),
    Figure::of("99%", |run| run["latency_ms"]["p99"].as_f64(), shown::ms),
    Figure::of(
        "99.9%",
        |run| run["latency_ms"]["p99_9"].as_f64(),
        shown::ms,
    ),
    Figure::of("max", |run| run["latency_ms"]["max"].as_f64(), shown::ms),
    Figure::of("errors", |run| run["errors"].as_f64(), count),
];

impl Figure {
    const fn of(
        name: &'static str,
        of: fn(&Value) -> Option<f64>,
        shown: fn(Option<f64>) -> String,
    ) -> Self {
        Self { name, of, shown }
    }
}

impl Compare {
    /// Prints both and their ratios, with what that is worth.
    pub fn run(&self) -> Result<()> {
        let (a, b) = (summary(&self.a)?, summary(&self.b)?);
        print!("{}", table(&a, &b));
        Ok(())
    }
}

fn table(a: &Value, b: &Value) -> String {
    let mut text = format!("  {:<12}{:>12}{:>12}{:>9}\n", "", "a", "b", "b/a");
    for figure in &FIGURES {
        let (a, b) = ((figure.of)(a), (figure.of)(b));
        let ratio = match (a, b) {
            (Some(a), Some(b)) if a > 0.0 => format!("{:.3}", b / a),
            _ => "-".into(),
        };
        let (a, b) = ((figure.shown)(a), (figure.shown)(b));
        let _ = writeln!(text, "  {:<12}{a:>12}{b:>12}{ratio:>9}", figure.name);
    }
    text += "One run each settles nothing: the same server differs from run to run, often by 10% and more.\n";
    text += "Runs in turn, with an interval of the ratio, are what `deadheat` is for.\n";
    text
}

fn summary(path: &Path) -> Result<Value> {
    let wrong = |why: String| Error::usage(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let summary: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    match summary["throughput_rps"].is_number() {
        true => Ok(summary),
        false => Err(wrong("no summary that --save wrote".into())),
    }
}

fn rate(value: Option<f64>) -> String {
    value.map_or("-".into(), |rate| format!("{rate:.1}"))
}

fn count(value: Option<f64>) -> String {
    value.map_or("-".into(), |count| shown::thousands(count as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_side_by_side() {
        let run = |rps: f64, p99: Value| json!({"throughput_rps": rps, "errors": 0, "latency_ms": {"mean": 1.5, "p99": p99}});
        let text = table(&run(1_000.0, json!(2.0)), &run(1_250.0, json!(null)));
        let line = |name: &str| -> Vec<String> {
            let mut lines = text.lines().map(|line| line.split_whitespace());
            let line = lines.find(|line| line.clone().next() == Some(name));
            line.expect(name).skip(1).map(str::to_owned).collect()
        };
        assert_eq!(line("requests/s"), ["1000.0", "1250.0", "1.250"]);
        assert_eq!(line("mean"), ["1.50ms", "1.50ms", "1.000"]);
        assert_eq!(line("99%"), ["2.00ms", "-", "-"]);
        assert_eq!(line("errors"), ["0", "0", "-"]);
        assert!(text.contains("settles nothing"));
    }
}
