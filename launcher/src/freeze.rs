//! A signal to every process of the tree: stop, continue, kill.

use std::time::Duration;

use crate::program::Program;
use crate::sys::{self, Pid, Signal};
use crate::tree::{self, Member, State};

const TIMEOUT_NS: u64 = 5_000_000_000;
/// A parent in vfork stays blocked for as long as its stopped child does not exec: it counts as
/// frozen when it has not come out of the kernel for this long.
const BLOCKED_NS: u64 = 20_000_000;
const SHORTEST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// SIGSTOP until nobody runs: until two looks in a row find the same processes, all of them stopped.
///
/// One such look proves nothing: whose parent ends while we look comes to us when our own children have
/// been read, and is found below nobody. Who is stopped neither forks nor ends, so that behind a first
/// look a second one finds whoever that left out.
///
/// False if the program has exited meanwhile.
pub fn freeze(program: &mut Program) -> Result<bool, String> {
    let begun_ns = sys::monotonic_ns();
    let mut all_stopped: Option<Vec<Pid>> = None;
    let mut pause = SHORTEST_PAUSE;
    loop {
        let members = tree::members();
        let waited_ns = sys::monotonic_ns() - begun_ns;
        let awake = awake(&members, waited_ns);
        // A traced process stops for us too: what it stopped for has to be answered first.
        let answered = program.reap();
        if program.exit.is_some() {
            return Ok(false);
        }
        let found = (awake.is_empty() && answered == 0)
            .then(|| members.iter().map(|member| member.pid).collect());
        if found.is_some() && found == all_stopped {
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
        all_stopped = found;
    }
}

/// Who is to be stopped, or waited for.
fn awake(members: &[Member], waited_ns: u64) -> Vec<Pid> {
    members
        .iter()
        .filter(|member| match member.state {
            State::Awake => true,
            State::Blocked => waited_ns < BLOCKED_NS,
            State::Stopped | State::Dead => false,
        })
        .map(|member| member.pid)
        .collect()
}

pub fn thaw() {
    tree::visit(|member| sys::kill(member.pid, Signal::CONT));
}

pub fn kill() {
    tree::visit(|member| sys::kill(member.pid, Signal::KILL));
}
