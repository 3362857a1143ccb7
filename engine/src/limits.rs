//! Limits of this process.

use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};

/// Allows as many open files as this user may have at all: each connection is one, and the
/// usual soft limit of 1,024 is there for programs that use select(2).
pub fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Not granted, a later connection fails and says so.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    );
}

/// The most memory this process has had at once, in bytes (VmHWM): unlike getrusage's, it does
/// not count what was there before exec. `None` where there is no /proc.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_used_is_told() {
        let before = peak_memory_bytes().expect("Linux");
        let block = vec![1_u8; 64 << 20];
        assert!(std::hint::black_box(&block).iter().all(|&byte| byte == 1));
        let after = peak_memory_bytes().expect("Linux");
        assert!(after >= before.max(64 << 20), "{before}, {after}");
    }
}
