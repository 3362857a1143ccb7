//! The running program: its output drained, every exit and trace stop below us noted.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use crate::output::Output;
use crate::sys::{self, Pid};
use crate::trace::Trace;

pub struct Program {
    pub pid: Pid,
    pub before_exec: BeforeExec,
    pub stdout: Output,
    pub stderr: Output,
    pub trace: Option<Trace>,
    /// Of the program itself; its descendants may live on.
    pub exit: Option<Exit>,
    /// Nobody is left to wait for: neither the program nor any descendant.
    pub all_reaped: bool,
    /// A signal has asked the launcher to terminate.
    pub termination_requested: bool,
    signals: OwnedFd,
    buffer: Vec<u8>,
}

/// What the kernel puts on the program's account, and was ours: from fork to just before exec.
#[derive(Debug, Clone, Copy)]
pub struct BeforeExec {
    pub until_ns: u64,
    pub peak_bytes: u64,
    pub cpu_ns: u64,
}

#[derive(Clone, Copy)]
pub struct Exit {
    /// As waitpid gives it.
    pub status: libc::c_int,
    pub at_ns: u64,
}

impl Program {
    pub fn new(
        pid: Pid,
        before_exec: BeforeExec,
        [stdout, stderr]: [Output; 2],
        trace: Option<Trace>,
        signals: OwnedFd,
    ) -> Program {
        Program {
            pid,
            before_exec,
            stdout,
            stderr,
            trace,
            exit: None,
            all_reaped: false,
            termination_requested: false,
            signals,
            buffer: vec![0; 1 << 16],
        }
    }

    /// Keeps the program's output flowing and takes signals while waiting for anything else;
    /// which of `others` are readable.
    pub fn poll<const N: usize>(
        &mut self,
        others: [Option<BorrowedFd>; N],
        timeout: Option<Duration>,
    ) -> [bool; N] {
        let own = [
            Some(self.signals.as_fd()),
            self.stdout.fd(),
            self.stderr.fd(),
        ];
        let ([signal, stdout, stderr], readable) = sys::poll(own, others, timeout);
        if signal {
            self.termination_requested |= sys::termination_requested(&self.signals);
        }
        if stdout {
            self.stdout.read_piece(&mut self.buffer);
        }
        if stderr {
            self.stderr.read_piece(&mut self.buffer);
        }
        readable
    }

    /// Waits for a change of the tree, no longer than `pause`.
    pub fn wait_for_change(&mut self, pause: Duration) {
        let [] = self.poll([], Some(pause));
    }

    /// Reads what is left of the output; for when everybody who could write is gone.
    pub fn drain_output(&mut self) {
        while self.stdout.read_piece(&mut self.buffer) {}
        while self.stderr.read_piece(&mut self.buffer) {}
    }

    /// Notes every exit and answers every trace stop; how many there were.
    pub fn reap(&mut self) -> usize {
        let mut count = 0;
        loop {
            match sys::wait_any() {
                Ok(None) => return count,
                Err(_) => {
                    self.all_reaped = true;
                    return count;
                }
                Ok(Some((pid, status))) => self.note(pid, status),
            }
            count += 1;
        }
    }

    /// A change of state as waitpid told it.
    pub fn note(&mut self, pid: Pid, status: libc::c_int) {
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
        if pid == self.pid && self.exit.is_none() {
            self.exit = Some(Exit { status, at_ns });
        }
    }
}
