//! The end: the program is gone, its kin go now, and the referee gets the account.

use std::process::ExitCode;
use std::time::Duration;

use super::{End, Guard};
use crate::event::{self, Event, Exited, Why};
use crate::output::Output;
use crate::sys::{self, Pid};
use crate::tree::{self, State};
use crate::{freeze, usage};

/// A killed process that has not gone after this long is stuck in the kernel.
const STUCK_NS: u64 = 10_000_000_000;

/// A helper that ends when its program has ended (Erlang's, at the end of a pipe) needs its turn on a CPU for
/// that: only what is there after this long was left behind.
const PARTING_NS: u64 = 500_000_000;

/// The kernel adds up resident pages a batch at a time: 32 pages a CPU, for small numbers of CPUs.
const COUNTER_ERROR_BYTES: u64 = 256 << 10;

impl Guard {
    pub(super) fn finish(mut self) -> ExitCode {
        let stray = match self.why {
            Why::Exit | Why::Stopped => self.left_behind(),
            Why::Killed | Why::TimeLimit => 0, // killed with the program, not left by it
        };
        let gone = self.clear();
        while self.stdout.pump(&mut self.buffer) {}
        while self.stderr.pump(&mut self.buffer) {}
        if let Some(exited) = self.exited(stray) {
            event::send(&Event::Exited(exited));
        }
        if gone {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    /// How many of the program's kin are still alive, once those that are just going have gone.
    fn left_behind(&mut self) -> usize {
        let settled_ns = sys::monotonic_ns() + PARTING_NS;
        loop {
            self.reap();
            let members = tree::members();
            let alive = members.iter().filter(|m| m.state != State::Dead).count();
            if alive == 0 || sys::monotonic_ns() > settled_ns {
                return alive;
            }
            self.rest(Duration::from_millis(1));
        }
    }

    fn clear(&mut self) -> bool {
        let give_up_ns = sys::monotonic_ns() + STUCK_NS;
        loop {
            freeze::kill();
            self.reap();
            if self.nobody_left {
                return true;
            }
            if sys::monotonic_ns() > give_up_ns {
                let pids: Vec<Pid> = tree::members().iter().map(|member| member.pid).collect();
                let message = format!("cannot kill {pids:?}: still there 10 s after SIGKILL");
                event::send(&Event::Error { message: &message });
                return false;
            }
            self.rest(Duration::from_millis(1));
        }
    }

    fn exited(&self, stray: usize) -> Option<Exited> {
        let End { status, at_ns } = self.end?;
        let (user_ns, system_ns, largest_bytes) = sys::reaped_usage();
        let (user_ns, system_ns) = usage::without(self.childhood.cpu_ns, user_ns, system_ns);
        // Untraced, the kernel's own record serves where it is clear of what the program was before exec.
        let clear_of_bytes = self
            .childhood
            .peak_bytes
            .saturating_add(COUNTER_ERROR_BYTES);
        let recorded = (largest_bytes > clear_of_bytes).then_some(largest_bytes);
        let (peak_memory_bytes, tree_peak_memory_bytes) = match &self.trace {
            Some(trace) => (trace.program_peak_bytes(), trace.tree_peak_bytes()),
            None => (recorded, None),
        };
        let error = |output: &Output, name| output.error().map(|error| format!("{name}: {error}"));
        Some(Exited {
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            at_ns,
            wall_ns: at_ns - self.childhood.until_ns,
            user_ns,
            system_ns,
            peak_memory_bytes,
            tree_peak_memory_bytes,
            why: self.why,
            stray,
            stdout_bytes: self.stdout.bytes(),
            stderr_bytes: self.stderr.bytes(),
            output_error: error(&self.stdout, "stdout").or_else(|| error(&self.stderr, "stderr")),
        })
    }
}
