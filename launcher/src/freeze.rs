//! A signal to every process of the tree: stop, continue, kill.

use std::time::Duration;

use crate::program::Program;
use crate::sys::{self, Pid, Signal};
use crate::tree::{self, State};

const TIMEOUT_NS: u64 = 5_000_000_000;
/// A parent in vfork stays blocked for as long as its stopped child does not exec: it counts as
/// frozen when it has not come out of the kernel for this long.
const BLOCKED_NS: u64 = 20_000_000;
const SHORTEST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// SIGSTOP until nobody runs: until two looks in a row find the same processes, and in the second
/// all of them stopped. A stopped process has no more children, so nobody can be hidden below it.
///
/// False if the program has exited meanwhile.
pub fn freeze(program: &mut Program) -> Result<bool, String> {
    let begun_ns = sys::monotonic_ns();
    let mut previous: Vec<Pid> = Vec::new();
    let mut pause = SHORTEST_PAUSE;
    loop {
        let members = tree::members();
        let waited_ns = sys::monotonic_ns() - begun_ns;
        let awake: Vec<Pid> = members
            .iter()
            .filter(|member| match member.state {
                State::Awake => true,
                State::Blocked => waited_ns < BLOCKED_NS,
                State::Stopped | State::Dead => false,
            })
            .map(|member| member.pid)
            .collect();
        let pids: Vec<Pid> = members.iter().map(|member| member.pid).collect();
        // A traced process stops for us too: what it stopped for has to be answered first.
        let answered = program.reap();
        if program.exit.is_some() {
            return Ok(false);
        }
        if awake.is_empty() && answered == 0 && pids == previous {
            return Ok(true);
        }
        if waited_ns > TIMEOUT_NS {
            return Err(format!(
                "cannot freeze {awake:?}: still running after 5 s of SIGSTOP"
            ));
        }
        for &pid in &awake {
            sys::kill(pid, Signal::STOP);
        }
        program.wait_for_change(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
        previous = pids;
    }
}

pub fn thaw() {
    tree::visit(|member| sys::kill(member.pid, Signal::CONT));
}

pub fn kill() {
    tree::visit(|member| sys::kill(member.pid, Signal::KILL));
}
