//! The few lines of /proc that we need.

use std::fs;

use crate::sys::Pid;

/// What /proc/PID/stat says of a process or a thread.
#[derive(Debug, PartialEq, Eq)]
pub struct Stat {
    pub state: u8,
    pub parent: Pid,
    /// Clock ticks: own user and system time, and those of children it has waited for.
    pub user: u64,
    pub system: u64,
    pub children_user: u64,
    pub children_system: u64,
}

impl Stat {
    pub fn read(path: &str) -> Option<Stat> {
        Stat::parse(&fs::read_to_string(path).ok()?)
    }

    /// A name may hold anything, spaces and parentheses too: the fields begin after the last ')'.
    fn parse(text: &str) -> Option<Stat> {
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Stat {
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            user: number(11)?,
            system: number(12)?,
            children_user: number(13)?,
            children_system: number(14)?,
        })
    }
}

/// Numbered entries of a /proc directory.
pub fn numbers(directory: &str) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// Sums the named fields ("Pss:", "VmHWM:") of a file of `name: n kB` lines, in bytes.
pub fn kilobyte_fields(path: &str, names: &[&str]) -> Option<u64> {
    sum_kilobytes(&fs::read_to_string(path).ok()?, names)
}

fn sum_kilobytes(text: &str, names: &[&str]) -> Option<u64> {
    let mut sum = None;
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        if words.next().is_some_and(|name| names.contains(&name)) {
            let kilobytes: u64 = words.next()?.parse().ok()?;
            sum = Some(sum.unwrap_or(0) + kilobytes * 1024);
        }
    }
    sum
}

/// The highest resident set of the image that this process or thread runs now.
pub fn peak_memory_bytes(pid: Pid) -> Option<u64> {
    kilobyte_fields(&format!("/proc/{pid}/status"), &["VmHWM:"])
}

/// The process that a thread belongs to.
pub fn process_of(tid: Pid) -> Option<Pid> {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_fields() {
        let text = "17 (a) R 1) S 4 17 17 0 -1 4194560 1 0 0 0 250 31 7 9 20 0 1 0 9 0 0";
        let stat = Stat::parse(text).unwrap();
        assert_eq!((stat.state, stat.parent), (b'S', 4));
        assert_eq!((stat.user, stat.system), (250, 31));
        assert_eq!((stat.children_user, stat.children_system), (7, 9));
    }

    #[test]
    fn private_memory_is_a_sum_of_two_lines() {
        let text = "Rss: 9 kB\nPrivate_Clean:   3 kB\nPrivate_Dirty:  4 kB\n";
        assert_eq!(
            sum_kilobytes(text, &["Private_Clean:", "Private_Dirty:"]),
            Some(7 * 1024)
        );
        assert_eq!(sum_kilobytes(text, &["Pss:"]), None);
    }

    #[test]
    fn reads_this_very_process() {
        let pid = std::process::id() as Pid;
        assert!(peak_memory_bytes(pid).unwrap() > 0);
        assert_eq!(process_of(pid), Some(pid));
        assert!(numbers("/proc/self/task").contains(&pid));
    }
}
