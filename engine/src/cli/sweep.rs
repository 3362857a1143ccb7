//! Several runs at different rates: a latency curve, or a search for the highest rate.

use super::load::Load;
use super::run::{outcome, summary, Watcher};
use super::Outcome;
use deadheat_load::error::Result;
use deadheat_load::output::shown;
use deadheat_load::output::summary::Summary;
use deadheat_load::search::{highest, Figure, Objective};

/// Within 2% of the limit is near enough: the machine's noise is larger.
const PRECISION: f64 = 0.02;

/// `--steps`: one run a rate, one line a run.
pub fn steps(options: &Load) -> Result<Outcome> {
    let spec = options.spec()?;
    let mut watcher = Watcher::new(options)?;
    let mut target = watcher.open(&spec)?;
    if !options.json {
        println!(
            "{}\n{}",
            options.heading(&spec, None, target.io()),
            line_heading()
        );
    }
    let mut summaries = Vec::new();
    for &rate in &options.steps {
        let slice = watcher.turn(target.as_mut(), &options.turn(Some(rate)))?;
        let summary = summary(&slice, target.as_mut());
        if !options.json {
            println!("{}", line(rate, &summary));
        }
        summaries.push(summary);
        if watcher.stopped {
            break;
        }
    }
    if options.json {
        println!("{}", serde_json::to_string(&summaries).expect("plain data"));
    }
    let fell_short = summaries.iter().any(Summary::fell_short);
    Ok(outcome(options, fell_short && !watcher.stopped))
}

/// `--find-max`: the highest rate that keeps the objective, without errors or a shortfall.
pub fn find_max(options: &Load, objective: Objective) -> Result<Outcome> {
    let spec = options.spec()?;
    let mut watcher = Watcher::new(options)?;
    let mut target = watcher.open(&spec)?;
    eprintln!(
        "{}\n{}",
        options.heading(&spec, None, target.io()),
        line_heading()
    );
    let mut failure = None;
    let found = highest(options.first_rate(), PRECISION, |rate| {
        if watcher.stopped || failure.is_some() {
            return false;
        }
        let slice = match watcher.turn(target.as_mut(), &options.turn(Some(rate))) {
            Ok(slice) => slice,
            Err(error) => {
                failure = Some(error);
                return false;
            }
        };
        let below_ms = match objective.figure {
            Figure::Mean => {
                slice.counts.latency_sum_ns as f64 / slice.counts.replies.max(1) as f64 / 1e6
            }
            Figure::Max => slice.counts.latency_max_ns as f64 / 1e6,
            Figure::Quantile(quantile) => {
                let latencies = target.latencies().as_hdr();
                latencies.value_at_quantile(quantile) as f64 / 1e6
            }
        };
        let summary = summary(&slice, target.as_mut());
        let holds = below_ms < objective.below_ms
            && summary.errors == 0
            && summary.requests > 0
            && !summary.fell_short();
        let word = if holds { "holds" } else { "fails" };
        eprintln!("{}  {word}", line(rate, &summary));
        holds
    });
    if let Some(error) = failure {
        return Err(error);
    }
    if options.json {
        println!(
            "{}",
            serde_json::json!({ "max_rps": found, "below_ms": objective.below_ms })
        );
    } else {
        println!("highest rate that keeps the objective: {found:.0}/s");
    }
    Ok(outcome(options, found == 0.0 && !watcher.stopped))
}

fn line_heading() -> String {
    format!(
        "{:>12} {:>12} {:>9} {:>9} {:>9} {:>9} {:>8}",
        "asked/s", "achieved/s", "p50", "p90", "p99", "max", "errors"
    )
}

fn line(rate: f64, summary: &Summary) -> String {
    let latency = &summary.latency_ms;
    format!(
        "{:>12.1} {:>12.1} {:>9} {:>9} {:>9} {:>9} {:>8}",
        rate,
        summary
            .open_loop
            .as_ref()
            .map_or(0.0, |open| open.achieved_rps),
        shown::ms(latency.p50),
        shown::ms(latency.p90),
        shown::ms(latency.p99),
        shown::ms(latency.max),
        summary.errors
    )
}
