//! gRPC load against servers that do something wrong: each fault is counted and named.

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/scripted.rs"]
mod scripted;
mod support;

use deadheat_load::load::run::RunResult;
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::protocol::h2::frame;
use deadheat_load::protocol::h2::hpack::{indexed, literal};
use deadheat_load::target::{self, Spec};
use greeter::{ask, load, spec};
use scripted::{begin, data, greeting, headers, right, scripted_server, END};
use std::io::Read;
use std::net::TcpStream;

/// One call on one connection; what its failure is called.
fn error_of(answer: impl Fn(u32) -> Vec<u8> + Send + Sync + 'static) -> (RunResult, String) {
    let address = scripted_server(&[], move |_, _, stream| answer(stream));
    let ask = CallSpec {
        depth: Some(1),
        ..ask()
    };
    let one = Spec {
        connections: 1,
        timeout_ms: 500,
        ..spec(address, ask)
    };
    let slice = load(&one, 1);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.total()),
        (0, 1),
        "{:?}",
        slice.counts.first_error
    );
    let name = slice.counts.first_error.clone().unwrap();
    (slice, name)
}

#[test]
fn every_fault_of_a_call_is_named() {
    let ok = |stream| headers(stream, END, &[("grpc-status", "0")]);
    let protocol = |answer: &'static (dyn Fn(u32) -> Vec<u8> + Send + Sync)| {
        let (slice, name) = error_of(answer);
        assert_eq!(slice.counts.errors.protocol, 1, "{name}");
        name
    };
    assert_eq!(
        protocol(&|stream| {
            let mut bytes = begin(stream);
            frame::push_reset(stream, 11, &mut bytes);
            bytes
        }),
        "RST_STREAM: ENHANCE_YOUR_CALM"
    );
    assert_eq!(
        protocol(&|stream| [begin(stream), data(stream, END, b"")].concat()),
        "the trailers are missing"
    );
    assert_eq!(
        protocol(&|stream| [
            begin(stream),
            greeting(stream),
            headers(stream, END, &[("a", "b")])
        ]
        .concat()),
        "trailers without grpc-status"
    );
    assert_eq!(
        protocol(
            &|stream| [begin(stream), data(stream, 0, b"\x01\0\0\0\x01x")]
                .concat()
                .into_iter()
                .chain(headers(stream, END, &[("grpc-status", "0")]))
                .collect()
        ),
        "a compressed reply that nobody asked for"
    );
    assert_eq!(
        protocol(&|stream| headers(
            stream,
            END,
            &[(":status", "200"), ("content-type", "text/html")]
        )),
        "a reply that is not application/grpc"
    );
    assert_eq!(
        protocol(&|stream| [
            begin(stream),
            data(stream, 0, b"\0\x7f\0\0\0"),
            headers(stream, END, &[("grpc-status", "0")])
        ]
        .concat()),
        "a message of over 4 MiB"
    );
    assert_eq!(
        protocol(&|_| vec![0xff; 16]),
        "a frame that is longer than announced (connection 0)"
    );
    assert_eq!(
        protocol(&|stream| {
            let mut bytes = Vec::new();
            let block = [literal(b"a", &[b'b'; 12_000]), vec![0xbf; 10]].concat();
            frame::push(
                frame::HEADERS,
                frame::END_HEADERS,
                stream,
                &block,
                &mut bytes,
            );
            bytes
        }),
        "a header index that is none (connection 0)"
    );
    let (slice, name) = error_of(move |stream| [begin(stream), ok(stream)].concat());
    assert_eq!(
        (slice.counts.errors.body, name.as_str()),
        (1, "0 messages, expected 1")
    );
    let (slice, name) = error_of(move |stream| {
        let other = data(stream, 0, b"\0\0\0\0\x03\x0a\x01x");
        [begin(stream), other, ok(stream)].concat()
    });
    assert_eq!(slice.counts.errors.body, 1);
    assert_eq!(
        name,
        r#"message {"message":"x"}, expected {"message":"Hello from 7f3a!"}"#
    );
    let (slice, name) = error_of(|stream| {
        let fields = [
            (":status", "200"),
            ("content-type", "application/grpc"),
            ("grpc-status", "5"),
            ("grpc-message", "gone"),
        ];
        headers(stream, END, &fields)
    });
    assert_eq!(
        (slice.counts.errors.status, name.as_str()),
        (1, "grpc-status 5 NOT_FOUND: gone")
    );
    let (slice, name) = error_of(|stream| headers(stream, END, &[(":status", "503")]));
    assert_eq!(
        (slice.counts.errors.status, name.as_str()),
        (1, "HTTP status 503 instead of a gRPC reply")
    );
    let (slice, name) = error_of(|stream| {
        let mut bytes = begin(stream);
        let bomb = [literal(b"a", &[b'b'; 16_000]), indexed(2)].concat();
        frame::push(frame::HEADERS, 0, stream, &bomb, &mut bytes);
        for _ in 0..5 {
            frame::push(frame::CONTINUATION, 0, stream, &[0; 16_000], &mut bytes);
        }
        bytes
    });
    assert_eq!(
        (slice.counts.errors.protocol, name.as_str()),
        (1, "a header block of over 64 KiB (connection 0)")
    );
}

#[test]
fn windows_that_never_open() {
    let address = scripted_server(&[(frame::INITIAL_WINDOW_SIZE, 0)], |_, _, _| {
        b"\0\0\0\x77\0\0\0\0\0".to_vec()
    });
    let one = Spec {
        connections: 1,
        timeout_ms: 200,
        ..spec(
            address,
            CallSpec {
                depth: Some(1),
                ..ask()
            },
        )
    };
    let slice = load(&one, 1);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.timeout),
        (0, 1)
    );
    let name = slice.counts.first_error.unwrap();
    assert!(
        name.ends_with("the server's flow-control window stays closed"),
        "{name}"
    );
}

#[test]
fn settings_are_kept() {
    // No header table, no more than two streams at once.
    let settings = &[
        (frame::HEADER_TABLE_SIZE, 0),
        (frame::MAX_CONCURRENT_STREAMS, 2),
    ];
    let address = scripted_server(settings, |_, call, stream| {
        // Pairs: the first of two waits for the second, so a third would come too early.
        if call % 2 == 1 {
            b"\0\0\0\x77\0\0\0\0\0".to_vec()
        } else {
            [right(stream - 2), right(stream)].concat()
        }
    });
    let one = Spec {
        connections: 1,
        ..spec(
            address,
            CallSpec {
                depth: Some(50),
                ..ask()
            },
        )
    };
    let slice = load(&one, 100);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error),
        (100, None)
    );
}

#[test]
fn other_protocols_on_the_port() {
    for (said, what) in [
        (
            b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".as_slice(),
            "the server speaks HTTP/1, not HTTP/2",
        ),
        (
            b"\x15\x03\x01\0\x02\x02\x46",
            "the server speaks TLS: https:// or grpcs:// instead of http:// or grpc://",
        ),
        (
            b"\0\0\x08\x06\0\0\0\0\0ABCDEFGH",
            "not HTTP/2: it does not begin with SETTINGS",
        ),
    ] {
        let address = support::server(move |mut stream: TcpStream, _| {
            let _ = stream.read(&mut [0; 1024]);
            support::send(&mut stream, said);
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let error = target::open(&spec(address, ask()))
            .err()
            .expect("it does not open");
        assert!(error.message.ends_with(what), "{error}");
    }
}
