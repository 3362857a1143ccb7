mod cli;

use clap::Parser;
use cli::{Cli, Outcome};
use std::process::ExitCode;

const FELL_SHORT: u8 = 1;
const USAGE: u8 = 2;

fn main() -> ExitCode {
    deadheat_load::limits::allow_open_files();
    match Cli::parse().run() {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::FellShort | Outcome::Failed) => ExitCode::from(FELL_SHORT),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(USAGE)
        }
    }
}
