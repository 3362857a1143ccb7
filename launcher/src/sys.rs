//! System calls in the launcher's own terms: by rustix, or by libc where rustix has none.

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, RawPid, WaitOptions};
use rustix::time::ClockId;

pub use rustix::process::Signal;

pub type Pid = RawPid;

/// Signals that ask the launcher itself to terminate.
const TERMINATION_SIGNALS: [libc::c_int; 4] =
    [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT];

/// The result of a libc call that returns -1 on failure.
pub fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// The system's words for an error, without Rust's "(os error 2)".
pub fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(errno) => text.replace(&format!(" (os error {errno})"), ""),
        None => text,
    }
}

/// A session of its own, and the parent of every orphan below.
pub fn become_subreaper() -> Result<(), String> {
    let _ = rustix::process::setsid(); // fails where we lead a group already, which serves as well
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| format!("cannot become subreaper: {}", describe(&error.into())))
}

pub fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(ClockId::Monotonic);
    nanoseconds(time.tv_sec, time.tv_nsec)
}

/// CPU time of a whole process, its dead threads included. A thread that runs on another CPU right
/// now, unless it is the leader, counts up to its last scheduler tick; of a frozen process it is exact.
pub fn process_cpu_ns(pid: Pid) -> io::Result<u64> {
    let clock = (!pid << 3) | 2; // as clock_getcpuclockid(3) makes it
                                 // SAFETY: `time` is ours and outlives the call.
    let time = unsafe {
        let mut time: libc::timespec = zeroed();
        check(libc::clock_gettime(clock, &mut time))?;
        time
    };
    Ok(nanoseconds(time.tv_sec, time.tv_nsec))
}

fn nanoseconds(seconds: i64, rest_ns: i64) -> u64 {
    seconds as u64 * 1_000_000_000 + rest_ns as u64
}

pub fn own_pid() -> Pid {
    rustix::process::getpid().as_raw_pid()
}

/// A process that is gone meanwhile is what we wanted anyway.
pub fn kill(pid: Pid, signal: Signal) {
    if let Some(pid) = rustix::process::Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// As `kill`, to every process of a group.
pub fn kill_group(leader: Pid, signal: Signal) {
    if let Some(leader) = rustix::process::Pid::from_raw(leader) {
        let _ = rustix::process::kill_process_group(leader, signal);
    }
}

/// Readable when the referee, our parent, has died. `None` on kernels before 5.3.
pub fn watch_parent() -> Option<OwnedFd> {
    rustix::process::pidfd_open(rustix::process::getppid()?, PidfdFlags::empty()).ok()
}

/// Blocks SIGCHLD and the termination signals, and gives them as something to poll.
pub fn signal_fd() -> io::Result<OwnedFd> {
    // SAFETY: `set` is ours and initialised by sigemptyset.
    unsafe {
        let mut set = zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        for signal in TERMINATION_SIGNALS {
            libc::sigaddset(&mut set, signal);
        }
        check(libc::sigprocmask(libc::SIG_BLOCK, &set, null_mut()))?;
        let fd = check(libc::signalfd(
            -1,
            &set,
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        ))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Empties the signal descriptor; true if one of the signals asked us to terminate.
pub fn termination_requested(fd: &OwnedFd) -> bool {
    let mut requested = false;
    let mut record = [0; size_of::<libc::signalfd_siginfo>()];
    while matches!(rustix::io::read(fd, &mut record), Ok(count) if count == record.len()) {
        // ssi_signo is the first field.
        let signal = u32::from_ne_bytes([record[0], record[1], record[2], record[3]]);
        requested |= TERMINATION_SIGNALS.contains(&(signal as libc::c_int));
    }
    requested
}

/// Both ends are closed by exec.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// What `read` found.
pub enum Read {
    Bytes(usize),
    /// Nothing now: it would block, or a signal came.
    Nothing,
    /// The end of the file, or an error that stays.
    End,
}

pub fn read(fd: impl AsFd, buffer: &mut [u8]) -> Read {
    match rustix::io::read(fd, buffer) {
        Ok(0) => Read::End,
        Ok(count) => Read::Bytes(count),
        Err(Errno::INTR | Errno::AGAIN) => Read::Nothing,
        Err(_) => Read::End,
    }
}

/// Waits until one of two sets of descriptors is readable or at its end; which of them are.
/// `None` never is, and nothing is when the timeout is over or a signal came.
pub fn poll<const N: usize, const M: usize>(
    first: [Option<BorrowedFd>; N],
    second: [Option<BorrowedFd>; M],
    timeout: Option<Duration>,
) -> ([bool; N], [bool; M]) {
    let mut polled: Vec<PollFd> = first
        .iter()
        .chain(&second)
        .flatten()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    if rustix::event::poll(&mut polled, timeout.as_ref()).is_err() {
        return ([false; N], [false; M]);
    }
    let mut readable = polled.iter().map(|fd| !fd.revents().is_empty());
    let mut answer = |fd: Option<BorrowedFd>| fd.is_some() && readable.next().unwrap_or(false);
    (first.map(&mut answer), second.map(&mut answer))
}

/// User and system time, and the largest peak (bytes), of all that we have reaped: the program,
/// orphans that came to us, and what they had waited for. Never what we merely traced.
pub fn reaped_usage() -> (u64, u64, u64) {
    // SAFETY: `usage` is ours and outlives the call.
    let usage = unsafe {
        let mut usage: libc::rusage = zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let cpu_ns = |time: libc::timeval| nanoseconds(time.tv_sec, time.tv_usec * 1_000);
    (
        cpu_ns(usage.ru_utime),
        cpu_ns(usage.ru_stime),
        usage.ru_maxrss as u64 * 1024,
    )
}

/// One change of state of a child or tracee, its threads included, if there is one now.
/// `Err` when there is nobody left to wait for.
pub fn wait_any() -> io::Result<Option<(Pid, libc::c_int)>> {
    let any_thread = WaitOptions::from_bits_retain(libc::__WALL as u32);
    let changed = rustix::process::wait(WaitOptions::NOHANG | any_thread)?;
    Ok(changed.map(|(pid, status)| (pid.as_raw_pid(), status.as_raw())))
}

/// The unit of CPU times in /proc.
pub fn tick_ns() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_in_the_systems_words() {
        let error = io::Error::from_raw_os_error(libc::ENOENT);
        assert_eq!(describe(&error), "No such file or directory");
    }

    #[test]
    fn only_descriptors_with_news_are_named() {
        let (quiet, _kept) = pipe().unwrap();
        let (ended, _) = pipe().unwrap();
        let (first, second) = ([Some(quiet.as_fd()), None], [Some(ended.as_fd())]);
        // A child of a test beside this one holds the other end until its exec.
        let patience = Some(Duration::from_secs(60));
        assert_eq!(poll(first, second, patience), ([false, false], [true]));
    }

    #[test]
    fn the_clock_of_another_process_is_its_own() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let cpu_ns = process_cpu_ns(child.id() as Pid).unwrap();
        assert!(cpu_ns < monotonic_ns());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(process_cpu_ns(child.id() as Pid).is_err());
    }
}
