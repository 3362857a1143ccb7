//! What the referee is told: one JSON object a line on stdout.

use std::io::{self, Write};

use serde::Serialize;

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    Started { pid: i32, at_ns: u64 },
    Failed { message: &'a str },
    Frozen { at_ns: u64 },
    Thawed { at_ns: u64 },
    Usage(Usage),
    Exited(Exited),
    Error { message: &'a str },
}

/// Of the living tree. CPU time includes that of members already dead and reaped.
#[derive(Debug, Default, Serialize)]
pub struct Usage {
    pub at_ns: u64,
    pub pids: Vec<i32>,
    pub threads: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    pub runqueue_wait_ns: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub private_bytes: Option<u64>,
    pub peak_memory_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct Exited {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub at_ns: u64,
    pub wall_ns: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    pub peak_memory_bytes: Option<u64>,
    pub tree_peak_memory_bytes: Option<u64>,
    pub why: Why,
    pub stray: usize,
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub output_error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    Exit,
    Stopped,
    Killed,
    TimeLimit,
}

/// Nobody listens any more when this fails; the end of stdin says so too, and acts on it.
pub fn send(event: &Event) {
    let Ok(mut line) = serde_json::to_vec(event) else {
        return;
    };
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(&line).and_then(|()| stdout.flush());
}
