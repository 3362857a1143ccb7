//! Our own program, run as a user runs it.

#![allow(dead_code, reason = "each test binary uses its own part")]

use serde_json::Value;
use std::process::{Command, Output};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_deadheat-load");

pub fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .args(arguments)
        .output()
        .expect("our own program")
}

/// A run that must succeed: its `--json`.
pub fn summary(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// A run that must be refused before any load: its one line.
pub fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    error
}

pub fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no count"))
}
