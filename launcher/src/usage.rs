//! CPU time and memory of the living tree.

use std::fs;

use crate::event::Usage;
use crate::procfs::{self, Stat};
use crate::sys::{self, Pid};
use crate::tree::{self, State};

/// Readings that a death spoilt, before one is taken as it is.
const ATTEMPTS: usize = 4;

/// `memory` costs a walk over the page tables of each process.
/// `before_exec_ns` is CPU time that was ours, not the program's.
pub fn measure(memory: bool, before_exec_ns: u64) -> Usage {
    let mut usage = Usage::default();
    for _ in 0..ATTEMPTS {
        usage = Usage::default();
        if read(&mut usage, memory) {
            break;
        }
    }
    (usage.user_ns, usage.system_ns) = without(before_exec_ns, usage.user_ns, usage.system_ns);
    usage.at_ns = sys::monotonic_ns();
    usage
}

/// False if somebody vanished on the way. It may have moved its CPU time to a parent that was read
/// already, so that it is missing from the sum.
fn read(usage: &mut Usage, memory: bool) -> bool {
    (usage.user_ns, usage.system_ns, _) = sys::reaped_usage();
    let mut complete = true;
    for member in tree::members() {
        // The time of the dead counts here until somebody has waited for them.
        complete &= add_cpu(usage, member.pid);
        if member.state != State::Dead {
            usage.pids.push(member.pid);
            add_threads(usage, member.pid);
            if memory {
                add_memory(usage, member.pid);
            }
        }
    }
    complete
}

fn add_threads(usage: &mut Usage, pid: Pid) {
    for tid in tree::threads(pid) {
        usage.threads += 1;
        add(&mut usage.runqueue_wait_ns, runqueue_wait_ns(pid, tid));
    }
}

fn add_cpu(usage: &mut Usage, pid: Pid) -> bool {
    let Some(stat) = Stat::read(&format!("/proc/{pid}/stat")) else {
        return false;
    };
    let tick_ns = sys::tick_ns();
    let ticks_ns = (stat.user + stat.system) * tick_ns;
    let total_ns = sys::process_cpu_ns(pid).unwrap_or(ticks_ns);
    let (user_ns, system_ns) = split(total_ns, stat.user, stat.system);
    usage.user_ns += user_ns + stat.children_user * tick_ns;
    usage.system_ns += system_ns + stat.children_system * tick_ns;
    true
}

/// The kernel knows the sum by the nanosecond, its parts only by the tick: they share it in proportion.
fn split(total_ns: u64, user: u64, system: u64) -> (u64, u64) {
    let user_ns = match user + system {
        0 => total_ns,
        ticks => (u128::from(total_ns) * u128::from(user) / u128::from(ticks)) as u64,
    };
    (user_ns, total_ns - user_ns)
}

/// Takes CPU time off both parts in proportion.
pub fn without(surplus_ns: u64, user_ns: u64, system_ns: u64) -> (u64, u64) {
    let rest_ns = (user_ns + system_ns).saturating_sub(surplus_ns);
    split(rest_ns, user_ns, system_ns)
}

fn add_memory(usage: &mut Usage, pid: Pid) {
    let rollup = format!("/proc/{pid}/smaps_rollup");
    add(
        &mut usage.memory_bytes,
        procfs::kilobyte_fields(&rollup, &["Pss:"]),
    );
    add(
        &mut usage.private_bytes,
        procfs::kilobyte_fields(
            &rollup,
            &["Private_Clean:", "Private_Dirty:", "Private_Hugetlb:"],
        ),
    );
    add(&mut usage.peak_memory_bytes, procfs::peak_memory_bytes(pid));
}

/// What cannot be read is left out: most often a process that has just exited.
fn add(sum: &mut Option<u64>, value: Option<u64>) {
    if let Some(value) = value {
        *sum = Some(sum.unwrap_or(0) + value);
    }
}

/// Time spent ready to run and not running: the second of three numbers.
fn runqueue_wait_ns(pid: Pid, tid: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat")).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surplus_is_taken_off_the_sum() {
        assert_eq!(without(100, 600, 400), (540, 360));
        assert_eq!(without(2_000, 600, 400), (0, 0));
    }

    #[test]
    fn the_parts_sum_to_the_exact_total() {
        assert_eq!(split(1_000_000_007, 2, 1), (666_666_671, 333_333_336));
        assert_eq!(split(5, 0, 0), (5, 0));
        assert_eq!(split(u64::MAX, u64::MAX / 2, 0), (u64::MAX, 0));
    }
}
