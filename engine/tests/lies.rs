//! The lying servers of `serve http`: each lie is counted as just that error, exactly as many
//! times as the server says it told it.

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use program::number;
use serde_json::Value;
use serving::Server;

/// Loads a lying server; its own count, the summary.
fn lie(lies: &[&str]) -> (Value, Value) {
    let server = Server::start(lies);
    let url = format!("http://{}/abc", server.address());
    let summary = program::summary(&[
        &url,
        "-c",
        "5",
        "-d",
        "300ms",
        "--expect-body",
        "Hello from abc!",
    ]);
    (server.stop(), summary)
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
    let (told, summary) = lie(&[]);
    only(&summary, "none", 0);
    // All that was asked is answered; what arrived after the counted part is not in `requests`.
    let asked = number(&told["requests"]);
    assert!((number(&summary["requests"])..=number(&summary["requests"]) + 5).contains(&asked));
    assert_eq!(number(&told["connections"]), 5);
}

#[test]
fn fail() {
    let (told, summary) = lie(&["--fail", "1/7"]);
    assert!(number(&told["fail"]) > 0);
    only(&summary, "status", number(&told["fail"]));
}

#[test]
fn wrong_body() {
    let (told, summary) = lie(&["--wrong-body", "1/9"]);
    assert!(number(&told["wrong_body"]) > 0);
    only(&summary, "body", number(&told["wrong_body"]));
}

#[test]
fn half_response() {
    let (told, summary) = lie(&["--half-response", "1/50"]);
    assert!(number(&told["half_response"]) > 0);
    only(&summary, "protocol", number(&told["half_response"]));
}

#[test]
fn close_after() {
    let (told, summary) = lie(&["--close-after", "20"]);
    let closed = number(&told["closed"]);
    assert!(closed > 0);
    only(&summary, "none", 0);
    // A close behind the last reply of a connection may come after the run.
    let reconnects = number(&summary["reconnects"]);
    assert!(
        reconnects <= closed && closed <= reconnects + 5,
        "{reconnects}, {closed}"
    );
}

#[test]
fn byte_by_byte() {
    let (told, summary) = lie(&["--byte-by-byte"]);
    only(&summary, "none", 0);
    assert!(number(&told["requests"]) > 0);
}

#[test]
fn delay_and_jitter() {
    let (_, summary) = lie(&["--delay", "2ms", "--jitter", "1ms"]);
    only(&summary, "none", 0);
    // No reply can be faster than its delay, whatever the machine does.
    assert!(
        summary["latency_ms"]["p50"]
            .as_f64()
            .expect("enough replies")
            >= 2.0
    );
}

#[test]
fn stall() {
    let (_, summary) = lie(&["--stall", "50ms/100ms"]);
    only(&summary, "none", 0);
    assert!(summary["latency_ms"]["max"].as_f64().expect("replies") > 25.0);
}

#[test]
fn burn() {
    let (_, summary) = lie(&["--burn-iters", "1000", "--burn-us", "10"]);
    only(&summary, "none", 0);
}

#[test]
fn several_lies_at_once() {
    let (told, summary) = lie(&["--fail", "1/10", "--wrong-body", "1/7", "--delay", "1ms"]);
    let errors = &summary["errors_by_kind"];
    assert_eq!(errors["status"], told["fail"]);
    assert_eq!(errors["body"], told["wrong_body"]);
    assert_eq!(
        number(&summary["errors"]),
        number(&told["fail"]) + number(&told["wrong_body"])
    );
}
