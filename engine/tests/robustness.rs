//! Replies that would need more memory than anyone has, or are none: each is an error that
//! says what it was and on which connection, and that connection is closed.

#[path = "support/grpc.rs"]
mod greeter;
mod support;

use deadheat_load::load::run::RunResult;
use deadheat_load::protocol::h2::frame;
use deadheat_load::protocol::h2::hpack::{indexed, literal, literal_indexed};
use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::redis;
use deadheat_load::target::Spec;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::mpsc::{channel, Receiver};
use std::sync::Mutex;

const REQUESTS: u64 = 3;

/// A server that says `first`, waits for a request, and answers with `said`. Each connection
/// that the client has closed is told to the receiver.
fn scripted(first: Vec<u8>, said: Vec<u8>) -> (SocketAddr, Receiver<()>) {
    let (closed, closings) = channel();
    let closed = Mutex::new(closed);
    let address = support::server(move |mut stream, _| {
        support::send(&mut stream, &first);
        let has_asked = |heard: &[u8]| match first.as_slice() {
            [] => !heard.is_empty(),
            // Over HTTP/2 a request stands behind the preface.
            _ => asked(heard),
        };
        let mut heard = Vec::new();
        let mut piece = [0; 4096];
        while !has_asked(&heard) {
            match stream.read(&mut piece) {
                Ok(n @ 1..) => heard.extend_from_slice(&piece[..n]),
                _ => return,
            }
        }
        support::send(&mut stream, &said);
        // The end of the stream, or a reset: the client has closed it.
        while matches!(stream.read(&mut piece), Ok(1..)) {}
        let _ = closed.lock().expect("a sender").send(());
    });
    (address, closings)
}

/// Whether HEADERS have come.
fn asked(heard: &[u8]) -> bool {
    let mut rest = heard.get(frame::PREFACE.len()..).unwrap_or_default();
    while let Ok(Some((frame, used))) = frame::Frame::parse(rest) {
        if frame.kind == frame::HEADERS {
            return true;
        }
        rest = &rest[used..];
    }
    false
}

fn is_told_and_closed(spec: &Spec, closings: &Receiver<()>, what: &str) {
    let spec = Spec {
        connections: 1,
        depth: 1,
        ..spec.clone()
    };
    let slice: RunResult = greeter::load(&spec, REQUESTS);
    let first = slice.counts.first_error.expect("an error");
    assert!(first.contains(what), "{first:?}, not {what:?}");
    assert!(first.ends_with(" (connection 0)"), "{first:?}");
    assert_eq!(
        (
            slice.counts.replies_all,
            slice.counts.errors.protocol,
            slice.counts.errors.total()
        ),
        (0, REQUESTS, REQUESTS),
        "{what}"
    );
    for _ in 0..REQUESTS {
        closings.recv().expect("a closed connection");
    }
}

#[test]
fn http1() {
    let long = "x".repeat(70_000);
    let line = "HTTP/1.1 200 OK\r\n";
    for (said, what) in [
        (
            format!("{line}A: {long}\r\n\r\n"),
            "a header block over 64 KiB",
        ),
        (format!("{line}A: {long}"), "a header block over 64 KiB"),
        (format!("{line}Content-Length: -1\r\n\r\n"), "length"),
        (
            format!("{line}Content-Length: 12345678901234567890\r\n\r\n"),
            "length",
        ),
        (
            format!("{line}Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n"),
            "a chunk size that is no size",
        ),
        (
            format!("{line}Transfer-Encoding: chunked\r\n\r\n{long}"),
            "a chunk's size line over 16 KiB",
        ),
        (
            format!("{line}Transfer-Encoding: chunked\r\n\r\n-5\r\n"),
            "a chunk size that is no size",
        ),
    ] {
        let (address, closings) = scripted(Vec::new(), said.into_bytes());
        let spec = Spec::new(&format!("http://{address}"), Request::get("/"));
        is_told_and_closed(&spec, &closings, what);
    }
}

#[test]
fn redis() {
    for (said, what) in [
        ("$-5\r\n".to_owned(), "a length that is none"),
        ("*-2\r\n".to_owned(), "a length that is none"),
        (
            "$12345678901234567890\r\n".to_owned(),
            "a length that is none",
        ),
        // 2^60
        (
            "$1152921504606846976\r\n".to_owned(),
            "a length that is none",
        ),
        ("$4294967296\r\n".to_owned(), "a length beyond every limit"),
        ("*4294967296\r\n".to_owned(), "a length beyond every limit"),
        ("*1\r\n".repeat(40), "arrays in arrays, 32 deep"),
        (
            format!("+{}", "x".repeat(70_000)),
            "a line of more than 64 KiB",
        ),
    ] {
        let (address, closings) = scripted(Vec::new(), said.into_bytes());
        let ask = redis::CommandSpec {
            commands: vec![vec!["GET".into(), "a".into()]],
            ..redis::CommandSpec::default()
        };
        let spec = Spec::redis(&format!("redis://{address}"), ask);
        is_told_and_closed(&spec, &closings, what);
    }
}

#[test]
fn http2_and_grpc() {
    let settings = {
        let mut bytes = Vec::new();
        frame::push_settings(&[], &mut bytes);
        bytes
    };
    let framed = |kind, flags, payload: &[u8]| {
        let mut bytes = Vec::new();
        frame::push(kind, flags, 1, payload, &mut bytes);
        bytes
    };
    let end = frame::END_HEADERS;
    let continued = [
        framed(frame::HEADERS, 0, &indexed(8)),
        framed(frame::CONTINUATION, 0, &[0; 16_000]).repeat(5),
    ];
    // 4 KB that are entered into the table once and named a thousand times.
    let bomb = [
        literal_indexed(b"a", &[b'b'; 3_000]),
        indexed(62).repeat(1_000),
    ];
    for (said, what) in [
        (
            framed(frame::DATA, 0, &[0; 16_385]),
            "a frame that is longer than announced",
        ),
        (
            b"\xff\xff\xff\x01\x04\0\0\0\x01".to_vec(),
            "a frame that is longer than announced",
        ),
        (continued.concat(), "a header block of over 64 KiB"),
        (
            framed(frame::HEADERS, end, &bomb.concat()),
            "headers of over 64 KiB",
        ),
        (
            framed(frame::HEADERS, end, b"\x3f\xff\xff\x7f"),
            "a header table beyond its limit",
        ),
        (
            framed(frame::HEADERS, end, b"\x7f\xff\xff\xff\xff\x0f"),
            "an integer without end in a header block",
        ),
        (
            [
                framed(frame::HEADERS, 0, &literal(b"a", b"b")),
                framed(frame::DATA, 0, b"x"),
            ]
            .concat(),
            "a header block that does not go on",
        ),
    ] {
        let (address, closings) = scripted(settings.clone(), said.clone());
        let http2 = Spec {
            http2: true,
            ..Spec::new(&format!("http://{address}"), Request::get("/"))
        };
        is_told_and_closed(&http2, &closings, what);
        let (address, closings) = scripted(settings.clone(), said);
        let grpc = greeter::spec(address, greeter::ask());
        is_told_and_closed(&grpc, &closings, what);
    }
}
