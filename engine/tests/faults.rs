//! The lying servers of `serve http`: each lie is counted as just that error, exactly as many
//! times as the server says it told it.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use program::number;
use serde_json::Value;
use serving::Server;

/// As many requests as each run sends: with a number of them instead of a time, no machine is
/// too slow or too fast for a lie to be told.
const REQUESTS: u64 = 1_000;

/// Loads a lying server with so many requests and these options; its own count, the summary.
fn loaded(faults: &[&str], requests: u64, options: &[&str]) -> (Value, Value) {
    let server = Server::start(faults);
    let url = format!("http://{}/abc", server.address());
    let requests = requests.to_string();
    let checked = ["--expect-body", "Hello from abc!", "-c", "5"];
    let summary = program::summary(&[&[&url, "-n", &requests], &checked[..], options].concat());
    (server.stop(), summary)
}

/// Loads a lying server; its own count, which must be that of the requests, and the summary.
fn served(faults: &[&str]) -> (Value, Value) {
    let (told, summary) = loaded(faults, REQUESTS, &[]);
    assert_eq!(number(&told["requests"]), REQUESTS, "{told}");
    let answered = number(&summary["requests"]) + number(&summary["errors"]);
    assert_eq!(answered, REQUESTS, "{summary}");
    (told, summary)
}

/// Every error but `kind` must be absent, and `kind` be there `times`.
fn only(summary: &Value, kind: &str, times: u64) {
    for (name, count) in summary["errors_by_kind"].as_object().expect("kinds") {
        let expected = if name == kind { times } else { 0 };
        assert_eq!(number(count), expected, "{name}: {summary}");
    }
}

#[test]
fn the_truth_is_no_error() {
    let (told, summary) = served(&[]);
    only(&summary, "none", 0);
    assert_eq!(number(&told["connections"]), 5);
}

#[test]
fn fail() {
    let (told, summary) = served(&["--fail", "1/7"]);
    assert_eq!(number(&told["fail"]), REQUESTS / 7);
    only(&summary, "status", REQUESTS / 7);
}

#[test]
fn wrong_body() {
    let (told, summary) = served(&["--wrong-body", "1/9"]);
    assert_eq!(number(&told["wrong_body"]), REQUESTS / 9);
    only(&summary, "body", REQUESTS / 9);
}

#[test]
fn half_response() {
    let (told, summary) = served(&["--half-response", "1/50"]);
    assert_eq!(number(&told["half_response"]), REQUESTS / 50);
    only(&summary, "protocol", REQUESTS / 50);
}

#[test]
fn close_after() {
    let (told, summary) = served(&["--close-after", "20"]);
    only(&summary, "none", 0);
    // A close behind the last reply of a connection may come after the run.
    let (closed, reconnects) = (number(&told["closed"]), number(&summary["reconnects"]));
    assert!(
        reconnects <= closed && closed <= reconnects + 5,
        "{reconnects}, {closed}"
    );
    // 1,000 replies fill 45 connections for certain, whatever their order.
    assert!((REQUESTS / 20 - 5..=REQUESTS / 20).contains(&closed));
}

#[test]
fn byte_by_byte() {
    let (_, summary) = served(&["--byte-by-byte"]);
    only(&summary, "none", 0);
}

#[test]
fn delay_and_jitter() {
    let (_, summary) = served(&["--delay", "2ms", "--jitter", "1ms"]);
    only(&summary, "none", 0);
    // No reply can be faster than its delay, whatever the machine does.
    let p50 = summary["latency_ms"]["p50"].as_f64().expect("a median");
    assert!(p50 >= 2.0, "{p50}");
}

#[test]
fn stall() {
    // 300 ms of requests at their times: some are due in the first half of a stall, and can be
    // answered at its end only, whatever the machine does.
    let open_loop = ["-R", "1000", "--allow-shortfall"];
    let (_, summary) = loaded(&["--stall", "50ms/100ms"], 300, &open_loop);
    only(&summary, "none", 0);
    assert!(summary["latency_ms"]["max"].as_f64().expect("replies") > 25.0);
}

#[test]
fn burn() {
    let (_, summary) = served(&["--burn-iters", "1000", "--burn-us", "10"]);
    only(&summary, "none", 0);
}

#[test]
fn several_faults_at_once() {
    let (told, summary) = served(&["--fail", "1/10", "--wrong-body", "1/7", "--delay", "1ms"]);
    let errors = &summary["errors_by_kind"];
    assert_eq!(errors["status"], told["fail"]);
    assert_eq!(errors["body"], told["wrong_body"]);
    // Every tenth; every seventh that is no tenth.
    assert_eq!(number(&told["fail"]), 100);
    assert_eq!(number(&told["wrong_body"]), 142 - 14);
    assert_eq!(number(&summary["errors"]), 228);
}
