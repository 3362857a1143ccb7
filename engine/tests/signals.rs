//! SIGTERM and SIGINT end a run in order, whatever it is at. No test waits for a time: the
//! server tells when the program has come to where the signal is to meet it.

#[path = "support/program.rs"]
mod program;
#[path = "support/scripted.rs"]
mod scripted;
mod support;

use program::{number, PROGRAM};
use rustix::process::{kill_process, Pid, Signal};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{channel, Receiver};
use std::sync::Mutex;
use support::{hello, read_request, send};

/// Answers `right` requests of all connections, tells of the one after them, and is silent.
fn silent_after(right: u64) -> (SocketAddr, Receiver<()>) {
    let (tell, told) = channel();
    let (tell, requests) = (Mutex::new(tell), support::Counter::default());
    let address = support::server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            if requests.next() > right {
                let _ = tell.lock().expect("a sender").send(());
            } else {
                send(&mut stream, &hello(&path));
            }
        }
    });
    (address, told)
}

fn start(arguments: &[&str]) -> Child {
    Command::new(PROGRAM)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("our own program")
}

fn stop(child: Child, signal: Signal) -> Output {
    kill_process(Pid::from_child(&child), signal).expect("it runs");
    child.wait_with_output().expect("it ends")
}

fn summary(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

const LONG: [&str; 5] = ["-c", "1", "-d", "1000s", "--json"];

#[test]
fn while_connecting() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    // A handshake of TLS that is never answered.
    let address = support::server(move |mut stream, _| {
        let _ = stream.read(&mut [0]);
        let _ = tell.lock().expect("a sender").send(());
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let url = format!("https://{address}/x");
    for (signal, mode) in [
        (Signal::TERM, &["--timeout", "1000s"][..]),
        (Signal::INT, &["--timeout", "1000s", "--steps", "1,2"]),
    ] {
        let child = start(&[&[url.as_str()], &LONG[..], mode].concat());
        told.recv().expect("a connection");
        let output = stop(child, signal);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("stopped while connecting"), "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn while_the_server_is_silent() {
    for (mode, counted) in [
        (&["--timeout", "300ms"][..], 5),
        (&["--timeout", "300ms", "--warmup", "1000s"], 0),
        (&["--timeout", "300ms", "-R", "10"], 5),
    ] {
        let (address, told) = silent_after(5);
        let url = format!("http://{address}/x");
        let child = start(&[&[url.as_str()], &LONG[..], mode].concat());
        told.recv().expect("the sixth request");
        let summary = summary(&stop(child, Signal::INT));
        assert_eq!(number(&summary["requests"]), counted, "{mode:?}: {summary}");
        assert!(number(&summary["errors_by_kind"]["timeout"]) >= 1);
    }
}

#[test]
fn in_the_middle_of_a_stream_of_messages() {
    let proto = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/greeter.proto");
    let call = ["--proto", proto, "--call", "greeter.Greeter/SayHelloBidi"];
    for (mode, why) in [
        // The second message waits for a reply that does not come.
        (&["--timeout", "300ms"][..], "a message has no reply"),
        // All three were sent, and the call does not end.
        (&["--timeout", "300ms", "--message-interval", "1ms"], ""),
    ] {
        let (tell, told) = channel();
        let tell = Mutex::new(tell);
        let address = scripted::scripted_server(&[], move |_, _, stream| {
            let _ = tell.lock().expect("a sender").send(());
            scripted::begin(stream)
        });
        let url = format!("grpc://{address}");
        let arguments = [&[url.as_str(), "--messages", "3"], &call[..], &LONG, mode];
        let child = start(&arguments.concat());
        told.recv().expect("a call");
        let summary = summary(&stop(child, Signal::INT));
        assert_eq!(number(&summary["requests"]), 0, "{summary}");
        assert!(
            number(&summary["errors_by_kind"]["timeout"]) >= 1,
            "{summary}"
        );
        assert_eq!(number(&summary["messages"]["sent"]), 0, "{summary}");
        let first = summary["first_error"].as_str().expect("an error");
        assert!(first.starts_with("no reply within 300 ms"), "{first}");
        assert!(first.contains(why), "{first}");
    }
}

#[test]
fn while_the_server_is_gone() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/x", listener.local_addr().expect("an address"));
    let child = start(&[&[url.as_str()], &LONG[..]].concat());
    let (mut stream, _) = listener.accept().expect("a connection");
    read_request(&mut stream).expect("a request");
    stream.write_all(&hello("/x")).expect("sent");
    read_request(&mut stream).expect("a second request");
    // From now on there is nobody: the program connects again and again.
    drop(listener);
    drop(stream);
    let summary = summary(&stop(child, Signal::TERM));
    assert_eq!(number(&summary["requests"]), 1);
    assert!(
        number(&summary["reconnects"]) + number(&summary["errors"]) >= 1,
        "{summary}"
    );
}

#[test]
fn in_a_sweep() {
    let (address, told) = silent_after(5);
    let url = format!("http://{address}/x");
    let sweep = ["--steps", "10,20,30", "--timeout", "300ms"];
    let child = start(&[&[url.as_str()], &LONG[..], &sweep].concat());
    told.recv().expect("the sixth request");
    let summaries = summary(&stop(child, Signal::TERM));
    let summaries = summaries.as_array().expect("one a step");
    assert_eq!(summaries.len(), 1);
    assert_eq!(number(&summaries[0]["requests"]), 5);
}

#[test]
fn a_second_signal_ends_at_once() {
    let (address, told) = silent_after(5);
    let url = format!("http://{address}/x");
    // What is in flight is never answered, and would be awaited for a long time.
    let mut child = start(&[&[url.as_str()], &LONG[..], &["--timeout", "1000s"]].concat());
    told.recv().expect("the sixth request");
    let pid = Pid::from_child(&child);
    // Two signals that meet before the first is heard are one.
    while child.try_wait().expect("it is there").is_none() {
        kill_process(pid, Signal::INT).expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("it ended");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains("second signal"), "{error}");
}

#[test]
fn what_was_measured_is_on_disk_when_the_program_is_killed() {
    let address = support::server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (csv, hdr) = (path("a.csv"), path("a.hlog"));
    let url = format!("http://{address}/x");
    let files = ["--csv", csv.as_str(), "--hdr", hdr.as_str()];
    let mut child = start(&[&[url.as_str()], &LONG[..], &files].concat());
    let lines = |file: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            .count()
    };
    while lines(&csv) < 2 || lines(&hdr) < 2 {
        assert!(child.try_wait().expect("it is there").is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(std::fs::read_to_string(&hdr)
        .expect("a log")
        .ends_with('\n'));
}
