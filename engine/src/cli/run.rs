//! One run, and its summary.

use super::choices::FormatArg;
use super::files::Files;
use super::metrics::Endpoint;
use super::options::LoadOptions;
use super::outcome::Outcome;
use super::thresholds::Thresholds;
use super::watcher::Watcher;
use deadheat_load::error::{Error, Result};
use deadheat_load::load::groups::Groups;
use deadheat_load::load::run_control::Interval;
use deadheat_load::output::ghz::GhzSummary;
use deadheat_load::output::summary::Summary;
use std::io::{self, Write};
use std::time::SystemTime;

/// Runs what the options say and prints the summary.
pub fn run(options: &LoadOptions) -> Result<Outcome> {
    let spec = options.spec()?;
    let mut thresholds = Thresholds::new(&options.thresholds);
    let mut files = Files::create(options)?;
    let mut watcher = Watcher::new(options)?;
    let mut target = watcher.open(&spec)?;
    if !options.json && options.format.is_none() {
        println!("{}", options.heading(&spec, spec.rate(), target.io()));
    }
    files.begin(SystemTime::now())?;
    let endpoint = Endpoint::listen(options.metrics)?;
    let is_watched = files.are_asked_for() || thresholds.may_abort() || endpoint.is_asked_for();
    let mut each_second = |interval: &Interval| {
        endpoint.add(interval);
        files.add(interval)?;
        Ok(thresholds.go_on(interval))
    };
    let result = watcher.run(
        target.as_mut(),
        &options.run_spec(&spec, spec.rate()),
        is_watched.then_some(&mut each_second),
    )?;
    let names = Groups::names(&spec.labels());
    let mut summary = Summary::new(&result, target.io())
        .by_request(&result, &names, &spec.rates())
        .by_assertion(&result, spec.assertions());
    let verdict = thresholds.judge(&result, &summary, watcher.stopped);
    summary.thresholds = thresholds.judged;
    let json = serde_json::to_string(&summary).expect("a summary is plain data") + "\n";
    if let Some(path) = &options.save {
        std::fs::write(path, &json)
            .map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
    }
    let text = match options.format {
        Some(FormatArg::Ghz) => {
            let by_count = options.requests_count.is_some();
            let ghz = GhzSummary::new(&result, &summary, by_count, watcher.stopped);
            serde_json::to_string(&ghz).expect("plain data") + "\n"
        }
        None if options.json => json,
        None => summary.to_string(),
    };
    // A closed pipe (`| head`) is no reason for a message.
    let _ = io::stdout().write_all(text.as_bytes());
    verdict?;
    let fell_short = summary.fell_short() && !watcher.stopped && !thresholds.aborted;
    match summary
        .thresholds
        .iter()
        .any(|judged| judged.failed == Some(true))
    {
        true => Ok(Outcome::Failed),
        false => Ok(Outcome::of(options, fell_short)),
    }
}
