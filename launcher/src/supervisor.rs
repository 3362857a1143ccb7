//! Supervises a running program: commands in, events out, until it and all its descendants are gone.

use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;
use std::time::Duration;

use crate::event::{self, Event, Why};
use crate::finish::finish;
use crate::lines::Lines;
use crate::program::Program;
use crate::spec::{Command, Spec};
use crate::sys::{self, Signal};
use crate::{freeze, spawn, usage};

pub struct Supervisor {
    program: Program,
    lines: Lines,
    parent: Option<OwnedFd>,
    time_limit_at_ns: Option<u64>,
    grace_until_ns: Option<u64>,
    why: Why,
    /// The referee is gone, or a signal came: kill the tree.
    termination_requested: bool,
}

impl Supervisor {
    pub fn start(spec: Spec, lines: Lines) -> Result<Supervisor, String> {
        let signals = sys::signal_fd()
            .map_err(|error| format!("cannot watch signals: {}", sys::describe(&error)))?;
        let parent = sys::watch_parent();
        let program = spawn::spawn(&spec, signals)?;
        let at_ns = program.before_exec.until_ns;
        event::send(&Event::Started {
            pid: program.pid,
            at_ns,
        });
        let limit_ns = spec
            .time_limit_ms
            .map(|limit| limit.saturating_mul(1_000_000));
        Ok(Supervisor {
            program,
            lines,
            parent,
            time_limit_at_ns: limit_ns.map(|limit| at_ns.saturating_add(limit)),
            grace_until_ns: None,
            why: Why::Exit,
            termination_requested: false,
        })
    }

    pub fn run(mut self) -> ExitCode {
        self.execute_pending(); // commands may have come together with the spec
        loop {
            self.program.reap();
            if self.program.exit.is_some() {
                return finish(self.program, self.why);
            }
            self.enforce_deadlines();
            let timeout = self
                .next_deadline_ns()
                .map(|at_ns| Duration::from_nanos(at_ns.saturating_sub(sys::monotonic_ns())));
            self.wait_for_events(timeout);
            let by_signal = std::mem::take(&mut self.program.termination_requested);
            let by_referee = std::mem::take(&mut self.termination_requested);
            if by_signal || by_referee {
                self.kill(Why::Killed);
            }
        }
    }

    /// Handles whatever comes within the timeout.
    fn wait_for_events(&mut self, timeout: Option<Duration>) {
        let sources = [self.lines.fd(), self.parent.as_ref().map(AsFd::as_fd)];
        let [command, orphaned] = self.program.poll(sources, timeout);
        if orphaned {
            self.parent = None;
        }
        if command {
            self.lines.fill();
            self.execute_pending();
        }
        self.termination_requested |= orphaned || (command && self.lines.ended());
    }

    fn execute_pending(&mut self) {
        while let Some(line) = self.lines.next() {
            if let Err(message) = self.execute(&line) {
                event::send(&Event::Error { message: &message });
            }
        }
    }

    fn execute(&mut self, line: &[u8]) -> Result<(), String> {
        match Command::parse(line)? {
            Command::Usage { memory } => {
                let cpu_ns = self.program.before_exec.cpu_ns;
                event::send(&Event::Usage(usage::measure(memory, cpu_ns)));
            }
            Command::Freeze if self.why != Why::Exit => {
                return Err("cannot freeze: it is being stopped".into());
            }
            Command::Freeze => {
                // Otherwise `exited` is the answer.
                if freeze::freeze(&mut self.program)? {
                    event::send(&Event::Frozen {
                        at_ns: sys::monotonic_ns(),
                    });
                }
            }
            Command::Thaw => {
                freeze::thaw();
                event::send(&Event::Thawed {
                    at_ns: sys::monotonic_ns(),
                });
            }
            Command::Stop { grace_ms } => self.stop(grace_ms),
        }
        Ok(())
    }

    fn stop(&mut self, grace_ms: u64) {
        self.why = Why::Stopped;
        freeze::thaw();
        sys::kill_group(self.program.pid, Signal::TERM);
        let grace_ns = grace_ms.saturating_mul(1_000_000);
        self.grace_until_ns = Some(sys::monotonic_ns().saturating_add(grace_ns));
    }

    fn enforce_deadlines(&mut self) {
        let now_ns = sys::monotonic_ns();
        if self.time_limit_at_ns.is_some_and(|at_ns| at_ns <= now_ns) {
            self.kill(Why::TimeLimit);
        } else if self.grace_until_ns.is_some_and(|at_ns| at_ns <= now_ns) {
            self.kill(Why::Killed);
        }
    }

    fn next_deadline_ns(&self) -> Option<u64> {
        [self.time_limit_at_ns, self.grace_until_ns]
            .into_iter()
            .flatten()
            .min()
    }

    fn kill(&mut self, why: Why) {
        self.why = why;
        self.time_limit_at_ns = None;
        self.grace_until_ns = None;
        freeze::kill();
    }
}
