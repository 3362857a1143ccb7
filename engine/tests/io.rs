//! The same load by epoll and by io_uring: every count is the same, whatever the server does.

mod support;

#[path = "support/program.rs"]
mod program;
#[path = "support/serving.rs"]
mod serving;

use deadheat_load::load::run::RunSpec;
use deadheat_load::load::run_control::RunControl;
use deadheat_load::net::Io;
use deadheat_load::protocol::http::Request;
use deadheat_load::target::{self, Spec};
use program::{number, refusal, summary};
use serving::Server;
use std::io::Read;
use std::time::Duration;
use support::{hello, read_head, send, server};

/// The ways that this kernel allows.
fn ways() -> Vec<&'static str> {
    let address = server(|mut stream, _| {
        let _ = read_head(&mut stream);
    });
    let spec = Spec {
        io: Io::Uring,
        connections: 1,
        ..Spec::new(&format!("http://{address}"), Request::get("/"))
    };
    match target::open(&spec) {
        Ok(_) => vec!["epoll", "uring"],
        Err(error) => {
            assert!(error.message.contains("--io epoll"), "{error}");
            eprintln!("io_uring is not tried: {error}");
            vec!["epoll"]
        }
    }
}

#[test]
fn faults_are_counted_exactly_in_pipelines_too() {
    for io in ways() {
        for pipeline in ["1", "8"] {
            let faults = ["--fail", "1/7", "--wrong-body", "1/11"];
            let server = Server::start(&faults);
            let url = format!("http://{}/abc", server.address());
            let summary = summary(&[
                &url,
                "--io",
                io,
                "-c",
                "6",
                "--pipeline",
                pipeline,
                "-n",
                "3000",
                "--expect-body",
                "Hello from abc!",
            ]);
            let told = server.stop();
            let by = &summary["errors_by_kind"];
            assert_eq!(number(&told["requests"]), 3_000);
            assert_eq!(by["status"], told["fail"], "{io}, pipeline {pipeline}");
            assert_eq!(by["body"], told["wrong_body"], "{io}, pipeline {pipeline}");
            let (replies, errors) = (number(&summary["requests"]), number(&summary["errors"]));
            assert_eq!(replies + errors, 3_000, "{io}, pipeline {pipeline}");
            assert_eq!(errors, number(&by["status"]) + number(&by["body"]));
        }
    }
}

#[test]
fn connections_that_close_cost_no_request() {
    for io in ways() {
        for faults in [&["--close-after", "7"][..], &["--byte-by-byte"]] {
            let server = Server::start(faults);
            let url = format!("http://{}/abc", server.address());
            let summary = summary(&[&url, "--io", io, "-c", "5", "-n", "400"]);
            let counts = (number(&summary["requests"]), number(&summary["errors"]));
            assert_eq!(counts, (400, 0), "{io}, {faults:?}: {summary}");
        }
    }
}

/// More than the sockets of both sides hold, to a server that does not read at first.
#[test]
fn what_a_socket_does_not_take_is_sent_later() {
    const BODY: usize = 15_000;
    let address = server(|mut stream, _| {
        std::thread::sleep(Duration::from_millis(300));
        let mut body = vec![0; BODY];
        while read_head(&mut stream).is_some() {
            if stream.read_exact(&mut body).is_err() || body.iter().any(|&byte| byte != b'x') {
                return;
            }
            send(&mut stream, &hello("/abc"));
        }
    });
    for io in ways() {
        let mut request = Request::get("/abc");
        request.method = "POST".into();
        request.body = Some("x".repeat(BODY).into());
        request.expect.body = Some("Hello from abc!".into());
        let spec = Spec {
            io: if io == "uring" { Io::Uring } else { Io::Epoll },
            connections: 2,
            depth: 1_000,
            timeout_ms: 60_000,
            ..Spec::new(&format!("http://{address}"), request)
        };
        let turn = RunSpec {
            counted_ms: 600_000,
            requests: Some(1_000),
            rate: Some(20_000.0),
            ..RunSpec::default()
        };
        let mut target = target::open(&spec).expect("it opens");
        let slice = target.run(&turn, &RunControl::default()).expect("it runs");
        assert_eq!(
            (slice.counts.replies, slice.counts.first_error),
            (1_000, None),
            "{io}"
        );
    }
}

#[test]
fn receive_timestamps_need_epoll() {
    let error = refusal(&["http://127.0.0.1:1", "--io", "uring", "--coalesce", "auto"]);
    assert!(error.contains("--io epoll"), "{error}");
}

#[test]
fn the_summary_says_what_was_used() {
    let server = Server::start(&[]);
    let url = format!("http://{}/abc", server.address());
    let used = |io| summary(&[&url, "--io", io, "-n", "10"])["io"].clone();
    assert_eq!(used("epoll"), "epoll");
    if ways().contains(&"uring") {
        assert_eq!(used("uring"), "io_uring");
    }
}
