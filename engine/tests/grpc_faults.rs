//! gRPC load against servers that do something wrong: each fault is counted and named.

#[path = "support/grpc.rs"]
mod greeter;
mod support;

use deadheat_load::error::Kind;
use deadheat_load::load::control::Control;
use deadheat_load::load::turn::{Slice, Turn};
use deadheat_load::protocol::grpc::Ask;
use deadheat_load::protocol::h2::frame::{self, Frame};
use deadheat_load::protocol::h2::hpack::{indexed, literal};
use deadheat_load::target::{self, Spec};
use greeter::{ask, load, spec};
use std::io::Read;
use std::net::{SocketAddr, TcpStream};

/// A server that shakes hands as HTTP/2 and then answers the `n`-th call (from 1) of the
/// `connection`-th connection with whatever bytes `answer` makes.
fn liar(
    settings: &'static [(u16, u32)],
    answer: impl Fn(u64, u64, u32) -> Vec<u8> + Send + Sync + 'static,
) -> SocketAddr {
    support::server(move |stream, connection| {
        let mut bytes = Vec::new();
        frame::push_settings(settings, &mut bytes);
        converse(stream, &bytes, |call, id| answer(connection, call, id));
    })
}

/// Says `first`, then answers each call until an answer is empty or the client is gone.
fn converse(mut stream: TcpStream, first: &[u8], answer: impl Fn(u64, u32) -> Vec<u8>) {
    support::send(&mut stream, first);
    let mut calls = 0;
    let mut skip = frame::PREFACE.len();
    let mut unread = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        unread.extend_from_slice(&piece[..n]);
        let here = skip.min(unread.len());
        skip -= here;
        unread.drain(..here);
        while let Ok(Some((frame, used))) = Frame::parse(&unread) {
            if frame.kind == frame::HEADERS {
                calls += 1;
                let reply = answer(calls, frame.stream);
                if reply.is_empty() {
                    return;
                }
                support::send(&mut stream, &reply);
            }
            unread.drain(..used);
        }
    }
}

const END: u8 = frame::END_STREAM;

fn headers(stream: u32, flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let block = fields
        .iter()
        .flat_map(|(name, value)| literal(name.as_bytes(), value.as_bytes()));
    let block: Vec<u8> = block.collect();
    frame::push(
        frame::HEADERS,
        flags | frame::END_HEADERS,
        stream,
        &block,
        &mut bytes,
    );
    bytes
}

fn begin(stream: u32) -> Vec<u8> {
    headers(
        stream,
        0,
        &[(":status", "200"), ("content-type", "application/grpc")],
    )
}

fn data(stream: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::push(frame::DATA, flags, stream, payload, &mut bytes);
    bytes
}

fn greeting(stream: u32) -> Vec<u8> {
    data(stream, 0, b"\0\0\0\0\x12\x0a\x10Hello from 7f3a!")
}

fn right(stream: u32) -> Vec<u8> {
    [
        begin(stream),
        greeting(stream),
        headers(stream, END, &[("grpc-status", "0")]),
    ]
    .concat()
}

/// One call on one connection; what its failure is called.
fn error_of(answer: impl Fn(u32) -> Vec<u8> + Send + Sync + 'static) -> (Slice, String) {
    let address = liar(&[], move |_, _, stream| answer(stream));
    let ask = Ask {
        streams: Some(1),
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
fn goaway_in_the_middle() {
    // The third call of each connection is the last one taken; the fourth was sent in vain.
    let address = liar(&[], |_, call, stream| match call {
        1 | 2 => right(stream),
        3 => {
            let mut bytes = Vec::new();
            let text = [&stream.to_be_bytes()[..], &[0; 4], b"bye"].concat();
            frame::push(frame::GOAWAY, 0, 0, &text, &mut bytes);
            [bytes, right(stream)].concat()
        }
        _ => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
    });
    let one = Spec {
        connections: 1,
        ..spec(
            address,
            Ask {
                streams: Some(1),
                ..ask()
            },
        )
    };
    let slice = load(&one, 30);
    // One at a time nothing is lost: the connection is replaced.
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error),
        (30, None)
    );
    assert_eq!(slice.counts.reconnects, 10);

    let address = liar(&[], |_, call, _| match call {
        1 => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
        2 => {
            let mut bytes = Vec::new();
            frame::push(frame::GOAWAY, 0, 0, b"\0\0\0\x01\0\0\0\x0bslow", &mut bytes);
            [bytes, right(1)].concat()
        }
        _ => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
    });
    let two = Spec {
        connections: 1,
        ..spec(
            address,
            Ask {
                streams: Some(2),
                ..ask()
            },
        )
    };
    let slice = load(&two, 2);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.protocol),
        (1, 1)
    );
    assert_eq!(
        slice.counts.first_error.unwrap(),
        "GOAWAY: ENHANCE_YOUR_CALM slow: the request was not taken"
    );
}

/// All is well, but nothing beyond the stream `last` is taken.
fn goaway(last: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let text = [last.to_be_bytes(), [0; 4]].concat();
    frame::push(frame::GOAWAY, 0, 0, &text, &mut bytes);
    bytes
}

/// One connection with two calls in flight.
fn two_at_once(address: SocketAddr, timeout_ms: u64) -> Spec {
    let streams = Some(2);
    Spec {
        connections: 1,
        timeout_ms,
        ..spec(address, Ask { streams, ..ask() })
    }
}

/// The pauses between connections of no use double from 1 ms to 128 ms: how many there can be.
fn most_reconnects(slice: &Slice) -> u64 {
    9 + (slice.drained_ns - slice.started_ns) / 128_000_000
}

#[test]
fn goaway_that_leaves_requests_to_another_connection() {
    // Each connection takes the first of two; the tenth has only one.
    let calls = support::Counter::default();
    let counter = calls.clone();
    let address = liar(&[], move |connection, call, stream| {
        counter.next();
        match (connection, call) {
            (0..=8, 1) => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
            (0..=8, _) => [goaway(1), right(1)].concat(),
            _ => right(stream),
        }
    });
    let slice = load(&two_at_once(address, 10_000), 10);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error.clone()),
        (10, None)
    );
    assert_eq!((slice.counts.reconnects, calls.get()), (9, 19));
}

#[test]
fn a_server_that_says_goaway_for_ever_is_no_spin_and_no_call_is_forgotten() {
    // To every call.
    let address = liar(&[], move |_, _, _| goaway(0));
    let slice = load(&two_at_once(address, 200), 2);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.timeout),
        (0, 2)
    );
    assert_eq!(slice.counts.errors.total(), 2);
    assert!(
        slice.counts.reconnects <= most_reconnects(&slice),
        "{slice:?}"
    );

    // Before any, but for the first connection.
    let address = support::server(|stream, connection| {
        let mut first = Vec::new();
        frame::push_settings(&[], &mut first);
        if connection > 0 {
            first.extend(goaway(0));
        }
        converse(stream, &first, |call, _| match call {
            1 => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
            _ => [goaway(1), right(1)].concat(),
        });
    });
    let spec = two_at_once(address, 200);
    let mut target = target::open(&spec).expect("it opens");
    let turn = Turn {
        counted_ms: 300,
        ..greeter::turn("7f3a", 10)
    };
    let slice = target.turn(&turn, &Control::default()).expect("it runs");
    // The second call waits for a connection that takes it, in vain; no other finds one.
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.timeout),
        (1, 1)
    );
    assert_eq!(slice.counts.errors.total(), 1);
    assert!(
        slice.counts.reconnects <= most_reconnects(&slice),
        "{slice:?}"
    );

    // From the beginning: it is not opened at all.
    let address = support::server(|stream, _| {
        let mut first = Vec::new();
        frame::push_settings(&[], &mut first);
        converse(stream, &[first, goaway(0)].concat(), |_, _| Vec::new());
    });
    let Err(error) = target::open(&two_at_once(address, 5_000)) else {
        panic!("it opened");
    };
    assert_eq!(error.kind, Kind::Gone, "{}", error.message);
}

#[test]
fn windows_that_never_open() {
    let address = liar(&[(frame::INITIAL_WINDOW_SIZE, 0)], |_, _, _| {
        b"\0\0\0\x77\0\0\0\0\0".to_vec()
    });
    let one = Spec {
        connections: 1,
        timeout_ms: 200,
        ..spec(
            address,
            Ask {
                streams: Some(1),
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
    let address = liar(settings, |_, call, stream| {
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
            Ask {
                streams: Some(50),
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
