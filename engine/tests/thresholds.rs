//! `--fail-if` and `--abort`: exit 1 for a run that was not good enough, 2 for one that tells nothing.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;
mod support;

use program::{run, PROGRAM};
use rustix::process::{kill_process, Pid, Signal};
use serde_json::Value;
use serving::Server;
use std::process::{Command, Stdio};
use std::sync::{mpsc::channel, Mutex};
use support::{hello, read_request, send, server};

/// The exit code, the summary if there is one, and what was said on stderr.
fn ended(arguments: &[&str]) -> (Option<i32>, Value, String) {
    let output = run(&[arguments, &["--json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), summary, error)
}

#[test]
fn a_run_that_breaks_a_threshold_fails() {
    let server = Server::start(&["--delay", "20ms", "--fail", "1/10"]);
    let url = format!("http://{}/x", server.address());
    let many = [url.as_str(), "-n", "2000", "-c", "40"];
    for (thresholds, code) in [
        (&["p50 > 1s", "errors > 50%", "errors > 300"][..], 0),
        (&["p50 > 1ms"], 1),
        (&["p50 > 1s", "errors > 1%"], 1),
        (&["errors > 199"], 1),
        (&["rps < 1000000"], 1),
        // Too few observations for this percentile.
        (&["p99.99 > 1s"], 2),
        // What failed has failed all the same.
        (&["p99.99 > 1s", "p50 > 1ms"], 1),
    ] {
        let options: Vec<&str> = thresholds
            .iter()
            .flat_map(|text| ["--fail-if", *text])
            .collect();
        let (ended, summary, error) = ended(&[&many[..], &options].concat());
        assert_eq!(ended, Some(code), "{thresholds:?}: {error}");
        let judged = summary["thresholds"].as_array().expect("verdicts");
        assert_eq!(judged.len(), thresholds.len());
        assert_eq!(judged[0]["fail_if"], thresholds[0]);
    }
}

#[test]
fn a_run_is_ended_when_a_threshold_is_broken() {
    let server = Server::start(&["--fail", "1/2"]);
    let url = format!("http://{}/x", server.address());
    let (code, summary, error) = ended(&[
        &url,
        "-c",
        "2",
        "-d",
        "1000s",
        "--fail-if",
        "errors > 10%",
        "--abort",
    ]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("a threshold is broken"), "{error}");
    assert_eq!(summary["thresholds"][0]["failed"], true);
    assert!(summary["duration_s"].as_f64().expect("a time") < 500.0);
}

#[test]
fn a_run_that_is_cut_short_has_no_verdict() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
            let _ = tell.lock().expect("a sender").send(());
        }
    });
    let child = Command::new(PROGRAM)
        .args([
            &format!("http://{address}/x"),
            "-d",
            "1000s",
            "-c",
            "1",
            "--json",
        ])
        .args(["--fail-if", "errors > 0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("our own program");
    told.recv().expect("a request");
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("no verdict"), "{error}");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("a summary");
    assert_eq!(summary["thresholds"][0]["failed"], Value::Null);
}

#[test]
fn what_is_no_threshold_is_refused() {
    for (threshold, why) in [("p99", "threshold"), ("rate < 0.99", "-R")] {
        let error = program::refusal(&["http://127.0.0.1:1/", "--fail-if", threshold]);
        assert!(error.contains(why), "{error}");
    }
}
