//! Whoever waits for a run: the load has threads of its own.

use super::options::LoadOptions;
use super::progress::Progress;
use deadheat_load::error::{Error, Kind, Result};
use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::run_control::{Interval, RunControl};
use deadheat_load::output::intervals::Gatherer;
use deadheat_load::signals::stop_signals;
use deadheat_load::target::{self, Spec, Target};
use rustix::event::{eventfd, poll, EventfdFlags, PollFd, PollFlags};
use std::io;
use std::os::fd::OwnedFd;

const INTERVAL_NS: u64 = 1_000_000_000;

/// Is told of a second; false: the run is to end.
pub type EachSecond<'a> = dyn FnMut(&Interval) -> Result<bool> + 'a;

/// How the program ends where a second signal cuts an orderly end short: as a shell tells of a
/// program that SIGINT has ended.
const INTERRUPTED: i32 = 130;

/// Follows runs: shows them live, tells of their intervals, ends them on a signal.
pub struct Watcher {
    pub stopped: bool,
    threads: usize,
    progress: Progress,
    signals: OwnedFd,
}

impl Watcher {
    /// Made before any thread, so that all of them leave the signals to it.
    pub fn new(options: &LoadOptions) -> Result<Self> {
        let signals =
            stop_signals().map_err(|error| Error::usage(format!("no signals: {error}")))?;
        Ok(Self {
            stopped: false,
            threads: options.threads,
            progress: Progress::new(options),
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
        self.threads = spec.threads * spec.hosts();
        let spec = spec.clone();
        let opening = std::thread::spawn(move || {
            let target = target::open(&spec);
            // Cannot fail: one addition to a counter of 64 bits.
            let _ = rustix::io::write(&tell, &1u64.to_ne_bytes());
            target
        });
        let control = RunControl::default();
        while !opening.is_finished() {
            self.wait(&done, &control).map_err(cannot)?;
            if self.stopped {
                // The thread ends with the process.
                let message = "stopped while connecting: nothing was measured";
                return Err(Error::new(Kind::Gone, message));
            }
        }
        opening.join().expect("a panic ends the program")
    }

    /// One run on `target`. `each_second` is told of each second of it as soon as it is over, and
    /// says whether the run is to go on.
    ///
    /// # Errors
    /// Those of `each_second`, which end the run.
    pub fn run(
        &mut self,
        target: &mut dyn Target,
        spec: &RunSpec,
        mut each_second: Option<&mut EachSecond<'_>>,
    ) -> Result<RunResult> {
        let cannot = |error: io::Error| Error::usage(format!("cannot wait: {error}"));
        let control = if self.progress.is_on() || each_second.is_some() {
            RunControl::watching(INTERVAL_NS)
        } else {
            RunControl::default()
        };
        let done = eventfd(0, EventfdFlags::CLOEXEC).map_err(|error| cannot(error.into()))?;
        let mut gatherer = Gatherer::new(self.threads);
        let mut shown = self.progress.begin(spec);
        let mut told = Ok(());
        let mut tell = |intervals: Vec<Interval>, control: &RunControl| {
            if let (Ok(()), Some(each_second)) = (&told, &mut each_second) {
                told = intervals.iter().try_for_each(|interval| {
                    if !each_second(interval)? {
                        control.stop();
                    }
                    Ok(())
                });
                if told.is_err() {
                    control.stop();
                }
            }
        };
        let result = std::thread::scope(|scope| {
            let load = scope.spawn(|| {
                deadheat_load::clock::exact_timers();
                let result = target.run(spec, &control);
                // Cannot fail: one addition to a counter of 64 bits.
                let _ = rustix::io::write(&done, &1u64.to_ne_bytes());
                result
            });
            while !load.is_finished() {
                if let Err(error) = self.wait(&done, &control) {
                    control.stop();
                    return Err(error);
                }
                let complete = gatherer.add(control.take());
                shown.add(&complete);
                tell(complete, &control);
            }
            load.join().expect("a panic ends the program")
        })
        .map_err(cannot)?;
        let mut rest = gatherer.add(control.take());
        rest.extend(gatherer.rest());
        rest.retain(|interval| interval.replies + interval.errors > 0);
        shown.add(&rest);
        tell(rest, &control);
        shown.end();
        told.map(|()| result)
    }

    /// Waits for a second, the end of the run, or a signal; that ends the run early.
    fn wait(&mut self, done: &OwnedFd, control: &RunControl) -> io::Result<()> {
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
            if self.stopped {
                eprintln!("ended at once by a second signal: nothing is summed up");
                std::process::exit(INTERRUPTED);
            }
            self.stopped = true;
            control.stop();
        }
        Ok(())
    }
}
