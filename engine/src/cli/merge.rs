//! HdrHistogram logs of several machines, or of several runs, put together.

use clap::Args;
use deadheat_load::error::{Error, Result};
use deadheat_load::histogram::Latencies;
use deadheat_load::output::hdr_log::{self, Log};
use deadheat_load::output::summary::LatencyMs;
use deadheat_load::output::{bars, latency_table, shown};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Merge {
    /// Logs that --hdr wrote, here or elsewhere
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Merged {
    logs: usize,
    /// Right replies: a log has no others.
    requests: u64,
    /// The sum of each log's own rate: right for generators that ran at the same time.
    throughput_rps: f64,
    latency_ms: LatencyMs,
}

impl Merge {
    pub fn run(&self) -> Result<()> {
        let mut all = Latencies::default();
        let mut throughput_rps = 0.0;
        for path in &self.logs {
            let log = read(path)?;
            if log.seconds > 0.0 {
                throughput_rps += log.latencies.count() as f64 / log.seconds;
            }
            all.merge(&log.latencies);
        }
        let merged = Merged {
            logs: self.logs.len(),
            requests: all.count(),
            throughput_rps,
            latency_ms: LatencyMs::new(&all),
        };
        if self.json {
            println!("{}", serde_json::to_string(&merged).expect("plain data"));
            return Ok(());
        }
        print!(
            "{}{}",
            latency_table(&merged.latency_ms, None),
            bars::bars(&all)
        );
        println!(
            "{} requests in {} logs",
            shown::thousands(merged.requests),
            merged.logs
        );
        println!("requests/s, if they ran at the same time: {throughput_rps:.2}");
        Ok(())
    }
}

fn read(path: &Path) -> Result<Log> {
    let wrong = |why: String| Error::usage(format!("{}: {why}", path.display()));
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    hdr_log::read(&text).map_err(wrong)
}
