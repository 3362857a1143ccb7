//! `--fail-if` and `--abort`.

use clap::Args;
use deadheat_load::error::{Error, Result};
use deadheat_load::histogram::Latencies;
use deadheat_load::load::run::RunResult;
use deadheat_load::load::run_control::Interval;
use deadheat_load::output::summary::Summary;
use deadheat_load::threshold::{End, Judged, Seen, Threshold};

#[derive(Debug, Args)]
pub struct ThresholdOptions {
    /// Exit with 1 if the run was so: 'p99 > 20ms', 'errors > 0.1%', 'errors > 5', 'rate < 0.99', 'rps < 5000', 'first-content p99 > 2s' (also first-event, gap, last-content, per-token); may be given several times
    #[arg(long, value_name = "THRESHOLD", conflicts_with_all = ["steps", "find_max"], help_heading = HEADING)]
    pub fail_if: Vec<Threshold>,
    /// End the run as soon as a threshold on latency or errors is broken
    #[arg(long, requires = "fail_if", help_heading = HEADING)]
    abort: bool,
}

const HEADING: &str = "Thresholds";

/// The thresholds of one run, and what they say of it.
pub struct Thresholds {
    all: Vec<Threshold>,
    abort: bool,
    /// The run was ended by one of them.
    pub aborted: bool,
    pub judged: Vec<Judged>,
    latencies: Latencies,
    replies: u64,
    errors: u64,
}

impl Thresholds {
    pub fn new(options: &ThresholdOptions) -> Self {
        Self {
            all: options.fail_if.clone(),
            abort: options.abort,
            aborted: false,
            judged: Vec::new(),
            latencies: Latencies::default(),
            replies: 0,
            errors: 0,
        }
    }

    pub fn may_abort(&self) -> bool {
        self.abort
    }

    /// A second is over: whether the run is to go on.
    pub fn go_on(&mut self, interval: &Interval) -> bool {
        if !self.abort || self.aborted {
            return true;
        }
        self.latencies.merge(&interval.latencies);
        self.replies += interval.replies;
        self.errors += interval.errors;
        let seen = Seen {
            latencies: &self.latencies,
            replies: self.replies,
            errors: self.errors,
            end: None,
        };
        let judged = self.all.iter().map(|threshold| threshold.judge(&seen));
        self.judged = judged
            .filter(|judged| judged.failed == Some(true))
            .collect();
        self.aborted = !self.judged.is_empty();
        if self.aborted {
            eprintln!(
                "ended after {} s: a threshold is broken",
                interval.index + 1
            );
        }
        !self.aborted
    }

    /// The run is over.
    ///
    /// # Errors
    /// There is no verdict: it was cut short, or too few observations were made.
    pub fn judge(&mut self, run: &RunResult, summary: &Summary, stopped: bool) -> Result<()> {
        if self.aborted || self.all.is_empty() {
            return Ok(());
        }
        let open = run.open_loop.as_ref();
        let end = End {
            throughput_rps: summary.throughput_rps,
            rate: open.map(|open| open.achieved_rps / open.asked_rps),
            streams: run.streams.as_ref(),
            messages: run.messages.as_ref().and_then(|all| all.latencies.as_ref()),
        };
        let seen = Seen {
            latencies: &run.latencies,
            replies: summary.requests,
            errors: summary.errors,
            end: (!stopped).then_some(end),
        };
        let judged = self.all.iter().map(|threshold| threshold.judge(&seen));
        self.judged = judged.collect();
        if stopped {
            self.judged
                .iter_mut()
                .for_each(|judged| judged.failed = None);
            return Err(Error::usage(
                "no verdict: the run was cut short by a signal, and --fail-if judges whole runs",
            ));
        }
        // What failed has failed, whatever cannot be told.
        let failed = self.judged.iter().any(|judged| judged.failed == Some(true));
        let unknown = self.judged.iter().find(|judged| judged.failed.is_none());
        match unknown {
            Some(judged) if !failed => Err(Error::usage(format!(
                "no verdict: too few observations for --fail-if '{}' (at least 10 must lie beyond a percentile): a longer -d",
                judged.fail_if
            ))),
            _ => Ok(()),
        }
    }
}
