//! Streams of messages to gRPC: the program against a server of ours, servers that break off in
//! every way, and what is refused.

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/program.rs"]
mod program;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "support/serving.rs"]
mod serving;
mod support;

use deadheat_load::load::counts::Errors;
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::protocol::h2::frame::{self, Frame};
use deadheat_load::target::Spec;
use greeter::{ask, load, spec, streams};
use program::{number, refusal, run, summary};
use scripted::{begin, converse, data, greeting, headers, right, scripted_server, END};
use serde_json::{json, Value};
use serving::Server;
use std::io::Read;
use std::net::SocketAddr;
use std::time::Duration;

const BIDI: &str = "greeter.Greeter/SayHelloBidi";
const CLIENT: &str = "greeter.Greeter/SayHelloCS";

/// The arguments of a run of `call`.
fn arguments<'a>(url: &'a str, proto: &'a str, call: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let call = [url, "--proto", proto, "--call", call];
    [&call[..], more].concat()
}

fn proto() -> String {
    streams().display().to_string()
}

#[test]
fn messages_both_ways_are_sent_checked_and_counted() {
    let server = Server::of("grpc", &["--hello", "--delay", "3ms"]);
    let (url, proto) = (format!("grpc://{}", server.address()), proto());
    let said = r#"[{"name": "{token}-{seq}"}, {"name": "b"}]"#;
    let expected = r#"[{"message": "Hello from {token}-{seq}!"}, {"message": "Hello from b!"}]"#;
    let asked = ["--data", said, "--expect-message", expected];
    let mode = ["--messages", "11", "-c", "2", "--streams", "3", "-n", "60"];
    let all = [&asked[..], &mode].concat();
    let told = summary(&arguments(&url, &proto, BIDI, &all));
    assert_eq!(number(&told["requests"]), 60, "{told}");
    assert_eq!(number(&told["errors"]), 0, "{told}");
    let messages = &told["messages"];
    let counts = ["sent", "replies", "unanswered", "unasked"].map(|name| number(&messages[name]));
    assert_eq!(counts, [660, 660, 0, 0], "{told}");
    // A busy machine makes things late, never early.
    let p50 = messages["latency_ms"]["p50"].as_f64().expect("a time");
    assert!(p50 > 3.0 * 0.99, "{told}");
    let of_calls = told["latency_ms"]["p50"].as_f64().expect("a time");
    assert!(of_calls > 11.0 * 3.0 * 0.99, "{told}");
    assert_eq!(number(&told["http2"]["frames_sent"]["DATA"]), 660);
    let lines = "{\"name\": \"a\"}\n{\"name\": \"b\"}\n";
    let clock = [
        "--data",
        lines,
        "--message-interval",
        "1ms",
        "-n",
        "20",
        "--stream",
        "messages",
    ];
    let told = summary(&arguments(&url, &proto, BIDI, &clock));
    assert_eq!(number(&told["messages"]["sent"]), 40, "{told}");
    assert_eq!(number(&told["streams"]["events"]), 40, "{told}");
    // Each message is a request of its own to this server.
    assert_eq!(number(&server.stop()["requests"]), 700);
}

#[test]
fn one_reply_to_many_messages() {
    let server = Server::of("grpc", &["--hello"]);
    let (url, proto) = (format!("grpc://{}", server.address()), proto());
    let expected = r#"{"message": "Hello from 50!"}"#;
    let asked = ["--data", r#"{"name": "a"}"#, "--expect-message", expected];
    let mode = ["--messages", "50", "-c", "2", "--streams", "5", "-n", "100"];
    let all = [&asked[..], &mode].concat();
    let told = summary(&arguments(&url, &proto, CLIENT, &all));
    assert_eq!(
        (number(&told["requests"]), number(&told["errors"])),
        (100, 0),
        "{told}"
    );
    let messages = &told["messages"];
    assert_eq!(number(&messages["sent"]), 5_000, "{told}");
    let per_call =
        messages["sent_per_s"].as_f64().unwrap() / told["throughput_rps"].as_f64().unwrap();
    assert!((per_call - 50.0).abs() < 1e-6, "{told}");
    assert!(messages.get("latency_ms").is_none(), "{told}");
    assert_eq!(number(&server.stop()["requests"]), 100);
}

#[test]
fn every_form_of_output_tells_of_them() {
    let server = Server::of("grpc", &[]);
    let (url, proto) = (format!("grpc://{}", server.address()), proto());
    let folder = tempfile::tempdir().expect("a folder");
    let csv = folder.path().join("series.csv").display().to_string();
    let hdr = folder.path().join("latencies.hlog").display().to_string();
    let mode = [
        "--data",
        r#"{"name": "a"}"#,
        "--messages",
        "20",
        "-c",
        "2",
        "-n",
        "50",
    ];
    let files = ["--csv", &csv, "--hdr", &hdr, "--progress", "lines"];
    let output = run(&arguments(
        &url,
        &proto,
        BIDI,
        &[&mode[..], &files].concat(),
    ));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("\nmessages: 1,000 sent ("), "{text}");
    assert!(text.contains(" 1,000 replies ("), "{text}");
    assert!(text.contains("\nmessage latency: mean "), "{text}");
    let series = std::fs::read_to_string(&csv).expect("a time series");
    let replies: u64 = series.lines().skip(1).map(replies_of).sum();
    assert_eq!(replies, 50, "{series}");
    assert!(std::fs::metadata(&hdr).expect("a log").len() > 0);
    let ghz = run(&arguments(
        &url,
        &proto,
        BIDI,
        &[&mode[..], &["--format", "ghz"]].concat(),
    ));
    let told: Value = serde_json::from_slice(&ghz.stdout).expect("JSON");
    assert_eq!(number(&told["count"]), 50, "{told}");
    assert_eq!(number(&told["statusCodeDistribution"]["OK"]), 50, "{told}");
}

/// Of a line of a time series: the column behind the time.
fn replies_of(line: &str) -> u64 {
    let column = line.split(',').nth(1).and_then(|text| text.parse().ok());
    column.unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn planted_faults_are_found_in_the_middle_of_streams() {
    let (proto, mode) = (proto(), ["--messages", "5", "-c", "1", "-n", "40"]);
    let expected = r#"{"message": "Hello from a!"}"#;
    let asked = ["--data", r#"{"name": "a"}"#, "--expect-message", expected];
    let all = [&asked[..], &mode].concat();
    for (fault, kind) in [
        (["--fail", "1/10"], "status"),
        (["--wrong-body", "1/10"], "body"),
        (["--half-response", "1/10"], "protocol"),
    ] {
        let server = Server::of("grpc", &[&["--hello"], &fault[..]].concat());
        let url = format!("grpc://{}", server.address());
        let told = summary(&arguments(&url, &proto, BIDI, &all));
        let served = server.stop();
        let planted = ["fail", "wrong_body", "half_response"].map(|name| number(&served[name]));
        let planted: u64 = planted.iter().sum();
        assert!(planted > 3, "{served}");
        assert_eq!(number(&told["errors_by_kind"][kind]), planted, "{told}");
        assert_eq!(number(&told["errors"]), planted, "{told}");
        assert_eq!(number(&told["requests"]), 40 - planted, "{told}");
        // Of right calls alone.
        let sent = number(&told["messages"]["sent"]);
        assert_eq!(sent, 5 * (40 - planted), "{told}");
    }
}

#[test]
fn a_deadline_ends_a_stream_that_is_too_slow() {
    let server = Server::of("grpc", &["--hello"]);
    let (url, proto) = (format!("grpc://{}", server.address()), proto());
    let slow = [
        "--messages",
        "9",
        "--message-interval",
        "500ms",
        "--deadline",
        "100ms",
    ];
    let mode = ["--data", "{}", "-c", "1", "-n", "2"];
    for call in [BIDI, CLIENT] {
        let told = summary(&arguments(&url, &proto, call, &[&slow[..], &mode].concat()));
        let statuses = number(&told["errors_by_kind"]["status"]);
        assert_eq!((statuses, number(&told["requests"])), (2, 0), "{told}");
        let first = told["first_error"].as_str().expect("an error");
        assert!(
            first.starts_with("grpc-status 4 DEADLINE_EXCEEDED"),
            "{told}"
        );
    }
}

/// Three messages each way, all at once, one call at a time.
fn three(address: SocketAddr) -> Spec {
    let calls = CallSpec {
        proto: Some(streams()),
        call: BIDI.into(),
        messages: Some(3),
        message_interval: Some(Duration::ZERO),
        depth: Some(1),
        ..ask()
    };
    Spec {
        connections: 1,
        timeout_ms: 60_000,
        ..spec(address, calls)
    }
}

fn error(kind: fn(&mut Errors) -> &mut u64, count: u64) -> Errors {
    let mut errors = Errors::default();
    *kind(&mut errors) = count;
    errors
}

/// The trailers of a call that went well.
fn ended(stream: u32) -> Vec<u8> {
    headers(stream, END, &[("grpc-status", "0")])
}

#[test]
fn a_stream_that_breaks_off_is_never_right() {
    type Answer = fn(u32) -> Vec<u8>;
    let reset: Answer = |stream| {
        let mut bytes = [begin(stream), greeting(stream)].concat();
        frame::push_reset(stream, 2, &mut bytes);
        bytes
    };
    let goaway: Answer = |_| {
        let mut bytes = Vec::new();
        frame::push(frame::GOAWAY, 0, 0, b"\0\0\0\0\0\0\0\x0bslow", &mut bytes);
        bytes
    };
    let more: Answer = |id| [begin(id), greeting(id).repeat(4), ended(id)].concat();
    let fewer: Answer = |id| [begin(id), greeting(id).repeat(2), ended(id)].concat();
    let none: Answer = |id| [begin(id), ended(id)].concat();
    let aborted: Answer = |id| {
        let status = headers(id, END, &[("grpc-status", "10")]);
        [begin(id), greeting(id).repeat(3), status].concat()
    };
    // These two go on as if they waited for more.
    let no_grpc: Answer = |id| headers(id, 0, &[(":status", "503")]);
    let no_message: Answer = |id| [begin(id), data(id, 0, b"\x07\0\0\0\0")].concat();
    let cut: Answer = |id| {
        let half = data(id, 0, b"\0\0\0\0\x12\x0a\x10Hello");
        [begin(id), greeting(id).repeat(2), half, ended(id)].concat()
    };
    for (answer, errors, told) in [
        (
            reset,
            error(|all| &mut all.protocol, 6),
            "RST_STREAM: INTERNAL_ERROR",
        ),
        (
            goaway,
            error(|all| &mut all.protocol, 6),
            "GOAWAY: ENHANCE_YOUR_CALM slow",
        ),
        (
            more,
            error(|all| &mut all.body, 6),
            "4 messages, expected 3",
        ),
        (
            fewer,
            error(|all| &mut all.body, 6),
            "2 messages, expected 3",
        ),
        (
            none,
            error(|all| &mut all.body, 6),
            "0 messages, expected 3",
        ),
        (
            aborted,
            error(|all| &mut all.status, 6),
            "grpc-status 10 ABORTED",
        ),
        (
            no_grpc,
            error(|all| &mut all.status, 6),
            "HTTP status 503 instead",
        ),
        (
            no_message,
            error(|all| &mut all.protocol, 6),
            "no gRPC message",
        ),
        (
            cut,
            error(|all| &mut all.protocol, 6),
            "a message that ends in the middle",
        ),
    ] {
        let address = scripted_server(&[], move |_, _, stream| answer(stream));
        let slice = load(&three(address), 6);
        let first = slice.counts.first_error.expect("an error");
        assert!(first.contains(told), "{first}");
        assert_eq!(
            (slice.counts.errors, slice.counts.replies_all),
            (errors, 0),
            "{told}"
        );
        assert_eq!(slice.messages.expect("messages").sent, 0, "{told}");
    }
}

#[test]
fn a_call_that_ends_before_all_messages_are_sent() {
    // The second message waits for the reply to the first, and the call is over.
    let address = scripted_server(&[], |_, _, stream| right(stream));
    let mut calls = three(address);
    calls.grpc.message_interval = None;
    let slice = load(&calls, 4);
    assert_eq!((slice.counts.errors.body, slice.counts.replies_all), (4, 0));
    let told = slice.counts.first_error.expect("an error");
    assert_eq!(told, "the call ended when 1 of 3 messages were sent");
}

#[test]
fn a_reply_that_does_not_come_is_a_timeout_that_says_why() {
    let address = scripted_server(&[], |_, _, stream| begin(stream));
    let mut calls = three(address);
    (calls.grpc.message_interval, calls.timeout_ms) = (None, 100);
    let slice = load(&calls, 2);
    assert_eq!(
        (slice.counts.errors.timeout, slice.counts.replies_all),
        (2, 0)
    );
    let told = slice.counts.first_error.expect("an error");
    assert!(
        told.contains("a message has no reply, and the next one waits for it"),
        "{told}"
    );
    // A window that stays shut.
    let address = scripted_server(&[(frame::INITIAL_WINDOW_SIZE, 9)], |_, _, id| begin(id));
    let calls = Spec {
        timeout_ms: 100,
        ..three(address)
    };
    let slice = load(&calls, 2);
    assert_eq!(slice.counts.errors.timeout, 2);
    let told = slice.counts.first_error.expect("an error");
    assert!(told.contains("flow-control window stays closed"), "{told}");
}

#[test]
fn a_connection_that_dies_in_the_middle_of_a_stream_is_an_error() {
    let address = support::server(|stream, _| {
        let mut hello = Vec::new();
        frame::push_settings(&[], &mut hello);
        converse(stream, &hello, |call, id| match call {
            1 => [begin(id), greeting(id).repeat(3), ended(id)].concat(),
            // Nothing more: it hangs up.
            _ => Vec::new(),
        });
    });
    let slice = load(&three(address), 6);
    let outcome = (slice.counts.replies_all, slice.counts.errors.protocol);
    assert_eq!(outcome, (3, 3), "{:?}", slice.counts.first_error);
    assert_eq!(slice.counts.resent, 0);
}

/// Gives every window at once, and answers when all of a call is there.
fn generous(mut stream: std::net::TcpStream) {
    let mut hello = Vec::new();
    frame::push_settings(&[(frame::INITIAL_WINDOW_SIZE, 0)], &mut hello);
    support::send(&mut stream, &hello);
    let mut unread = Vec::new();
    let mut piece = vec![0; 1 << 16];
    let mut skip = frame::PREFACE.len();
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        unread.extend_from_slice(&piece[..n]);
        let here = skip.min(unread.len());
        skip -= here;
        unread.drain(..here);
        let mut said = Vec::new();
        let mut at = 0;
        while let Ok(Some((frame, used))) = Frame::parse(&unread[at..]) {
            if frame.kind == frame::HEADERS {
                frame::push_window_update(0, 8 << 20, &mut said);
                frame::push_window_update(frame.stream, 4 << 20, &mut said);
            } else if frame.kind == frame::DATA && frame.has(END) {
                said.extend(right(frame.stream));
            }
            at += used;
        }
        unread.drain(..at);
        support::send(&mut stream, &said);
    }
}

#[test]
fn what_a_window_lets_go_is_no_chatter() {
    let address = support::server(|stream, _| generous(stream));
    let large = "x".repeat(3_000_000);
    let unary = CallSpec {
        data: json!({"name": large}),
        depth: Some(1),
        ..ask()
    };
    let all = CallSpec {
        proto: Some(streams()),
        call: CLIENT.into(),
        data: json!({"name": "x".repeat(300_000)}),
        messages: Some(10),
        ..unary.clone()
    };
    for calls in [unary, all] {
        let slice = load(&spec(address, calls), 6);
        let outcome = (slice.counts.replies_all, slice.counts.first_error);
        assert_eq!(outcome, (6, None));
    }
}

#[test]
fn thresholds_on_messages_decide_the_exit_code() {
    let server = Server::of("grpc", &["--hello", "--delay", "3ms"]);
    let (url, proto) = (format!("grpc://{}", server.address()), proto());
    let code = |call: &str, threshold: &str| {
        let mode = ["--data", "{}", "--messages", "4", "-c", "4", "-n", "20"];
        let asked = ["-q", "--fail-if", threshold];
        let output = run(&arguments(
            &url,
            &proto,
            call,
            &[&mode[..], &asked].concat(),
        ));
        output.status.code()
    };
    assert_eq!(code(BIDI, "message p50 > 2ms"), Some(1));
    assert_eq!(code(BIDI, "message p50 > 60s"), Some(0));
    // 8 of 80 lie beyond it, and messages of a client stream have no replies.
    assert_eq!(code(BIDI, "message p90 > 60s"), Some(2));
    assert_eq!(code(CLIENT, "message p50 > 60s"), Some(2));
    let told = refusal(&["http://127.0.0.1:1", "--fail-if", "message p50 > 1s"]);
    assert!(told.contains("only with grpc:// and grpcs://"), "{told}");
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    let proto = proto();
    let said =
        |call: &str, more: &[&str]| refusal(&arguments("grpc://127.0.0.1:1", &proto, call, more));
    let unary = "greeter.Greeter/SayHello";
    for (call, more, expected) in [
        (
            unary,
            &["--message-interval", "1ms"][..],
            "--message-interval: greeter.Greeter/SayHello takes one message",
        ),
        (
            CLIENT,
            &["--replies", "3"],
            "--replies: only where both sides stream",
        ),
        (
            unary,
            &["--replies", "any"],
            "--replies: only where both sides stream",
        ),
        (unary, &["--messages", "3"], "replies with one message"),
        (BIDI, &["--replies", "some"], "neither a number nor any"),
        (BIDI, &["--messages", "0"], "--messages: at least 1"),
        (BIDI, &["--data", "[]"], "--data: at least one message"),
        (
            BIDI,
            &["--data", "[{}, {\"nam\": 1}]"],
            "--data is no greeter.HelloRequest",
        ),
        (
            unary,
            &["--data", "[{}]"],
            "--data is no greeter.HelloRequest",
        ),
        (
            BIDI,
            &["--messages", "6", "--message-interval", "1s"],
            "--message-interval: 6 messages take 5000 ms, and --timeout is 5000 ms",
        ),
    ] {
        let told = said(call, more);
        assert!(told.contains(expected), "{told}");
    }
    let told = refusal(&["http://127.0.0.1:1", "--message-interval", "1ms"]);
    assert!(
        told.contains("--message-interval: only for grpc://"),
        "{told}"
    );
}
