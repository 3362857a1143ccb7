//! Plain requests over HTTP/2, against servers that are not ours.

#[path = "support/independent.rs"]
mod independent;
#[path = "support/program.rs"]
mod program;
mod support;

use independent::{http2, Habits, LARGE};
use program::{number, refusal, summary};
use serde_json::{json, Value};
use std::io::Write;

const GREETED: [&str; 2] = ["--expect-body", "Hello from x!"];

fn load(url: &str, arguments: &[&str]) -> Value {
    summary(&[&[url, "--http2"][..], arguments].concat())
}

fn all_right(summary: &Value, requests: u64) {
    assert_eq!(number(&summary["errors"]), 0, "{summary}");
    assert_eq!(number(&summary["requests"]), requests, "{summary}");
}

#[test]
fn greetings_in_the_clear_and_over_tls() {
    for tls in [None, Some("h2")] {
        let address = http2(Habits {
            tls,
            ..Habits::default()
        });
        let scheme = tls.map_or("http", |_| "https");
        let url = format!("{scheme}://{address}/x");
        let insecure = &["--insecure"][..tls.iter().len()];
        for (requests, shape) in [
            ("100", &["-c", "1"][..]),
            ("2000", &["-c", "3", "--streams", "50"]),
            ("500", &["-c", "4", "-t", "2", "--streams", "7"]),
        ] {
            let count = ["-n", requests];
            let summary = load(&url, &[shape, &count, &GREETED, insecure].concat());
            all_right(&summary, requests.parse().expect("a count"));
            let http2 = &summary["http2"];
            let sent = number(&http2["requests_sent"]);
            assert_eq!(sent, number(&summary["requests"]));
            assert_eq!(number(&http2["frames_sent"]["HEADERS"]), sent, "{summary}");
            assert_eq!(number(&http2["frames_received"]["HEADERS"]), sent);
            assert!(http2["frames_sent"]["DATA"].is_null(), "{summary}");
        }
    }
}

#[test]
fn methods_bodies_headers_and_numbers() {
    let address = http2(Habits::default());
    let echo = format!("http://{address}/echo");
    let several = ["-c", "2", "--streams", "9", "-n", "1234"];
    let data = "{token} is {seq}, {seq}";
    let echoed = [
        "--data",
        data,
        "--expect-body",
        data,
        "-H",
        "X-Number: {seq}",
    ];
    all_right(&load(&echo, &[&several[..], &echoed].concat()), 1234);
    let path = format!("http://{address}/{{token}}/{{seq}}");
    let greeted = ["--expect-body", "Hello from {token}/{seq}!"];
    all_right(&load(&path, &[&several[..], &greeted].concat()), 1234);
    let wrong = ["--expect-body", "Hello from {token}/1{seq}!"];
    let summary = load(&path, &[&several[..], &wrong].concat());
    assert_eq!(number(&summary["errors_by_kind"]["body"]), 1234);
    let head = ["-X", "HEAD", "--expect-status", "200"];
    all_right(&load(&path, &[&several[..], &head].concat()), 1234);
    let missing = format!("http://{address}/status/404");
    let summary = load(&missing, &several);
    assert_eq!(number(&summary["errors_by_kind"]["status"]), 1234);
    assert_eq!(summary["statuses"], json!({"404": 1234}));
    assert_eq!(summary["first_error"], "status 404");
    let trailers = format!("http://{address}/trailers");
    let greeted = ["--expect-body", "Hello from trailers!"];
    all_right(&load(&trailers, &[&several[..], &greeted].concat()), 1234);
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    writeln!(
        file,
        r#"{{"path": "/a", "weight": 3, "expect": {{"body": "Hello from a!"}}}}
{{"method": "POST", "path": "/b", "headers": [["X-A", "1"]], "body": "n={{seq}}", "expect": {{"body": "n={{seq}}"}}}}"#
    )
    .expect("written");
    let name = file.path().display().to_string();
    let mixed = [&several[..], &["--requests", &name]].concat();
    all_right(&load(&format!("http://{address}"), &mixed), 1234);
}

#[test]
fn bodies_larger_than_every_window_and_headers_that_continue() {
    for tls in [None, Some("h2")] {
        let habits = Habits {
            tls,
            ..Habits::default()
        };
        let scheme = tls.map_or("http", |_| "https");
        large(&format!("{scheme}://{}", http2(habits)));
    }
}

fn large(server: &str) {
    let large = format!("{server}/large");
    let expected = "x".repeat(LARGE / 32);
    // Encryption without optimisation on a busy machine takes its time.
    let few = [
        "-c",
        "2",
        "--streams",
        "5",
        "-n",
        "20",
        "--insecure",
        "--timeout",
        "120s",
    ];
    // Too long for a command line: told by status, length and count of bytes.
    let summary = load(&large, &few);
    all_right(&summary, 20);
    assert!(number(&summary["bytes_in"]) > 20 * LARGE as u64);
    assert!(number(&summary["http2"]["frames_sent"]["WINDOW_UPDATE"]) > 10);
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(file, "{expected}").expect("written");
    let data = format!("@{}", file.path().display());
    let echo = format!("{server}/echo");
    let sent = ["--data", &data, "--expect-body", &expected];
    let summary = load(&echo, &[&few[..], &sent].concat());
    all_right(&summary, 20);
    let frames = number(&summary["http2"]["frames_sent"]["DATA"]);
    assert!(frames >= 20 * 6, "{summary}");
    let headers = format!("{server}/headers");
    let summary = load(
        &headers,
        &[&few[..], &["--expect-body", "Hello from headers!"]].concat(),
    );
    all_right(&summary, 20);
    let continued = number(&summary["http2"]["frames_received"]["CONTINUATION"]);
    assert!(continued >= 20, "{summary}");
}

#[test]
fn few_streams_small_windows_and_connections_that_end() {
    let address = http2(Habits {
        most_streams: 3,
        window: 10,
        ..Habits::default()
    });
    let echo = format!("http://{address}/echo");
    let body = "a body that is longer than the window";
    let several = ["-c", "2", "--streams", "20", "-n", "300"];
    let sent = ["--data", body, "--expect-body", body];
    all_right(&load(&echo, &[&several[..], &sent].concat()), 300);

    let address = http2(Habits {
        goaway_after: 10,
        ..Habits::default()
    });
    let url = format!("http://{address}/x");
    let one_by_one = ["-c", "2", "-n", "200"];
    let summary = load(&url, &[&one_by_one[..], &GREETED].concat());
    all_right(&summary, 200);
    assert!(number(&summary["reconnects"]) >= 18, "{summary}");
    assert!(number(&summary["http2"]["frames_received"]["GOAWAY"]) >= 18);
}

#[test]
fn refused_before_any_load() {
    let address = support::server(|mut stream, _| {
        while let Some(path) = support::read_request(&mut stream) {
            support::send(&mut stream, &support::hello(&path));
        }
    });
    let plain = format!("http://{address}/x");
    let error = refusal(&[&plain, "--http2", "-c", "1"]);
    assert!(error.contains("speaks HTTP/1, not HTTP/2"), "{error}");
    let address = http2(Habits {
        tls: Some("http/1.1"),
        ..Habits::default()
    });
    let error = refusal(&[&format!("https://{address}/x"), "--http2", "--insecure"]);
    assert!(error.to_lowercase().contains("protocol"), "{error}");
    for (arguments, what) in [
        (&["--http2", "--pipeline", "2"][..], "--streams instead"),
        (&["--http2", "--no-keepalive"], "only for HTTP/1.1"),
        (&["--streams", "2"], "has --pipeline"),
        (&["--http2", "--streams", "0"], "at least 1"),
        (&["--http2", "-H", "Upgrade: h3"], "no place in HTTP/2"),
        (&["--http2", "-H", "TE: gzip"], "no place in HTTP/2"),
    ] {
        let error = refusal(&[&[plain.as_str()], arguments].concat());
        assert!(error.contains(what), "{error}");
    }
    let error = refusal(&["redis://127.0.0.1:1", "--http2", "-r", "PING"]);
    assert!(error.contains("not HTTP"), "{error}");
}
