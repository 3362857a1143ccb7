//! The command line.

mod checks;
mod choices;
mod compare;
mod expect;
mod files;
mod grpc;
mod man;
mod merge;
mod metrics;
mod options;
mod outcome;
mod progress;
mod redis;
mod requests;
mod run;
mod serve;
mod sweep;
mod thresholds;
mod tls;
mod units;
mod watcher;
mod websocket;

pub use self::outcome::Outcome;

use self::options::LoadOptions;
use clap::{CommandFactory, Parser, Subcommand};
use deadheat_load::drive;
use deadheat_load::error::{Error, Result};
use std::io;

const EXAMPLES: &str = "\
Examples:
  deadheat-load http://127.0.0.1:8080/hello -c 64 -d 10s
  deadheat-load http://127.0.0.1:8080/hello -c 64 -d 10s -R 20000
  deadheat-load http://127.0.0.1:8080/items -X POST --data '{\"n\": {seq}}' -H 'Content-Type: application/json'
  deadheat-load http://127.0.0.1:8080/ --find-max 'p99<10ms' -d 2s
  deadheat-load https://127.0.0.1:8443/hello --http2 -c 10 --streams 50 --insecure
  deadheat-load ws://127.0.0.1:8070/ --data 'message {seq}' --expect-body 'message {seq}' --pipeline 4
  deadheat-load redis://127.0.0.1:6380 -r 'SET key:{seq} bar' -r 'GET foo' --pipeline 16
  deadheat-load grpc://127.0.0.1:50051 -c 10 --streams 50 --proto greeter.proto \\
      --call greeter.Greeter/SayHello --data '{\"name\": \"{token}\"}'
  deadheat-load serve http --port 8080

Templates: {token} is the same for a whole run, {seq} the number of the request from 0. Both work
in paths, header values and bodies of HTTP, in texts of gRPC messages and values of metadata, in
words of Redis commands, messages of WebSocket, and in what is expected of a reply. HTTP and WebSocket
have {rand:1:1000}, {uuid} and the columns of --values FILE besides.

Signals: SIGINT and SIGTERM end a run in order, with its summary; a second one ends it at once.

Exit codes: 0 done (or ended by a signal), 1 the asked rate was not achieved, no rate kept the
objective or a threshold was broken, 2 usage, nobody there, no verdict, or ended by a signal before
any load, 130 ended at once by a second signal.

More, with examples for each protocol: docs/load.md";

/// A load generator that is cheap per request and truthful about latency.
#[derive(Debug, Parser)]
#[command(name = "deadheat-load", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    load: LoadOptions,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Obey a referee: JSON lines on stdin and stdout (docs/engine-protocol.md)
    Drive,
    /// Show two summaries that --save wrote side by side
    Compare(compare::Compare),
    /// Put the logs that --hdr wrote on several machines together
    Merge(merge::Merge),
    /// Print the manual page, for man: deadheat-load man | man -l -
    Man,
    /// Print completions for a shell
    Completion { shell: clap_complete::Shell },
    /// Run a server that does the least a server may do, or injects faults on demand
    Serve {
        #[command(subcommand)]
        verb: Box<serve::Serve>,
    },
}

impl Cli {
    pub fn run(self) -> Result<Outcome> {
        match self.verb {
            Some(Verb::Drive) => drive::run(io::stdin().lock(), io::stdout().lock())
                .map(|()| Outcome::Done)
                .map_err(|error| Error::usage(format!("drive: {error}"))),
            Some(Verb::Compare(compare)) => compare.run().map(|()| Outcome::Done),
            Some(Verb::Merge(merge)) => merge.run().map(|()| Outcome::Done),
            Some(Verb::Man) => {
                print!("{}", man::page(&mut Self::command(), EXAMPLES));
                Ok(Outcome::Done)
            }
            Some(Verb::Completion { shell }) => {
                let mut command = Self::command();
                clap_complete::generate(shell, &mut command, "deadheat-load", &mut io::stdout());
                Ok(Outcome::Done)
            }
            Some(Verb::Serve { verb }) => verb.run().map(|()| Outcome::Done),
            None => load(&self.load),
        }
    }
}

fn load(options: &LoadOptions) -> Result<Outcome> {
    if let Some(objective) = options.find_max {
        sweep::find_max(options, objective)
    } else if options.steps.is_empty() {
        run::run(options)
    } else {
        sweep::steps(options)
    }
}
