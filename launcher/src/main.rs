//! `deadheat-launch`: starts one program, supervises its process tree, and leaves nothing behind.
//! The protocol is docs/launcher-protocol.md.

mod child;
mod event;
mod finish;
mod freeze;
mod image;
mod lines;
mod output;
mod procfs;
mod program;
mod spawn;
mod spec;
mod supervisor;
mod sys;
mod trace;
mod tree;
mod usage;

use std::process::ExitCode;

use event::Event;
use lines::Lines;
use spec::Spec;
use supervisor::Supervisor;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => run(),
        Some("--version") => {
            println!("deadheat-launch {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some(_) => {
            eprintln!("deadheat-launch takes no arguments: it reads what to start, one JSON object, on stdin");
            ExitCode::from(2)
        }
    }
}

fn run() -> ExitCode {
    let mut lines = Lines::new();
    let Some(first) = lines.wait_for_one() else {
        return ExitCode::SUCCESS; // the referee went away before it asked for anything
    };
    let started = Spec::parse(&first).and_then(|spec| {
        sys::become_subreaper()?;
        Supervisor::start(spec, lines)
    });
    match started {
        Ok(supervisor) => supervisor.run(),
        Err(message) => {
            event::send(&Event::Failed { message: &message });
            ExitCode::FAILURE
        }
    }
}
