//! The gRPC reply parser: the same replies however the bytes are cut, and no panic ever.

#[path = "support/feed.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod feed;

use deadheat_load::protocol::grpc::{CallSpec, Grpc};
use deadheat_load::protocol::h2::frame::{self, Frame};
use deadheat_load::protocol::h2::hpack::{indexed, literal, literal_indexed};
use deadheat_load::protocol::{ErrorKind, Protocol};
use proptest::prelude::*;
use serde_json::json;

const GREETER: &str = "
    syntax = \"proto3\";
    package greeter;
    service Greeter { rpc SayHello(Name) returns (Greeting); }
    message Name { string name = 1; }
    message Greeting { string message = 1; }";

thread_local! {
    /// Compiling the contract is slow, and every case needs a protocol of its own.
    static PROTOCOL: Grpc = greeter();
}

fn protocol() -> Grpc {
    PROTOCOL.with(Grpc::clone)
}

fn greeter() -> Grpc {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("greeter.proto");
    std::fs::write(&path, GREETER).unwrap();
    let ask = CallSpec {
        proto: Some(path),
        call: "greeter.Greeter/SayHello".into(),
        data: json!({"name": "a"}),
        expect: Some(json!({"message": "hello"})),
        ..CallSpec::default()
    };
    Grpc::new(&ask, false, "h:1").unwrap()
}

/// Stream, status and kind of failure of each reply, and whether the bytes were right at all.
type Outcome = (Vec<(u32, u16, Option<ErrorKind>)>, bool);

fn feed(pieces: &[&[u8]], in_flight: u32) -> Outcome {
    feed::feed(protocol(), pieces, in_flight)
}

/// One reply to stream `id`, and what is to be said of it.
type Made = (Vec<Vec<u8>>, u16, Option<ErrorKind>);

fn frames_of(shape: u8, id: u32) -> Made {
    let head = [indexed(8), literal(b"content-type", b"application/grpc")].concat();
    let entered = [
        indexed(8),
        literal_indexed(b"content-type", b"application/grpc+proto"),
    ]
    .concat();
    let ok = literal(b"grpc-status", b"0");
    let failed = [
        literal(b"grpc-status", b"13"),
        literal(b"grpc-message", b"no"),
    ]
    .concat();
    let right = b"\0\0\0\0\x07\x0a\x05hello".as_slice();
    let other = b"\0\0\0\0\x07\x0a\x05hellO".as_slice();
    let odd = b"\0\0\0\0\x09\x0a\0\x0a\x05hello".as_slice();
    let headers = |block: &[u8], flags| {
        let mut bytes = Vec::new();
        frame::push(
            frame::HEADERS,
            flags | frame::END_HEADERS,
            id,
            block,
            &mut bytes,
        );
        bytes
    };
    let data = |content: &[u8], flags| {
        let mut bytes = Vec::new();
        frame::push(frame::DATA, flags, id, content, &mut bytes);
        bytes
    };
    let padded = || {
        let content = [b"\x03".as_slice(), right, b"\0\0\0"].concat();
        data(&content, frame::PADDED)
    };
    let spread = || {
        let mut bytes = Vec::new();
        frame::push(frame::HEADERS, 0, id, &head[..3], &mut bytes);
        frame::push(frame::CONTINUATION, 0, id, &head[3..9], &mut bytes);
        frame::push(
            frame::CONTINUATION,
            frame::END_HEADERS,
            id,
            &head[9..],
            &mut bytes,
        );
        bytes
    };
    let reset = || {
        let mut bytes = Vec::new();
        frame::push_reset(id, 2, &mut bytes);
        bytes
    };
    let end = frame::END_STREAM;
    let none = u16::MAX;
    const BODY: Option<ErrorKind> = Some(ErrorKind::Body);
    const STATUS: Option<ErrorKind> = Some(ErrorKind::Status);
    const PROTOCOL: Option<ErrorKind> = Some(ErrorKind::Protocol);
    match shape % 16 {
        0 => (
            vec![headers(&head, 0), data(right, 0), headers(&ok, end)],
            0,
            None,
        ),
        1 => (
            vec![headers(&entered, 0), data(right, 0), headers(&ok, end)],
            0,
            None,
        ),
        2 => (vec![spread(), padded(), headers(&ok, end)], 0, None),
        3 => (
            vec![
                headers(&head, 0),
                data(&right[..3], 0),
                data(&right[3..8], 0),
                data(&right[8..], 0),
                headers(&ok, end),
            ],
            0,
            None,
        ),
        4 => (
            vec![headers(&head, 0), data(odd, 0), headers(&ok, end)],
            0,
            None,
        ),
        5 => (
            vec![headers(&head, 0), data(other, 0), headers(&ok, end)],
            0,
            BODY,
        ),
        6 => (vec![headers(&head, 0), headers(&ok, end)], 0, BODY),
        7 => (
            vec![
                headers(&head, 0),
                data(right, 0),
                data(right, 0),
                headers(&ok, end),
            ],
            0,
            BODY,
        ),
        8 => (
            vec![headers(&head, 0), data(right, 0), headers(&failed, end)],
            13,
            STATUS,
        ),
        9 => (
            vec![headers(&[head.clone(), failed].concat(), end)],
            13,
            STATUS,
        ),
        10 => (vec![headers(&head, 0), data(right, end)], none, PROTOCOL),
        11 => (
            vec![headers(&head, 0), data(&right[..6], 0), headers(&ok, end)],
            0,
            PROTOCOL,
        ),
        12 => (
            vec![
                headers(&head, 0),
                data(b"\x01\0\0\0\x01x", 0),
                headers(&ok, end),
            ],
            0,
            PROTOCOL,
        ),
        13 => (vec![headers(&head, 0), reset()], none, PROTOCOL),
        14 => (vec![headers(&indexed(13), end)], none, STATUS),
        _ => (
            vec![headers(&head, 0), data(right, 0), headers(&head, end)],
            none,
            PROTOCOL,
        ),
    }
}

/// SETTINGS, then the replies with their frames shuffled into each other, chatter between them.
fn conversation(shapes: &[u8], picks: &[u8]) -> (Vec<u8>, Outcome) {
    let mut bytes = Vec::new();
    frame::push_settings(&[(frame::INITIAL_WINDOW_SIZE, 100_000)], &mut bytes);
    let made = shapes.iter().enumerate();
    let mut made: Vec<_> = made
        .map(|(i, shape)| frames_of(*shape, 2 * i as u32 + 1))
        .collect();
    let mut expected = Vec::new();
    let mut picks = picks.iter().cycle();
    while made.iter().any(|(frames, ..)| !frames.is_empty()) {
        let pick = usize::from(*picks.next().unwrap_or(&0));
        match pick % 7 {
            0 => frame::push(frame::PING, 0, 0, b"12345678", &mut bytes),
            1 => frame::push_window_update(0, 5, &mut bytes),
            2 => frame::push(0x77, 0xff, 0, b"unknown", &mut bytes),
            _ => {}
        }
        let open: Vec<usize> = (0..made.len()).filter(|i| !made[*i].0.is_empty()).collect();
        let slot = open[pick % open.len()];
        let (frames, status, kind) = &mut made[slot];
        bytes.extend(frames.remove(0));
        if frames.is_empty() {
            expected.push((slot as u32, *status, *kind));
        }
    }
    (bytes, (expected, true))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_cut_gives_the_same_replies(
        shapes in prop::collection::vec(any::<u8>(), 1..5),
        picks in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let (bytes, expected) = conversation(&shapes, &picks);
        let in_flight = shapes.len() as u32;
        prop_assert_eq!(feed(&[&bytes], in_flight), expected.clone());
        for cut in 0..=bytes.len() {
            let (a, b) = bytes.split_at(cut);
            prop_assert_eq!(feed(&[a, b], in_flight), expected.clone(), "cut at {}", cut);
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(feed(&single, in_flight), expected);
    }

    #[test]
    fn mutated_replies_never_panic_and_every_cut_agrees(
        shapes in prop::collection::vec(any::<u8>(), 1..4),
        picks in prop::collection::vec(any::<u8>(), 1..12),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let (mut bytes, _) = conversation(&shapes, &picks);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let in_flight = shapes.len() as u32;
        let whole = feed(&[&bytes], in_flight);
        let (a, b) = bytes.split_at(cut.index(bytes.len()));
        prop_assert_eq!(feed(&[a, b], in_flight), whole);
    }

    #[test]
    fn any_bytes_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        kind in 0_u8..12, flags in any::<u8>(), stream in 0_u32..6,
    ) {
        feed(&[&bytes], 2);
        let mut framed = Vec::new();
        frame::push_settings(&[], &mut framed);
        frame::push(kind, flags, stream, &bytes, &mut framed);
        feed(&[&framed], 2);
    }
}

#[test]
fn the_call_is_what_the_contract_says() {
    let mut protocol = protocol();
    let mut output = Vec::new();
    let mut state = protocol.connect(2, &mut output);
    assert!(output.starts_with(frame::PREFACE));
    output.clear();
    protocol.request(&mut state, 0, 0, &mut output);
    protocol.request(&mut state, 1, 1, &mut output);
    let mut frames = Vec::new();
    let mut at = 0;
    while let Some((frame, used)) = Frame::parse(&output[at..]).unwrap() {
        frames.push((frame.kind, frame.stream, frame.payload.len()));
        if frame.kind == frame::DATA {
            assert_eq!(frame.payload, b"\0\0\0\0\x03\x0a\x01a");
            assert!(frame.has(frame::END_STREAM));
        }
        at += used;
    }
    let kinds: Vec<_> = frames
        .iter()
        .map(|(kind, stream, _)| (*kind, *stream))
        .collect();
    assert_eq!(kinds, [(1, 1), (0, 1), (1, 3), (0, 3)]);
    assert!(
        frames[2].2 < 10,
        "the second call refers to the table: {frames:?}"
    );
}
