//! gRPC load against our own server: calls, streams, large messages, faults that are counted.

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use deadheat_load::load::run_control::RunControl;
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::target;
use greeter::{ask, load, spec, turn};
use program::run;
use serde_json::{json, Value};
use serving::Server;
use std::net::SocketAddr;
use std::path::PathBuf;

fn ours(options: &[&str]) -> Server {
    Server::of("grpc", options)
}

#[test]
fn greetings_echoes_and_streams() {
    let server = ours(&["--hello"]);
    let mut target = target::open(&spec(server.socket(), ask())).unwrap();
    for token in ["a", "\u{e9}\u{1f600}", "longer than it was before", ""] {
        let slice = target
            .run(&turn(token, 1_000), &RunControl::default())
            .unwrap();
        assert_eq!(
            (slice.counts.replies_all, slice.counts.first_error),
            (1_000, None),
            "{token}"
        );
    }
    drop(target);
    let streamed = CallSpec {
        call: "greeter.Greeter/SayHellos".into(),
        messages: Some(100),
        metadata: vec![("X-Key".into(), "{token}".into())],
        deadline_ms: Some(10_000),
        ..ask()
    };
    let slice = load(&spec(server.socket(), streamed.clone()), 500);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error),
        (500, None)
    );
    let short = CallSpec {
        messages: Some(99),
        ..streamed
    };
    let slice = load(&spec(server.socket(), short), 20);
    assert_eq!(slice.counts.errors.body, 20);
    assert_eq!(
        slice.counts.first_error.unwrap(),
        "100 messages, expected 99"
    );
    assert_eq!(server.stop()["requests"], 4_520);

    let server = ours(&[]);
    // The same bytes are a HelloReply, too.
    let echo = CallSpec {
        expect: Some(json!({"message": "{token}"})),
        ..ask()
    };
    for gzip in [false, true] {
        let slice = load(
            &spec(
                server.socket(),
                CallSpec {
                    gzip,
                    ..echo.clone()
                },
            ),
            500,
        );
        assert_eq!(
            (slice.counts.replies_all, slice.counts.first_error),
            (500, None)
        );
    }
}

#[test]
fn figures_as_ghz_has_them() {
    let contract = greeter::contract().display().to_string();
    let figures = |options: &[&str]| -> Value {
        let server = ours(options);
        let url = format!("grpc://{}", server.address());
        let call = ["--proto", &contract, "--call", "greeter.Greeter/SayHello"];
        let mode = ["--data", r#"{"name": "a"}"#, "-c", "2", "-n", "200"];
        let output = run(&[&[url.as_str(), "--format", "ghz"], &call[..], &mode].concat());
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let summary = figures(&["--hello"]);
    assert_eq!(summary["count"], 200);
    assert_eq!(summary["endReason"], "normal");
    assert_eq!(summary["statusCodeDistribution"], json!({"OK": 200}));
    assert_eq!(summary["errorDistribution"], json!({}));
    let times = ["fastest", "average", "slowest"].map(|name| summary[name].as_u64().unwrap());
    assert!(times[0] <= times[1] && times[1] <= times[2], "{summary}");
    let percentiles = summary["latencyDistribution"].as_array().unwrap();
    let percentages: Vec<u64> = percentiles
        .iter()
        .map(|one| one["percentage"].as_u64().unwrap())
        .collect();
    // Of 200 only 2 lie beyond the last.
    assert_eq!(percentages, [10, 25, 50, 75, 90, 95]);
    let bins = summary["histogram"].as_array().unwrap();
    let counts = bins.iter().map(|bin| bin["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 200);
    let failed = figures(&["--grpc-status", "14"]);
    assert_eq!(
        failed["statusCodeDistribution"],
        json!({"Unavailable": 200})
    );
}

#[test]
fn messages_larger_than_every_window() {
    let server = ours(&[]);
    let name = "x".repeat(1_000_000);
    let large = CallSpec {
        data: json!({"name": name}),
        expect: Some(json!({"message": name})),
        ..ask()
    };
    let slice = load(&spec(server.socket(), large.clone()), 40);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error),
        (40, None)
    );
    let too_large = CallSpec {
        data: json!({"name": "x".repeat(5_000_000)}),
        ..large
    };
    let slice = load(&spec(server.socket(), too_large), 5);
    assert_eq!(slice.counts.errors.status, 5);
    assert_eq!(
        slice.counts.first_error.unwrap(),
        "grpc-status 8 RESOURCE_EXHAUSTED"
    );
}

#[test]
fn lies_of_our_server_are_counted_as_what_they_are() {
    let server = ours(&["--hello", "--fail", "1/10", "--wrong-body", "1/25"]);
    let slice = load(&spec(server.socket(), ask()), 1_000);
    assert_eq!(
        (slice.counts.errors.status, slice.counts.errors.body),
        (100, 20)
    );
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.total()),
        (880, 120)
    );
    let told = server.stop();
    assert_eq!(
        (&told["fail"], &told["wrong_body"]),
        (&json!(100), &json!(20))
    );

    let server = ours(&["--hello", "--byte-by-byte"]);
    let slice = load(&spec(server.socket(), ask()), 200);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error),
        (200, None)
    );

    let server = ours(&["--hello", "--grpc-status", "13"]);
    let slice = load(&spec(server.socket(), ask()), 100);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.status),
        (0, 100)
    );
    assert_eq!(slice.counts.first_error.unwrap(), "grpc-status 13 INTERNAL");

    let server = ours(&["--hello"]);
    let unknown = CallSpec {
        proto: None,
        protoset: Some(compiled()),
        ..ask()
    };
    let unknown = CallSpec {
        call: "other.Service/Unknown".into(),
        ..unknown
    };
    let slice = load(&spec(server.socket(), unknown), 10);
    assert_eq!(
        slice.counts.first_error.unwrap(),
        "grpc-status 12 UNIMPLEMENTED"
    );
}

/// A contract that nobody serves, compiled.
fn compiled() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join("other.proto");
    let text =
        "syntax = \"proto3\"; package other; message M { string name = 1; string message = 2; }
        service Service { rpc Unknown(M) returns (M); }";
    std::fs::write(&source, text).unwrap();
    let set = protox::compile(["other.proto"], [&folder]).unwrap();
    let path = folder.join("other.protoset");
    std::fs::write(&path, prost_reflect::prost::Message::encode_to_vec(&set)).unwrap();
    path
}

#[test]
fn mistakes_before_any_load() {
    let address = SocketAddr::from(([127, 0, 0, 1], 1));
    let with = |change: fn(&mut CallSpec)| {
        let mut ask = ask();
        change(&mut ask);
        target::open(&spec(address, ask))
            .err()
            .expect("it does not open")
            .message
    };
    for (message, what) in [
        (with(|_| ()), "refused the connection"),
        // The server would be asked.
        (with(|ask| ask.proto = None), "refused the connection"),
        (
            with(|ask| ask.proto = Some("/nowhere/a.proto".into())),
            "a.proto",
        ),
        (
            with(|ask| ask.protoset = Some("x".into())),
            "--proto or --protoset",
        ),
        (
            with(|ask| ask.call = "SayHello".into()),
            "not package.Service/Method",
        ),
        (
            with(|ask| ask.call = "greeter.Other/SayHello".into()),
            "only: greeter.Greeter",
        ),
        (
            with(|ask| ask.call = "greeter.Greeter/Say".into()),
            "only: SayHello, SayHellos",
        ),
        (
            with(|ask| ask.data = json!({"nam": "x"})),
            "--data is no greeter.HelloRequest",
        ),
        (
            with(|ask| ask.expect = Some(json!({"message": 5}))),
            "expect is no greeter.HelloReply",
        ),
        (
            with(|ask| ask.messages = Some(2)),
            "replies with one message",
        ),
        (
            with(|ask| ask.metadata = vec![("a b".into(), "c".into())]),
            "metadata a b",
        ),
    ] {
        assert!(message.contains(what), "{message}");
        assert!(!message.contains('\n'), "one line: {message}");
    }
}

#[test]
fn a_contract_imports_from_other_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(place("common/types")).expect("folders");
    std::fs::create_dir_all(place("services")).expect("folders");
    let types = "syntax = \"proto3\"; package t; message Name { string name = 1; }";
    std::fs::write(place("common/types/name.proto"), types).expect("written");
    let service = "syntax = \"proto3\"; package greeter; import \"types/name.proto\";\n\
        service Greeter { rpc SayHello(t.Name) returns (t.Name); }";
    std::fs::write(place("services/greeter.proto"), service).expect("written");
    let server = ours(&[]);
    let url = format!("grpc://{}", server.address());
    let proto = place("services/greeter.proto").display().to_string();
    let common = place("common").display().to_string();
    let asked = [
        "--call",
        "greeter.Greeter/SayHello",
        "--data",
        "{\"name\": \"a\"}",
        "-n",
        "10",
        "-c",
        "1",
    ];
    let with = [url.as_str(), "--proto", &proto, "--import-path", &common];
    let summary = program::summary(&[&with, &asked[..]].concat());
    assert_eq!(
        (
            program::number(&summary["requests"]),
            program::number(&summary["errors"])
        ),
        (10, 0)
    );
    let without = program::refusal(&[&with[..3], &asked[..]].concat());
    assert!(without.contains("types/name.proto"), "{without}");
    server.stop();
}
