//! Streams of tokens: their figures in virtual time, to the nanosecond of what was planted but for
//! the bins of the histograms; and the program against a server of ours.

#[path = "support/program.rs"]
mod program;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "support/serving.rs"]
mod serving;
#[path = "support/simulated.rs"]
mod simulated;
mod support;

use deadheat_load::histogram::Latencies;
use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::streams::StreamCounts;
use deadheat_load::protocol::http::stream::StreamForm;
use program::{number, refusal, run, summary};
use scripted::{data, headers, scripted_server, END};
use serving::Server;
use simulated::{over_streams, Piece, Simulated};

const MS: u64 = 1_000_000;
const HEAD: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

const ROLE: &str = r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#;
const CONTENT: &str = r#"{"choices":[{"delta":{"content":"Hel"}}]}"#;
const USAGE: &str = r#"{"choices":[],"usage":{"completion_tokens":3}}"#;
const ERROR: &str = r#"{"error":{"message":"overloaded"}}"#;

/// An event of SSE as a chunk.
fn event(data: &str) -> String {
    let text = format!("data: {data}\n\n");
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// A chat of three contents with gaps of 10 and 30 ms, the first after 50 ms; the end of the reply
/// comes 10 ms behind the last of them.
fn chat(at_ns: u64) -> Vec<Piece> {
    let end = [event(USAGE), event("[DONE]"), "0\r\n\r\n".into()].concat();
    [
        (20, HEAD.to_owned() + &event(ROLE)),
        (50, event(CONTENT)),
        (60, event(CONTENT)),
        (90, event(CONTENT)),
        (100, end),
    ]
    .map(|(ms, text)| (at_ns + ms * MS, text.into_bytes()))
    .into()
}

fn streamed(
    server: impl FnMut(u64) -> Vec<Piece> + 'static,
    connections: usize,
    turn: &RunSpec,
) -> (RunResult, StreamCounts) {
    let net = Simulated::in_pieces(server, connections);
    let result = over_streams(net, connections, StreamForm::Sse, turn);
    let streams = result.streams.clone().expect("streams");
    (result, streams)
}

fn closed(counted_ms: u64) -> RunSpec {
    RunSpec {
        counted_ms,
        ..RunSpec::default()
    }
}

/// Every observation was this one.
#[track_caller]
fn all_are(latencies: &Latencies, count: u64, ms: u64) {
    quantiles(latencies, count, &[(0.0, ms), (1.0, ms)]);
}

#[track_caller]
fn quantiles(latencies: &Latencies, count: u64, expected: &[(f64, u64)]) {
    assert_eq!(latencies.count(), count);
    for &(quantile, ms) in expected {
        let ns = latencies.as_hdr().value_at_quantile(quantile);
        assert!(ns.abs_diff(ms * MS) <= ms * MS / 500, "{quantile}: {ns}");
    }
}

#[test]
fn each_figure_is_what_was_planted() {
    // Two connections, 1 s, 100 ms a stream; the tenth ends at the very end.
    let (result, streams) = streamed(chat, 2, &closed(1_001));
    assert_eq!((streams.streams, result.counts.replies), (20, 20));
    all_are(&result.latencies, 20, 100);
    all_are(&streams.first_event, 20, 20);
    all_are(&streams.first_content, 20, 50);
    all_are(&streams.last_content, 20, 90);
    quantiles(&streams.gaps, 40, &[(0.49, 10), (0.51, 30)]);
    // 40 ms for the two tokens after the first.
    all_are(&streams.per_token, 20, 20);
    assert_eq!((streams.events, streams.contents), (120, 60));
    assert_eq!((streams.tokens, streams.with_tokens), (60, 20));
    assert_eq!(streams.without_content, 0);
}

#[test]
fn in_open_loop_all_runs_from_the_time_due() {
    // One connection can do 10 a second: number k is due at 50 k ms and sent at 100 k ms.
    let turn = RunSpec {
        rate: Some(20.0),
        ..closed(1_000)
    };
    let (result, streams) = streamed(chat, 1, &turn);
    assert_eq!((streams.streams, result.counts.replies), (20, 20));
    let late = |ms: u64| [(0.0, ms), (0.5, ms + 9 * 50), (1.0, ms + 19 * 50)];
    quantiles(&streams.first_event, 20, &late(20));
    quantiles(&streams.first_content, 20, &late(50));
    quantiles(&streams.last_content, 20, &late(90));
    quantiles(&streams.gaps, 40, &[(0.0, 10), (1.0, 30)]);
}

#[test]
fn only_streams_that_end_in_the_counted_part_count() {
    let turn = RunSpec {
        lead_in_ms: 250,
        ..closed(300)
    };
    // Begun at 0, 100, ... 500: those that end at 300, 400 and 500 count.
    let (result, streams) = streamed(chat, 1, &turn);
    assert_eq!((result.counts.replies_all, streams.streams), (6, 3));
    assert_eq!((streams.events, streams.first_content.count()), (18, 3));
}

#[test]
fn events_of_one_read_come_at_one_time_and_cut_ones_when_they_are_whole() {
    let server = |at_ns: u64| {
        let (half, rest) = CONTENT.split_at(9);
        let begun = format!("data: {half}");
        let ended = format!("{rest}\n\n");
        let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
        [
            (
                30,
                HEAD.to_owned() + &event(CONTENT) + &event(CONTENT) + &chunk(&begun),
            ),
            (70, chunk(&ended) + "0\r\n\r\n"),
        ]
        .map(|(ms, text)| (at_ns + ms * MS, text.into_bytes()))
        .into()
    };
    let (_, streams) = streamed(server, 1, &closed(701));
    assert_eq!((streams.streams, streams.contents), (10, 30));
    all_are(&streams.first_event, 10, 30);
    all_are(&streams.last_content, 10, 70);
    assert_eq!(streams.gaps.count(), 20);
    let zero = streams.gaps.as_hdr().value_at_quantile(0.5);
    assert!(zero < 1_000, "{zero}");
    assert!(streams.gaps.as_hdr().max().abs_diff(40 * MS) < MS / 10);
    assert_eq!((streams.with_tokens, streams.per_token.count()), (0, 0));
}

#[test]
fn an_error_in_the_stream_fails_it_though_its_status_is_200() {
    let mut number = 0;
    let server = move |at_ns| {
        number += 1;
        let mut pieces = chat(at_ns);
        if number % 4 == 0 {
            pieces.truncate(3);
            let text = event(ERROR) + "0\r\n\r\n";
            pieces.push((at_ns + 80 * MS, text.into_bytes()));
        }
        pieces
    };
    let turn = RunSpec {
        requests: Some(40),
        ..closed(60_000)
    };
    let (result, streams) = streamed(server, 1, &turn);
    assert_eq!((result.counts.replies, streams.streams), (30, 30));
    assert_eq!(result.counts.errors.status, 10);
    assert_eq!(
        result.counts.first_error.as_deref(),
        Some(format!("an error in the stream: {ERROR}").as_str())
    );
    // Nothing of those that failed.
    assert_eq!((streams.contents, streams.gaps.count()), (90, 60));
    all_are(&streams.last_content, 30, 90);
}

#[test]
fn streams_of_http2_are_told_apart() {
    let address = scripted_server(&[], |_, call, id| {
        let event = |text: &str| data(id, 0, format!("data: {text}\n\n").as_bytes());
        let mut reply = headers(id, 0, &[(":status", "200")]);
        reply.extend(event(ROLE));
        reply.extend(event(CONTENT));
        if call % 5 == 0 {
            reply.extend(event(ERROR));
        }
        reply.extend(event(CONTENT));
        reply.extend(event(USAGE));
        reply.extend(data(id, END, b""));
        reply
    });
    let url = format!("http://{address}/");
    let mode = ["--http2", "--streams", "4", "-c", "1", "-n", "50"];
    let summary = summary(&[&[url.as_str(), "--stream", "sse"], &mode[..]].concat());
    assert_eq!(number(&summary["errors_by_kind"]["status"]), 10);
    let streams = &summary["streams"];
    assert_eq!(number(&streams["streams"]), 40, "{summary}");
    assert_eq!(number(&streams["events"]), 160);
    assert_eq!(number(&streams["events_with_content"]), 80);
    assert_eq!(number(&streams["tokens"]), 120);
    assert!(streams["first_content_ms"]["p50"].is_number());
}

#[test]
fn the_program_finds_what_a_server_of_ours_plants() {
    for form in ["sse", "lines"] {
        let planted = [
            "--form",
            form,
            "--first-event",
            "5ms",
            "--first-content",
            "20ms",
            "--gap",
            "2ms",
            "--contents",
            "10",
            "--tokens",
            "3",
            "--fail",
            "1/10",
        ];
        let server = Server::of("sse", &planted);
        let url = format!("http://{}/v1/chat", server.address());
        let arguments = [
            &url, "-n", "100", "-c", "10", "--stream", form, "--data", "{}",
        ];
        let summary = summary(&arguments);
        let streams = &summary["streams"];
        assert_eq!(
            number(&summary["errors_by_kind"]["status"]),
            10,
            "{summary}"
        );
        assert_eq!(number(&streams["streams"]), 90, "{summary}");
        assert_eq!(number(&streams["events_with_content"]), 900);
        assert_eq!(number(&streams["tokens"]), 90 * 30);
        // A busy machine makes things late, never early.
        for (figure, ms) in [
            ("first_event_ms", 5.0),
            ("first_content_ms", 20.0),
            ("last_content_ms", 38.0),
        ] {
            let p50 = streams[figure]["p50"].as_f64().expect("a time");
            assert!(p50 > ms * 0.99, "{figure}: {p50}");
        }
        let served = server.stop();
        assert_eq!(
            (number(&served["requests"]), number(&served["fail"])),
            (100, 10)
        );
    }
}

#[test]
fn messages_of_grpc_are_timed_each() {
    let server = Server::of("grpc", &["--hello"]);
    let url = format!("grpc://{}", server.address());
    let contract = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../suite/grpc-unary/greeter.proto"
    );
    let call = ["--proto", contract, "--call", "greeter.Greeter/SayHellos"];
    let asked = ["--data", r#"{"name": "a"}"#, "--messages", "100"];
    let mode = [
        "--stream",
        "messages",
        "-c",
        "2",
        "--streams",
        "5",
        "-n",
        "50",
    ];
    let summary = summary(&[&[url.as_str()], &call[..], &asked, &mode].concat());
    let streams = &summary["streams"];
    assert_eq!(number(&streams["streams"]), 50, "{summary}");
    assert_eq!(number(&streams["events"]), 5_000);
    assert!(streams["first_content_ms"]["p50"].is_number());
    assert!(streams["gap_ms"]["p99"].is_number());
    let said = refusal(&["http://127.0.0.1:1", "--stream", "messages"]);
    assert!(
        said.contains("--stream messages: only for grpc://"),
        "{said}"
    );
}

#[test]
fn thresholds_on_streams_decide_the_exit_code() {
    let server = Server::of("sse", &["--first-content", "20ms", "--gap", "1ms"]);
    let url = format!("http://{}/", server.address());
    let code = |threshold: &str| {
        let arguments = [&url, "-n", "40", "-c", "4", "--stream", "sse", "-q"];
        let output = run(&[&arguments[..], &["--fail-if", threshold]].concat());
        output.status.code()
    };
    assert_eq!(code("first-content p50 > 19ms"), Some(1));
    assert_eq!(code("first-content p50 > 60s"), Some(0));
    // 4 of 40 lie beyond it.
    assert_eq!(code("first-content p90 > 60s"), Some(2));
    let said = refusal(&[&url, "--fail-if", "gap p50 > 1s"]);
    assert!(
        said.contains("--fail-if 'gap p50 > 1s': only with --stream"),
        "{said}"
    );
}

#[test]
fn the_table_shows_them_within_80_columns() {
    let server = Server::of("sse", &["--first-content", "10ms", "--gap", "1ms"]);
    let url = format!("http://{}/", server.address());
    let output = run(&[&url, "-n", "20", "-c", "4", "--stream", "sse", "-q"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let line = text.lines().find(|line| line.starts_with("  streams"));
    assert!(
        line.is_some_and(|line| line.contains("first cont.")),
        "{text}"
    );
    assert!(text.contains("\nevents: 480 ("), "{text}");
    assert!(text.contains("\ntokens: 400 ("), "{text}");
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{text}");
}

#[test]
fn what_is_no_stream_is_an_error_or_refused() {
    let server = Server::of("http", &[]);
    let url = format!("http://{}/a", server.address());
    let summary = summary(&[&url, "-n", "5", "-c", "1", "--stream", "sse"]);
    assert_eq!(number(&summary["errors_by_kind"]["body"]), 5);
    assert_eq!(summary["first_error"], "a stream without events");
    let said = refusal(&["redis://127.0.0.1:1", "-r", "PING", "--stream", "sse"]);
    assert!(
        said.contains("--stream sse and lines: only for http://"),
        "{said}"
    );
}
