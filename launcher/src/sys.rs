//! Thin safe wrappers over the system calls that std does not have.

use std::ffi::CStr;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::null_mut;
use std::time::Duration;

pub type Pid = libc::pid_t;

/// Signals that mean "go away" to the launcher itself.
const FAREWELLS: [i32; 4] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT];

pub fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// The system's words for an error, without Rust's "(os error 2)".
pub fn describe(errno: i32) -> String {
    // SAFETY: strerror returns a valid C string; this process has one thread.
    unsafe { CStr::from_ptr(libc::strerror(errno)) }
        .to_string_lossy()
        .into_owned()
}

pub fn describe_error(error: &io::Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.to_string(), describe)
}

pub fn is_transient(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
    )
}

/// A session of its own, the adopter of every orphan below.
pub fn become_guardian() -> Result<(), String> {
    // SAFETY: no pointers. setsid fails where we lead a group already, which serves as well.
    unsafe {
        libc::setsid();
        check(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    }
    .map(drop)
    .map_err(|error| format!("cannot become subreaper: {}", describe_error(&error)))
}

pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC).unwrap_or(0)
}

/// CPU time of a whole process, its dead threads included. A thread that runs on another CPU right
/// now, unless it is the leader, counts up to its last scheduler tick; of a frozen process it is exact.
pub fn process_cpu_ns(pid: Pid) -> io::Result<u64> {
    clock_ns((!pid << 3) | 2)
}

fn clock_ns(clock: libc::clockid_t) -> io::Result<u64> {
    // SAFETY: `time` is ours and outlives the call.
    let mut time: libc::timespec = unsafe { zeroed() };
    check(unsafe { libc::clock_gettime(clock, &mut time) })?;
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

pub fn own_pid() -> Pid {
    // SAFETY: cannot fail.
    unsafe { libc::getpid() }
}

pub fn kill(pid: Pid, signal: i32) {
    // SAFETY: no pointers. A process that is gone meanwhile is what we wanted anyway.
    unsafe { libc::kill(pid, signal) };
}

/// Readable when the referee, our parent, has died. `None` on kernels before 5.3.
pub fn watch_parent() -> Option<OwnedFd> {
    // SAFETY: no pointers; a descriptor that is returned is ours.
    unsafe {
        let parent = libc::getppid();
        let fd = check(libc::syscall(libc::SYS_pidfd_open, parent, 0) as i32).ok()?;
        Some(OwnedFd::from_raw_fd(fd))
    }
}

/// Blocks SIGCHLD and the farewells, and gives them as something to poll.
pub fn signal_fd() -> io::Result<OwnedFd> {
    // SAFETY: `set` is ours and initialised by sigemptyset.
    unsafe {
        let mut set = zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        for signal in FAREWELLS {
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

/// Empties the signal descriptor; true if one of the signals was a farewell.
pub fn told_to_go(fd: &OwnedFd) -> bool {
    let mut told = false;
    let mut record = [0; size_of::<libc::signalfd_siginfo>()];
    while matches!(read(fd.as_raw_fd(), &mut record), Ok(count) if count == record.len()) {
        // ssi_signo is the first field.
        let signal = u32::from_ne_bytes([record[0], record[1], record[2], record[3]]) as i32;
        told |= FAREWELLS.contains(&signal);
    }
    told
}

pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for both; both are ours.
    unsafe {
        check(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC))?;
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// Only this end: the other end of a pipe has flags of its own.
pub fn set_nonblocking(fd: &OwnedFd) -> io::Result<()> {
    // SAFETY: no pointers.
    unsafe { check(libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK)) }.map(drop)
}

pub fn read(fd: RawFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the kernel writes at most buffer.len() bytes.
    let count = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

pub fn write(fd: RawFd, buffer: &[u8]) -> io::Result<usize> {
    // SAFETY: the kernel reads at most buffer.len() bytes.
    let count = unsafe { libc::write(fd, buffer.as_ptr().cast(), buffer.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Waits for any of two sets of descriptors (a negative one is skipped); which of them have news.
pub fn poll<const N: usize, const M: usize>(
    first: [RawFd; N],
    second: [RawFd; M],
    timeout: Option<Duration>,
) -> ([bool; N], [bool; M]) {
    let mut polled: Vec<libc::pollfd> = first
        .iter()
        .chain(&second)
        .map(|&fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    let time = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(timeout.subsec_nanos() as i32),
    });
    let time = time
        .as_ref()
        .map_or(std::ptr::null(), |time| time as *const _);
    // SAFETY: N + M records, and a time that outlives the call or null.
    unsafe {
        libc::ppoll(
            polled.as_mut_ptr(),
            polled.len() as libc::nfds_t,
            time,
            std::ptr::null(),
        )
    };
    let news = |index: usize| polled[index].revents != 0;
    (
        std::array::from_fn(news),
        std::array::from_fn(|index| news(N + index)),
    )
}

/// User and system time, and the largest peak (bytes), of all that we have reaped: the program,
/// orphans that came to us, and what they had waited for. Never what we merely traced.
pub fn reaped_usage() -> (u64, u64, u64) {
    // SAFETY: `usage` is ours and outlives the call.
    let mut usage: libc::rusage = unsafe { zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let nanoseconds =
        |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    (
        nanoseconds(usage.ru_utime),
        nanoseconds(usage.ru_stime),
        usage.ru_maxrss as u64 * 1024,
    )
}

/// One change of state of a child or tracee, if there is one now.
/// `Err` when there is nobody left to wait for.
pub fn wait_any() -> io::Result<Option<(Pid, i32)>> {
    let mut status = 0;
    // SAFETY: `status` is ours and outlives the call.
    let pid = check(unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG | libc::__WALL) })?;
    Ok((pid != 0).then_some((pid, status)))
}

/// The unit of CPU times in /proc.
pub fn tick_ns() -> u64 {
    // SAFETY: no pointers.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    1_000_000_000 / u64::try_from(per_second).unwrap_or(100).max(1)
}
