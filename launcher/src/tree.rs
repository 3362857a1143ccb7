//! The tree below the launcher, read from /proc. Whatever group or session a process moved to,
//! and however often it forked away from its parent, it is below us: we are its subreaper.

use std::collections::{HashSet, VecDeque};
use std::fs;

use crate::procfs::{self, Stat};
use crate::sys::{self, Pid};

/// One process and the state of the most active of its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pub pid: Pid,
    pub state: State,
}

/// In order of activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Exited and waited for by nobody yet.
    Dead,
    Stopped,
    /// In the kernel, beyond the reach of signals. It stops before it runs a line of its own again.
    Blocked,
    Awake,
}

impl State {
    fn of(letter: u8) -> State {
        match letter {
            b'Z' | b'X' | b'x' => State::Dead,
            b'T' | b't' => State::Stopped,
            b'D' => State::Blocked,
            _ => State::Awake,
        }
    }
}

/// Every process below us, parents before children.
pub fn members() -> Vec<Member> {
    let mut members = Vec::new();
    visit(|member| members.push(member));
    members
}

/// As `members`, but each is handed out as soon as it is seen, so that it can be killed before
/// it forks again.
pub fn visit(mut act: impl FnMut(Member)) {
    let mut queue = VecDeque::from(children(sys::own_pid()));
    let mut seen = HashSet::new();
    while let Some(pid) = queue.pop_front() {
        if !seen.insert(pid) {
            continue; // its parent died while we looked, and it came to us a second time
        }
        // The state comes before the children: a stopped process has no more of them.
        let Some(state) = most_active_state(pid) else {
            continue;
        };
        act(Member { pid, state });
        queue.extend(children(pid));
    }
}

/// `None` if the process is gone altogether.
fn most_active_state(pid: Pid) -> Option<State> {
    threads(pid)
        .into_iter()
        .filter_map(|tid| Stat::read(&format!("/proc/{pid}/task/{tid}/stat")))
        .map(|stat| State::of(stat.state))
        .max()
}

pub fn threads(pid: Pid) -> Vec<Pid> {
    procfs::numbers(&format!("/proc/{pid}/task"))
}

/// Each thread has children of its own.
fn children(pid: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    for tid in threads(pid) {
        match fs::read_to_string(format!("/proc/{pid}/task/{tid}/children")) {
            Ok(text) => found.extend(
                text.split_ascii_whitespace()
                    .filter_map(|word| word.parse::<Pid>().ok()),
            ),
            Err(_) if tid == pid && !has_children_files() => return children_by_search(pid),
            Err(_) => {}
        }
    }
    found
}

fn has_children_files() -> bool {
    let own = sys::own_pid();
    fs::metadata(format!("/proc/{own}/task/{own}/children")).is_ok()
}

/// For kernels built without CONFIG_PROC_CHILDREN.
fn children_by_search(pid: Pid) -> Vec<Pid> {
    procfs::numbers("/proc")
        .into_iter()
        .filter(|other| {
            Stat::read(&format!("/proc/{other}/stat")).is_some_and(|stat| stat.parent == pid)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::{Duration, Instant};

    /// The kernel's list may lack a child while a brother of it ends, as those of other tests do: whoever needs
    /// them all looks again.
    fn finds(look: fn(Pid) -> Vec<Pid>, parent: Pid, child: Pid) -> bool {
        let patience = Instant::now() + Duration::from_secs(60);
        while !look(parent).contains(&child) {
            if Instant::now() > patience {
                return false;
            }
        }
        true
    }

    #[test]
    fn both_ways_find_the_same_child() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id() as Pid;
        let own = sys::own_pid();
        assert!(finds(children, own, pid));
        assert!(finds(children_by_search, own, pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(own).contains(&pid));
    }
}
