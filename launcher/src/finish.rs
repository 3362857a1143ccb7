//! The end: the program has exited, its descendants go now, and the referee gets the account.

use std::process::ExitCode;
use std::time::Duration;

use crate::event::{self, Event, Exited, Why};
use crate::output::Output;
use crate::program::{Exit, Program};
use crate::sys::{self, Pid};
use crate::tree::{self, State};
use crate::{freeze, usage};

/// A killed process that has not gone after this long is stuck in the kernel.
const KILL_TIMEOUT_NS: u64 = 10_000_000_000;

/// A helper that ends when its program has ended (Erlang's, at the end of a pipe) needs its turn on a CPU for
/// that: only what is there after this long was left behind.
const STRAY_AFTER_NS: u64 = 500_000_000;

/// The kernel adds up resident pages a batch at a time: 32 pages a CPU, for small numbers of CPUs.
const COUNTER_ERROR_BYTES: u64 = 256 << 10;

pub fn finish(mut program: Program, why: Why) -> ExitCode {
    let stray = match why {
        Why::Exit | Why::Stopped => count_strays(&mut program),
        Why::Killed | Why::TimeLimit => 0, // killed with the program, not left by it
    };
    let all_gone = kill_all(&mut program);
    program.drain_output();
    if let Some(exit) = program.exit {
        event::send(&Event::Exited(account(&program, exit, why, stray)));
    }
    if all_gone {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// How many descendants are still alive, once those that are just going have gone.
fn count_strays(program: &mut Program) -> usize {
    let settled_ns = sys::monotonic_ns() + STRAY_AFTER_NS;
    loop {
        program.reap();
        let members = tree::members();
        let alive = members.iter().filter(|m| m.state != State::Dead).count();
        if alive == 0 || sys::monotonic_ns() > settled_ns {
            return alive;
        }
        program.wait_for_change(Duration::from_millis(1));
    }
}

/// False if some process outlives SIGKILL.
fn kill_all(program: &mut Program) -> bool {
    let give_up_ns = sys::monotonic_ns() + KILL_TIMEOUT_NS;
    loop {
        freeze::kill();
        program.reap();
        if program.all_reaped {
            return true;
        }
        if sys::monotonic_ns() > give_up_ns {
            let pids: Vec<Pid> = tree::members().iter().map(|member| member.pid).collect();
            let message = format!("cannot kill {pids:?}: still there 10 s after SIGKILL");
            event::send(&Event::Error { message: &message });
            return false;
        }
        program.wait_for_change(Duration::from_millis(1));
    }
}

fn account(program: &Program, exit: Exit, why: Why, stray: usize) -> Exited {
    let Exit { status, at_ns } = exit;
    let before_exec = program.before_exec;
    let (user_ns, system_ns, largest_bytes) = sys::reaped_usage();
    let (user_ns, system_ns) = usage::without(before_exec.cpu_ns, user_ns, system_ns);
    // Untraced, the kernel's own record serves where it is clear of what the program was before exec.
    let clear_of_bytes = before_exec.peak_bytes.saturating_add(COUNTER_ERROR_BYTES);
    let recorded = (largest_bytes > clear_of_bytes).then_some(largest_bytes);
    let (peak_memory_bytes, tree_peak_memory_bytes) = match &program.trace {
        Some(trace) => (trace.program_peak_bytes(), trace.tree_peak_bytes()),
        None => (recorded, None),
    };
    let error = |output: &Output, name| output.error().map(|error| format!("{name}: {error}"));
    Exited {
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
        at_ns,
        wall_ns: at_ns - before_exec.until_ns,
        user_ns,
        system_ns,
        peak_memory_bytes,
        tree_peak_memory_bytes,
        why,
        stray,
        stdout_bytes: program.stdout.bytes(),
        stderr_bytes: program.stderr.bytes(),
        output_error: error(&program.stdout, "stdout").or_else(|| error(&program.stderr, "stderr")),
    }
}
