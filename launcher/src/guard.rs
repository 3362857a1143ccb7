//! The watch over a running program: commands in, events out, until it and all its kin are gone.

mod finish;

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::ExitCode;
use std::time::Duration;

use crate::event::{self, Event, Why};
use crate::lines::Lines;
use crate::output::Output;
use crate::spawn::{self, Childhood};
use crate::spec::{Command, Spec};
use crate::sys::{self, Pid};
use crate::trace::Trace;
use crate::{freeze, usage};

pub struct Guard {
    program: Pid,
    stdout: Output,
    stderr: Output,
    trace: Option<Trace>,
    lines: Lines,
    signals: OwnedFd,
    parent: Option<OwnedFd>,
    time_limit_at_ns: Option<u64>,
    grace_until_ns: Option<u64>,
    why: Why,
    end: Option<End>,
    nobody_left: bool,
    told_to_go: bool,
    childhood: Childhood,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy)]
struct End {
    status: i32,
    at_ns: u64,
}

impl Guard {
    pub fn start(spec: Spec, lines: Lines) -> Result<Guard, String> {
        let signals = sys::signal_fd()
            .map_err(|error| format!("cannot watch signals: {}", sys::describe_error(&error)))?;
        let parent = sys::watch_parent();
        let born = spawn::spawn(&spec)?;
        let at_ns = born.childhood.until_ns;
        event::send(&Event::Started {
            pid: born.pid,
            at_ns,
        });
        let limit_ns = spec
            .time_limit_ms
            .map(|limit| limit.saturating_mul(1_000_000));
        let mut guard = Guard {
            program: born.pid,
            childhood: born.childhood,
            stdout: born.stdout,
            stderr: born.stderr,
            trace: born.trace,
            lines,
            signals,
            parent,
            time_limit_at_ns: limit_ns.map(|limit| at_ns.saturating_add(limit)),
            grace_until_ns: None,
            why: Why::Exit,
            end: None,
            nobody_left: false,
            told_to_go: false,
            buffer: vec![0; 1 << 16],
        };
        for (pid, status) in born.exits {
            guard.note(pid, status);
        }
        Ok(guard)
    }

    pub fn watch(mut self) -> ExitCode {
        self.obey_all(); // commands may have come together with the spec
        loop {
            self.reap();
            if self.has_ended() {
                return self.finish();
            }
            self.keep_deadlines();
            let timeout = self
                .next_deadline_ns()
                .map(|at_ns| Duration::from_nanos(at_ns.saturating_sub(sys::monotonic_ns())));
            self.attend(timeout);
            if std::mem::take(&mut self.told_to_go) {
                self.kill(Why::Killed);
            }
        }
    }

    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Serves whatever comes within the timeout.
    fn attend(&mut self, timeout: Option<Duration>) {
        let stdin = if self.lines.ended() { -1 } else { 0 };
        let parent = self.parent.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let [command, orphaned] = self.serve([stdin, parent], timeout);
        if orphaned {
            self.parent = None;
        }
        if command {
            self.lines.fill();
            self.obey_all();
        }
        self.told_to_go |= orphaned || (command && self.lines.ended());
    }

    /// Keeps the program's output flowing and takes signals while waiting for anything else;
    /// which of `others` have news.
    fn serve<const N: usize>(
        &mut self,
        others: [RawFd; N],
        timeout: Option<Duration>,
    ) -> [bool; N] {
        let own = [self.signals.as_raw_fd(), self.stdout.fd(), self.stderr.fd()];
        let ([signal, stdout, stderr], news) = sys::poll(own, others, timeout);
        if signal {
            self.told_to_go |= sys::told_to_go(&self.signals);
        }
        if stdout {
            self.stdout.pump(&mut self.buffer);
        }
        if stderr {
            self.stderr.pump(&mut self.buffer);
        }
        news
    }

    /// Waits for a change of the tree, no longer than `pause`.
    pub fn rest(&mut self, pause: Duration) {
        let [] = self.serve([], Some(pause));
    }

    fn obey_all(&mut self) {
        while let Some(line) = self.lines.next() {
            self.obey(&line);
        }
    }

    fn obey(&mut self, line: &[u8]) {
        let refused = match Command::parse(line) {
            Err(message) => Some(message),
            Ok(Command::Usage { memory }) => {
                event::send(&Event::Usage(usage::measure(memory, self.childhood.cpu_ns)));
                None
            }
            Ok(Command::Freeze) if self.why != Why::Exit => {
                Some("cannot freeze: it is being stopped".into())
            }
            Ok(Command::Freeze) => match freeze::freeze(self) {
                Ok(false) => None, // `exited` is the answer
                Ok(true) => {
                    event::send(&Event::Frozen {
                        at_ns: sys::monotonic_ns(),
                    });
                    None
                }
                Err(message) => Some(message),
            },
            Ok(Command::Thaw) => {
                freeze::thaw();
                event::send(&Event::Thawed {
                    at_ns: sys::monotonic_ns(),
                });
                None
            }
            Ok(Command::Stop { grace_ms }) => {
                self.stop(grace_ms);
                None
            }
        };
        if let Some(message) = refused {
            event::send(&Event::Error { message: &message });
        }
    }

    fn stop(&mut self, grace_ms: u64) {
        self.why = Why::Stopped;
        freeze::thaw();
        sys::kill(-self.program, libc::SIGTERM);
        let grace_ns = grace_ms.saturating_mul(1_000_000);
        self.grace_until_ns = Some(sys::monotonic_ns().saturating_add(grace_ns));
    }

    fn keep_deadlines(&mut self) {
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

    /// Takes note of every exit and answers every trace stop; how many there were.
    pub fn reap(&mut self) -> usize {
        let mut count = 0;
        loop {
            match sys::wait_any() {
                Ok(None) => return count,
                Err(_) => {
                    self.nobody_left = true;
                    return count;
                }
                Ok(Some((pid, status))) => self.note(pid, status),
            }
            count += 1;
        }
    }

    fn note(&mut self, pid: Pid, status: i32) {
        let at_ns = sys::monotonic_ns();
        if libc::WIFSTOPPED(status) {
            if let Some(trace) = &mut self.trace {
                trace.stopped(pid, status);
            }
            return;
        }
        if let Some(trace) = &mut self.trace {
            trace.exited(pid);
        }
        if pid == self.program && self.end.is_none() {
            self.end = Some(End { status, at_ns });
        }
    }
}
