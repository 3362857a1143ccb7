mod cli;

use clap::Parser;
use cli::{Cli, Verb};
use deadheat_load::error::{Error, Result};
use deadheat_load::{drive, target};
use std::io::{self, Write};
use std::process::ExitCode;

const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(USAGE)
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    match cli.verb {
        Some(Verb::Drive) => drive::run(io::stdin().lock(), io::stdout().lock())
            .map_err(|error| Error::usage(format!("drive: {error}"))),
        Some(Verb::Serve { verb }) => verb.run(),
        None => load(&cli.load),
    }
}

fn load(options: &cli::Load) -> Result<()> {
    let spec = options.spec()?;
    let mut target = target::open(&spec)?;
    let slice = target
        .turn(
            &options.turn(),
            &deadheat_load::load::control::Control::default(),
        )
        .map_err(|error| Error::usage(format!("cannot wait: {error}")))?;
    let summary = deadheat_load::summary::Summary::new(&slice, target.latencies());
    let text = if options.json {
        serde_json::to_string(&summary).expect("a summary is plain data") + "\n"
    } else {
        options.heading(&spec) + &summary.table()
    };
    // A closed pipe (`| head`) is no reason for a message.
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(())
}
