//! `deadheat-load serve` as a process of its own.

#![allow(dead_code, reason = "each test binary uses its own part")]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts one for HTTP on a free port, with these options.
    pub fn start(options: &[&str]) -> Self {
        Self::of("http", options)
    }

    /// Starts one of a protocol on a free port, with these options.
    pub fn of(protocol: &str, options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_deadheat-load"))
            .args(["serve", protocol, "--port", "0", "--count"])
            .args(options.iter().filter(|option| **option != "--count"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("our own program");
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().expect("piped"))
            .read_line(&mut line)
            .expect("a line");
        let address = line.trim().strip_prefix("listening on ");
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, address }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// The same as numbers.
    pub fn socket(&self) -> SocketAddr {
        self.address.parse().expect("an address and a port")
    }

    /// Stops it as the referee would, and gives its own count.
    pub fn stop(self) -> Value {
        let [count] = <[Value; 1]>::try_from(self.stop_all()).expect("one JSON object");
        count
    }

    /// Stops it as the referee would, and gives every line that it printed.
    pub fn stop_all(mut self) -> Vec<Value> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        let mut text = String::new();
        let mut stdout = self.child.stdout.take().expect("piped");
        stdout.read_to_string(&mut text).expect("text");
        assert!(self.child.wait().expect("it ends").success());
        let read = |line| serde_json::from_str(line).expect("a JSON object");
        text.lines().map(read).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
