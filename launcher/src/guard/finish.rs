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

/// The kernel adds up resident pages a batch at a time: 32 pages a CPU, for small numbers of CPUs.
const COUNTER_ERROR_BYTES: u64 = 256 << 10;

impl Guard {
    pub(super) fn finish(mut self) -> ExitCode {
        let stray = match self.why {
            Why::Exit | Why::Stopped => tree::members()
                .iter()
                .filter(|member| member.state != State::Dead)
                .count(),
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
