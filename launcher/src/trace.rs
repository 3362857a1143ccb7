//! Peak memory of each process of the tree, read at its exit stop, when its memory is still there.
//!
//! A signal, a fork, a new thread and an exit each stop the tracee for some tens of microseconds;
//! otherwise it runs untouched. Ask for a peak where nothing is timed.

use std::collections::HashMap;
use std::ptr::null_mut;

use crate::procfs;
use crate::sys::{self, Pid};

const OPTIONS: libc::c_int = libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_EXITKILL;

pub struct Trace {
    program: Pid,
    lifetimes: Lifetimes,
}

impl Trace {
    /// `None` where the system does not allow it (Yama, seccomp).
    pub fn seize(program: Pid) -> Option<Trace> {
        request(libc::PTRACE_SEIZE, program, OPTIONS as usize).ok()?;
        let mut lifetimes = Lifetimes::default();
        lifetimes.begin(program);
        Some(Trace { program, lifetimes })
    }

    /// A thread stopped: learn what there is to learn, and let it do what it was going to do.
    pub fn stopped(&mut self, tid: Pid, status: i32) {
        let signal = libc::WSTOPSIG(status);
        match status >> 16 {
            0 => resume(tid, signal),
            libc::PTRACE_EVENT_STOP if is_job_stop(signal) => listen(tid),
            libc::PTRACE_EVENT_EXIT => {
                if let Some(process) = procfs::process_of(tid) {
                    self.lifetimes
                        .note_peak(process, procfs::peak_memory_bytes(tid));
                }
                resume(tid, 0);
            }
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK => {
                self.lifetimes.begin(new_process(tid));
                resume(tid, 0);
            }
            libc::PTRACE_EVENT_CLONE => {
                let new = new_process(tid);
                if procfs::process_of(new) == Some(new) {
                    self.lifetimes.begin(new);
                }
                resume(tid, 0);
            }
            _ => resume(tid, 0),
        }
    }

    pub fn exited(&mut self, pid: Pid) {
        self.lifetimes.end(pid);
    }

    pub fn program_peak_bytes(&self) -> Option<u64> {
        self.lifetimes.peak_of_first(self.program)
    }

    pub fn tree_peak_bytes(&self) -> Option<u64> {
        self.lifetimes.highest_sum()
    }
}

fn is_job_stop(signal: i32) -> bool {
    [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU].contains(&signal)
}

/// A tracee that was killed meanwhile is no error: its end is reported by wait.
fn resume(tid: Pid, signal: i32) {
    let _ = request(libc::PTRACE_CONT, tid, signal as usize);
}

/// Stays stopped, as the signal meant it to, until SIGCONT.
fn listen(tid: Pid) {
    let _ = request(libc::PTRACE_LISTEN, tid, 0);
}

fn new_process(tid: Pid) -> Pid {
    let mut pid: libc::c_ulong = 0;
    let _ = request(
        libc::PTRACE_GETEVENTMSG,
        tid,
        &mut pid as *mut libc::c_ulong as usize,
    );
    pid as Pid
}

fn request(what: libc::c_uint, tid: Pid, data: usize) -> std::io::Result<()> {
    // SAFETY: `data` is a number, or for GETEVENTMSG the address of an unsigned long.
    let result = unsafe {
        libc::ptrace(
            what,
            tid,
            null_mut::<libc::c_void>(),
            data as *mut libc::c_void,
        )
    };
    sys::check(result as libc::c_int).map(drop)
}

/// When each process lived, in events rather than seconds, and how large it grew.
#[derive(Default)]
struct Lifetimes {
    events: u64,
    all: Vec<Lifetime>,
    living: HashMap<Pid, usize>,
}

struct Lifetime {
    pid: Pid,
    from: u64,
    until: u64,
    peak_bytes: Option<u64>,
}

impl Lifetimes {
    fn begin(&mut self, pid: Pid) {
        if self.living.contains_key(&pid) {
            return;
        }
        self.events += 1;
        self.living.insert(pid, self.all.len());
        self.all.push(Lifetime {
            pid,
            from: self.events,
            until: u64::MAX,
            peak_bytes: None,
        });
    }

    /// The later figure stands: a peak only grows, except at exec, where it begins anew.
    fn note_peak(&mut self, pid: Pid, bytes: Option<u64>) {
        self.begin(pid);
        let life = &mut self.all[self.living[&pid]];
        life.peak_bytes = bytes.or(life.peak_bytes);
    }

    fn end(&mut self, pid: Pid) {
        if let Some(index) = self.living.remove(&pid) {
            self.events += 1;
            self.all[index].until = self.events;
        }
    }

    fn peak_of_first(&self, pid: Pid) -> Option<u64> {
        self.all.iter().find(|life| life.pid == pid)?.peak_bytes
    }

    /// The largest sum of the peaks of processes that lived at the same time. The tree held no
    /// more than this at any moment; shared pages count once for each sharer.
    fn highest_sum(&self) -> Option<u64> {
        let mut steps = Vec::with_capacity(2 * self.all.len());
        for life in &self.all {
            let bytes = i128::from(life.peak_bytes?);
            steps.push((life.from, bytes));
            steps.push((life.until, -bytes));
        }
        steps.sort_unstable();
        let mut sum = 0;
        let highest = steps.into_iter().map(|(_, bytes)| {
            sum += bytes;
            sum
        });
        u64::try_from(highest.max()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_lived_together_are_summed() {
        let mut lifetimes = Lifetimes::default();
        lifetimes.begin(1);
        lifetimes.begin(2);
        lifetimes.note_peak(2, Some(50));
        lifetimes.end(2);
        lifetimes.begin(3);
        lifetimes.note_peak(3, Some(20));
        lifetimes.end(3);
        lifetimes.note_peak(1, Some(7));
        lifetimes.end(1);
        assert_eq!(lifetimes.highest_sum(), Some(57));
        assert_eq!(lifetimes.peak_of_first(1), Some(7));
    }

    #[test]
    fn one_unknown_peak_makes_the_sum_unknown() {
        let mut lifetimes = Lifetimes::default();
        lifetimes.begin(1);
        lifetimes.note_peak(1, Some(7));
        lifetimes.begin(2);
        lifetimes.end(2);
        assert_eq!(lifetimes.highest_sum(), None);
    }

    #[test]
    fn a_pid_that_comes_back_is_another_life() {
        let mut lifetimes = Lifetimes::default();
        for bytes in [5, 9] {
            lifetimes.begin(4);
            lifetimes.note_peak(4, Some(bytes));
            lifetimes.end(4);
        }
        assert_eq!(lifetimes.all.len(), 2);
        assert_eq!(lifetimes.highest_sum(), Some(9));
    }
}
