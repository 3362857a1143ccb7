//! One run: the load in threads of its own, its watcher here.

use super::load::Load;
use super::Outcome;
use deadheat_load::error::{Error, Kind, Result};
use deadheat_load::load::control::{Control, Interval};
use deadheat_load::load::turn::{Slice, Turn};
use deadheat_load::output::intervals::Gatherer;
use deadheat_load::output::summary::Summary;
use deadheat_load::output::{csv, hdr_log, shown};
use deadheat_load::serve::signal::stop_signals;
use deadheat_load::target::{self, Spec, Target};
use rustix::event::{eventfd, poll, EventfdFlags, PollFd, PollFlags};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::SystemTime;

const INTERVAL_NS: u64 = 1_000_000_000;

/// Runs what the options say and prints the summary.
pub fn run(options: &Load) -> Result<Outcome> {
    let spec = options.spec()?;
    let mut files = Files::create(options)?;
    let mut watcher = Watcher::new(options)?;
    let mut target = watcher.open(&spec)?;
    if !options.json {
        println!("{}", options.heading(&spec, None, target.io()));
    }
    let started = SystemTime::now();
    let slice = watcher.turn(target.as_mut(), &options.turn(None))?;
    files.write(started, &watcher.intervals)?;
    let summary = summary(&slice, target.as_mut());
    let text = if options.json {
        serde_json::to_string(&summary).expect("a summary is plain data") + "\n"
    } else {
        summary.to_string()
    };
    // A closed pipe (`| head`) is no reason for a message.
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(outcome(options, summary.fell_short() && !watcher.stopped))
}

/// What the exit code says.
pub fn outcome(options: &Load, fell_short: bool) -> Outcome {
    if fell_short && !options.allow_shortfall {
        eprintln!("the asked rate was not achieved (--allow-shortfall makes this no failure)");
        Outcome::FellShort
    } else {
        Outcome::Done
    }
}

/// The summary of the run just made; the target's histograms start afresh.
pub fn summary(slice: &Slice, target: &mut dyn Target) -> Summary {
    let service = std::mem::take(target.service());
    let latencies = std::mem::take(target.latencies());
    Summary::new(slice, &latencies, &service, target.io())
}

/// Follows runs: shows them live, keeps their intervals, ends them on a signal.
pub struct Watcher {
    pub intervals: Vec<Interval>,
    pub stopped: bool,
    threads: usize,
    live: bool,
    keep: bool,
    signals: OwnedFd,
}

impl Watcher {
    /// Made before any thread, so that all of them leave the signals to it.
    pub fn new(options: &Load) -> Result<Self> {
        let signals =
            stop_signals().map_err(|error| Error::usage(format!("no signals: {error}")))?;
        Ok(Self {
            intervals: Vec::new(),
            stopped: false,
            threads: options.threads,
            live: !options.quiet && io::stderr().is_terminal(),
            keep: options.csv.is_some() || options.hdr.is_some(),
            signals,
        })
    }

    /// Opens the target in a thread of its own, so that a signal is heard meanwhile.
    ///
    /// # Errors
    /// Those of [`target::open`], and a signal.
    pub fn open(&mut self, spec: &Spec) -> Result<Box<dyn Target>> {
        let cannot = |error: io::Error| Error::usage(format!("cannot wait: {error}"));
        let done = eventfd(0, EventfdFlags::CLOEXEC).map_err(|error| cannot(error.into()))?;
        let tell = done.try_clone().map_err(cannot)?;
        let spec = spec.clone();
        let opening = std::thread::spawn(move || {
            let target = target::open(&spec);
            // Cannot fail: one addition to a counter of 64 bits.
            let _ = rustix::io::write(&tell, &1u64.to_ne_bytes());
            target
        });
        let control = Control::default();
        while !opening.is_finished() {
            self.wait(&done, &control).map_err(cannot)?;
            if self.stopped {
                // The thread ends with the process.
                let message = "stopped while connecting: nothing was measured";
                return Err(Error::new(Kind::Gone, message));
            }
        }
        opening
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// One run on `target`.
    pub fn turn(&mut self, target: &mut dyn Target, turn: &Turn) -> Result<Slice> {
        let cannot = |error: io::Error| Error::usage(format!("cannot wait: {error}"));
        let control = if self.live || self.keep {
            Control::watching(INTERVAL_NS)
        } else {
            Control::default()
        };
        let done = eventfd(0, EventfdFlags::CLOEXEC).map_err(|error| cannot(error.into()))?;
        let mut gatherer = Gatherer::new(self.threads);
        let slice = std::thread::scope(|scope| {
            let load = scope.spawn(|| {
                deadheat_load::clock::exact_timers();
                let slice = target.turn(turn, &control);
                // Cannot fail: one addition to a counter of 64 bits.
                let _ = rustix::io::write(&done, &1u64.to_ne_bytes());
                slice
            });
            while !load.is_finished() {
                if let Err(error) = self.wait(&done, &control) {
                    control.stop();
                    return Err(error);
                }
                let complete = gatherer.add(control.take());
                self.show(complete);
            }
            load.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
        .map_err(cannot)?;
        let mut rest = gatherer.add(control.take());
        rest.extend(gatherer.rest());
        rest.retain(|interval| interval.replies + interval.errors > 0);
        self.show(rest);
        if self.live {
            eprint!("\r\x1b[K");
        }
        Ok(slice)
    }

    /// Waits for a second, the end of the run, or a signal; that ends the run early.
    fn wait(&mut self, done: &OwnedFd, control: &Control) -> io::Result<()> {
        let second = deadheat_load::clock::to_timespec(INTERVAL_NS);
        let mut fds = [
            PollFd::new(done, PollFlags::IN),
            PollFd::new(&self.signals, PollFlags::IN),
        ];
        match poll(&mut fds, Some(&second)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !fds[1].revents().is_empty() {
            let mut signal = [0; 128];
            let _ = rustix::io::read(&self.signals, &mut signal);
            self.stopped = true;
            control.stop();
        }
        Ok(())
    }

    fn show(&mut self, intervals: Vec<Interval>) {
        if self.live {
            if let Some(last) = intervals.last() {
                let ms = |q| last.latencies.quantile_ns(q).map(|ns| ns as f64 / 1e6);
                eprint!(
                    "\r\x1b[K{:>5} s  {:>11}/s  p50 {}  p99 {}  errors {}",
                    last.index + 1,
                    shown::thousands(last.replies),
                    shown::ms(ms(0.5)),
                    shown::ms(ms(0.99)),
                    last.errors
                );
            }
        }
        if self.keep {
            self.intervals.extend(intervals);
        }
    }
}

/// The files that were asked for; made before any load, so that a wrong path is told first.
struct Files {
    csv: Option<BufWriter<File>>,
    hdr: Option<BufWriter<File>>,
}

impl Files {
    fn create(options: &Load) -> Result<Self> {
        let create = |path: &Option<_>| path.as_deref().map(create).transpose();
        Ok(Self {
            csv: create(&options.csv)?,
            hdr: create(&options.hdr)?,
        })
    }

    fn write(&mut self, started: SystemTime, intervals: &[Interval]) -> Result<()> {
        self.try_write(started, intervals)
            .map_err(|error| Error::usage(format!("cannot write the results: {error}")))
    }

    fn try_write(&mut self, started: SystemTime, intervals: &[Interval]) -> io::Result<()> {
        if let Some(file) = &mut self.csv {
            csv::heading(file)?;
            intervals
                .iter()
                .try_for_each(|interval| csv::line(file, interval))?;
            file.flush()?;
        }
        if let Some(file) = &mut self.hdr {
            hdr_log::write(&mut *file, started, intervals)?;
            file.flush()?;
        }
        Ok(())
    }
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    File::create(path)
        .map(BufWriter::new)
        .map_err(|error| Error::usage(format!("{}: {error}", path.display())))
}
