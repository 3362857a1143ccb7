//! The command line.

pub mod serve;
mod units;

use clap::{Args, Parser, Subcommand};
use deadheat_load::error::{Error, Result};
use deadheat_load::load::turn::Turn;
use deadheat_load::protocol::http1::Expect;
use deadheat_load::target::Spec;

const EXAMPLES: &str = "\
Examples:
  deadheat-load http://127.0.0.1:8080/hello -c 64 -d 10s
  deadheat-load http://127.0.0.1:8080/hello -c 64 -d 3s --json
  deadheat-load serve http --port 8080
  deadheat-load drive < commands.jsonl";

/// A load generator that is cheap per request and checks every reply.
#[derive(Debug, Parser)]
#[command(name = "deadheat-load", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Option<Verb>,
    #[command(flatten)]
    pub load: Load,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Obey a referee: JSON lines on stdin and stdout (docs/engine-protocol.md)
    Drive,
    /// Run a server that does the least a server may do
    Serve {
        #[command(subcommand)]
        verb: serve::Serve,
    },
}

#[derive(Debug, Args)]
pub struct Load {
    /// Where the load goes: http://host:port/path
    #[arg(required = true)]
    pub url: Option<String>,
    /// Threads, one event loop each
    #[arg(short = 't', long, default_value_t = 1, value_name = "N")]
    pub threads: usize,
    /// Connections, each with one request in flight
    #[arg(short = 'c', long, default_value_t = 64, value_name = "N")]
    pub connections: usize,
    /// How long to count (10s, 500ms, 2m)
    #[arg(short = 'd', long, default_value = "10s", value_parser = units::milliseconds, value_name = "TIME")]
    pub duration: u64,
    /// Load before counting begins
    #[arg(long, default_value = "0ms", value_parser = units::milliseconds, value_name = "TIME")]
    pub warmup: u64,
    /// How long a reply or a connection may take
    #[arg(long, default_value = "5s", value_parser = units::milliseconds, value_name = "TIME")]
    pub timeout: u64,
    /// Status that every reply must have (default: any below 400)
    #[arg(long, value_name = "CODE")]
    pub expect_status: Option<u16>,
    /// Body that every reply must have
    #[arg(long, value_name = "TEXT")]
    pub expect_body: Option<String>,
    /// Allow addresses outside loopback and private ranges
    #[arg(long)]
    pub remote: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

impl Load {
    pub fn spec(&self) -> Result<Spec> {
        let url = self
            .url
            .clone()
            .ok_or_else(|| Error::usage("a URL is needed"))?;
        if self.threads != 1 {
            return Err(Error::usage("-t: only 1 thread so far"));
        }
        if self.duration == 0 {
            return Err(Error::usage("-d: has to be longer than 0"));
        }
        let path = deadheat_load::address::Url::parse(&url)?.path;
        let mut request = deadheat_load::protocol::http1::Request::get(&path);
        request.expect = Expect {
            status: self.expect_status,
            body: self.expect_body.clone(),
            success: true,
        };
        Ok(Spec {
            connections: self.connections,
            timeout_ms: self.timeout,
            remote: self.remote,
            ..Spec::new(&url, request)
        })
    }

    pub fn turn(&self) -> Turn {
        Turn {
            token: "deadheat".into(),
            lead_in_ms: self.warmup,
            counted_ms: self.duration,
            ..Turn::default()
        }
    }

    pub fn heading(&self, spec: &Spec) -> String {
        format!(
            "{}: {} connections for {:.1} s, 1 thread\n",
            spec.url,
            spec.connections,
            self.duration as f64 / 1000.0
        )
    }
}
