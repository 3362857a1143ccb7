//! Several runs at different rates: a latency curve, or a search for the highest rate.

use super::options::LoadOptions;
use super::outcome::Outcome;
use super::watcher::Watcher;
use deadheat_load::error::{Error, Result};
use deadheat_load::load::run::RunResult;
use deadheat_load::output::shown;
use deadheat_load::output::summary::Summary;
use deadheat_load::search::{highest, Objective};

/// Within 2% of the limit is near enough: the machine's noise is larger.
const PRECISION: f64 = 0.02;

/// `--steps`: one run a rate, one line a run.
pub fn steps(options: &LoadOptions) -> Result<Outcome> {
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
        let result = watcher.run(target.as_mut(), &options.run_spec(&spec, Some(rate)), None)?;
        let summary = Summary::new(&result, target.io());
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
    Ok(Outcome::of(options, fell_short && !watcher.stopped))
}

/// `--find-max`: the highest rate that keeps the objective, without errors or a shortfall.
pub fn find_max(options: &LoadOptions, objective: Objective) -> Result<Outcome> {
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
        let result = match watcher.run(target.as_mut(), &options.run_spec(&spec, Some(rate)), None)
        {
            Ok(result) => result,
            Err(error) => {
                failure = Some(error);
                return false;
            }
        };
        let summary = Summary::new(&result, target.io());
        let may_hold = summary.errors == 0 && summary.requests > 0 && !summary.fell_short();
        let holds = may_hold
            && match objective.figure.of(&result.latencies) {
                Some(ms) => ms < objective.below_ms,
                None => {
                    failure = (!watcher.stopped).then(|| too_few(&result));
                    false
                }
            };
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
    Ok(Outcome::of(options, found == 0.0 && !watcher.stopped))
}

/// A percentile is told where 10 observations lie beyond it.
fn too_few(run: &RunResult) -> Error {
    Error::usage(format!(
        "--find-max: {} requests a run are too few to tell this percentile (at least 10 must lie beyond it): a longer -d, or a higher -R to begin with",
        run.counts.replies
    ))
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
