//! The clocks that everything is measured by, in nanoseconds.

use rustix::time::{clock_gettime, ClockId, Timespec};

const NS_PER_S: u64 = 1_000_000_000;

/// CLOCK_MONOTONIC now.
#[inline]
pub fn now_ns() -> u64 {
    to_ns(clock_gettime(ClockId::Monotonic))
}

/// CLOCK_REALTIME now, in which the kernel stamps what arrives.
#[inline]
pub fn real_ns() -> u64 {
    to_ns(clock_gettime(ClockId::Realtime))
}

/// CLOCK_REALTIME less CLOCK_MONOTONIC, as it is now: somebody may set the clock. If anything it
/// is too small, so that no stamp of the kernel seems to be earlier than it was.
#[inline]
pub fn real_offset_ns() -> u64 {
    real_ns().wrapping_sub(now_ns())
}

/// Lets this thread's timers fire when they are due, not up to 50 us later as usual.
pub fn exact_timers() {
    // Not granted, requests go out a little late: no reason to give up.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Returns when CLOCK_MONOTONIC is at `at_ns` or later.
pub fn sleep_until(at_ns: u64) {
    while let Some(left_ns) = at_ns.checked_sub(now_ns()).filter(|&left_ns| left_ns > 0) {
        std::thread::sleep(std::time::Duration::from_nanos(left_ns));
    }
}

/// CPU time (user and system) of this process so far.
pub fn own_cpu_ns() -> u64 {
    to_ns(clock_gettime(ClockId::ProcessCPUTime))
}

/// CPU time (user and system, all threads) of another process so far; `None` if there is none.
pub fn process_cpu_ns(pid: i32) -> Option<u64> {
    // The kernel's MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED), see clock_getcpuclockid(3).
    const CPUCLOCK_SCHED: libc::clockid_t = 2;
    if pid <= 0 {
        return None;
    }
    let clock = (!pid << 3) | CPUCLOCK_SCHED;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the kernel to write one timespec to. rustix has no
    // call for a clock made from a process id.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    (status == 0).then(|| time.tv_sec as u64 * NS_PER_S + time.tv_nsec as u64)
}

/// Sum of [`process_cpu_ns`] over `pids`; `None` if there are none, or one is gone.
pub fn processes_cpu_ns(pids: &[i32]) -> Option<u64> {
    if pids.is_empty() {
        return None;
    }
    pids.iter().map(|&pid| process_cpu_ns(pid)).sum()
}

fn to_ns(time: Timespec) -> u64 {
    time.tv_sec as u64 * NS_PER_S + time.tv_nsec as u64
}

/// The other way round, for a system call that wants to know how long to wait.
pub fn to_timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / NS_PER_S) as i64,
        tv_nsec: (ns % NS_PER_S) as _,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_process_is_read_like_any_other() {
        let own = own_cpu_ns();
        let other = process_cpu_ns(std::process::id() as i32).expect("this process lives");
        assert!(other >= own, "{other} was read after {own}");
    }

    #[test]
    fn a_process_that_is_gone_has_no_clock() {
        let mut child = std::process::Command::new("true").spawn().expect("spawn");
        let pid = child.id() as i32;
        child.wait().expect("wait");
        assert_eq!(process_cpu_ns(pid), None);
        assert_eq!(processes_cpu_ns(&[std::process::id() as i32, pid]), None);
        assert_eq!(processes_cpu_ns(&[]), None);
    }
}
