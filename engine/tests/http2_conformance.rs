//! What a server may and may not say over HTTP/2: a table from RFC 9113, as a client sees it. Each case is
//! what a server sends behind its SETTINGS, while two requests (streams 1 and 3) are in flight.

use deadheat_load::protocol::h2::frame::{self, push, push_settings};
use deadheat_load::protocol::h2::hpack::literal;
use deadheat_load::protocol::http::mix::Draw;
use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::http2::Http2;
use deadheat_load::protocol::{ErrorKind, Protocol, Reply};

/// What becomes of the two requests, and of the connection.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    /// Statuses of right replies, and how many requests failed by themselves.
    Stands(Vec<u16>, usize),
    /// The connection cannot go on.
    Broken,
}
use Came::{Broken, Stands};

/// In pieces, each of which comes before what is said to those before it has gone out.
fn read(bytes: &[u8], piece: usize) -> (Came, Vec<u8>) {
    converse(bytes, piece, false)
}

/// `heard`: what is said to a piece goes out before the next one comes.
fn converse(bytes: &[u8], piece: usize, heard: bool) -> (Came, Vec<u8>) {
    let mut protocol =
        Http2::new(vec![Request::get("/")], Draw::Turn, None, false, "h").expect("a request");
    let mut output = Vec::new();
    let mut state = protocol.connect(2, &mut output);
    let mut settings = Vec::new();
    push_settings(&[], &mut settings);
    let used = protocol.receive(&mut state, &settings, &mut output, &mut |_| {});
    assert_eq!(used, Ok(settings.len()));
    protocol.request(&mut state, 0, 0, &mut output);
    protocol.request(&mut state, 1, 1, &mut output);
    let mut replies: Vec<Reply> = Vec::new();
    let mut unread = Vec::new();
    let (mut sent, mut gone) = (Vec::new(), Vec::new());
    for piece in bytes.chunks(piece) {
        if heard {
            gone.append(&mut sent);
        }
        unread.extend_from_slice(piece);
        match protocol.receive(&mut state, &unread, &mut sent, &mut |reply| {
            replies.push(reply)
        }) {
            Ok(used) => drop(unread.drain(..used)),
            Err(failure) => {
                assert_eq!(failure.kind, ErrorKind::Protocol);
                return (Broken, sent);
            }
        }
    }
    let right = replies.iter().filter(|reply| reply.failure.is_none());
    let statuses: Vec<u16> = right.map(|reply| reply.status).collect();
    let failed = replies.len() - statuses.len();
    gone.append(&mut sent);
    (Stands(statuses, failed), gone)
}

fn check(what: &str, bytes: &[u8], expected: &Came) -> Vec<u8> {
    let (whole, sent) = read(bytes, bytes.len());
    assert_eq!(&whole, expected, "{what}");
    assert_eq!(&read(bytes, 1).0, expected, "{what}, byte by byte");
    sent
}

const END: u8 = frame::END_STREAM;
const WHOLE: u8 = frame::END_HEADERS;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push(kind, flags, stream, payload, &mut bytes);
    bytes
}

fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let fields = fields.iter();
    fields
        .flat_map(|(name, value)| literal(name.as_bytes(), value.as_bytes()))
        .collect()
}

fn headers(stream: u32, flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    frame(frame::HEADERS, flags | WHOLE, stream, &block(fields))
}

fn data(stream: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    frame(frame::DATA, flags, stream, payload)
}

const OK: &[(&str, &str)] = &[(":status", "200")];

#[test]
fn replies_that_are_right() {
    let ok = headers(1, END, OK);
    let padded = [&[3][..], b"hello", &[0; 3]].concat();
    let with_priority = [&[0, 0, 0, 0, 7][..], &block(OK)].concat();
    let whole = block(OK);
    let continued = [
        frame(frame::HEADERS, END, 1, &whole[..2]),
        frame(frame::CONTINUATION, 0, 1, &[]),
        frame(frame::CONTINUATION, WHOLE, 1, &whole[2..]),
    ]
    .concat();
    let one = Stands(vec![200], 0);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("headers alone (8.1)", ok.clone()),
        (
            "headers, data",
            [headers(1, 0, OK), data(1, END, b"x")].concat(),
        ),
        (
            "an empty DATA that ends",
            [headers(1, 0, OK), data(1, 0, b"x"), data(1, END, b"")].concat(),
        ),
        (
            "trailers (8.1)",
            [headers(1, 0, OK), headers(1, END, &[("x", "y")])].concat(),
        ),
        (
            "interim replies (8.1)",
            [
                headers(1, 0, &[(":status", "103")]),
                headers(1, 0, &[(":status", "100")]),
                ok.clone(),
            ]
            .concat(),
        ),
        (
            "padding (6.1)",
            [
                headers(1, 0, OK),
                frame(frame::DATA, END | frame::PADDED, 1, &padded),
            ]
            .concat(),
        ),
        (
            "priority in HEADERS (6.2)",
            frame(frame::HEADERS, END | WHOLE | 0x20, 1, &with_priority),
        ),
        ("CONTINUATION (6.10)", continued),
        (
            "PRIORITY (6.3)",
            [frame(frame::PRIORITY, 0, 1, &[0; 5]), ok.clone()].concat(),
        ),
        (
            "unknown frames (4.1)",
            [
                frame(0xfa, 0xff, 0, b"abc"),
                frame(0xfb, 0, 1, b""),
                ok.clone(),
            ]
            .concat(),
        ),
        (
            "unknown flags",
            [frame(frame::PING, 0xf0, 0, &[0; 8]), ok.clone()].concat(),
        ),
        (
            "unknown settings (6.5.2)",
            [
                frame(frame::SETTINGS, 0, 0, &[0xff, 0xff, 0, 0, 0, 1]),
                ok.clone(),
            ]
            .concat(),
        ),
        (
            "a reserved bit (4.1)",
            [
                frame(frame::WINDOW_UPDATE, 0, 0, &[0x80, 0, 0, 1]),
                ok.clone(),
            ]
            .concat(),
        ),
        (
            "a frame on a stream that is over (5.1)",
            [
                ok.clone(),
                frame(frame::WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
                frame(frame::RST_STREAM, 0, 1, &[0; 4]),
            ]
            .concat(),
        ),
        (
            "a large content-length that is right",
            [
                headers(1, 0, &[(":status", "200"), ("content-length", "2")]),
                data(1, END, b"ab"),
            ]
            .concat(),
        ),
    ];
    for (what, bytes) in cases {
        check(what, &bytes, &one);
    }
    let both = [headers(3, 0, OK), headers(1, END, OK), data(3, END, b"x")].concat();
    check("streams in any order", &both, &Stands(vec![200, 200], 0));
}

#[test]
fn replies_that_fail_by_themselves() {
    let heads: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("no :status (8.3.2)", vec![("x", "y")]),
        ("two :status", vec![(":status", "200"), (":status", "200")]),
        (
            ":status behind others (8.3)",
            vec![("x", "y"), (":status", "200")],
        ),
        (
            "a pseudo-header of requests",
            vec![(":status", "200"), (":path", "/")],
        ),
        (
            "an unknown pseudo-header",
            vec![(":status", "200"), (":x", "y")],
        ),
        ("a :status with a sign", vec![(":status", "+200")]),
        ("a :status of two digits", vec![(":status", "20")]),
        ("a :status of four digits", vec![(":status", "2000")]),
        (
            "an upper-case name (8.2.1)",
            vec![(":status", "200"), ("X-A", "y")],
        ),
        (
            "a name with a space",
            vec![(":status", "200"), ("x a", "y")],
        ),
        ("an empty name", vec![(":status", "200"), ("", "y")]),
        (
            "a value with a line end",
            vec![(":status", "200"), ("x", "a\r\nb")],
        ),
        ("a value with NUL", vec![(":status", "200"), ("x", "a\0b")]),
        (
            "a value that begins with a space",
            vec![(":status", "200"), ("x", " a")],
        ),
        (
            "connection (8.2.2)",
            vec![(":status", "200"), ("connection", "close")],
        ),
        (
            "transfer-encoding",
            vec![(":status", "200"), ("transfer-encoding", "chunked")],
        ),
        ("keep-alive", vec![(":status", "200"), ("keep-alive", "x")]),
        ("upgrade", vec![(":status", "200"), ("upgrade", "x")]),
        (
            "a content-length that is none",
            vec![(":status", "200"), ("content-length", "+0")],
        ),
        (
            "two content-lengths",
            vec![
                (":status", "200"),
                ("content-length", "0"),
                ("content-length", "1"),
            ],
        ),
        (
            "a content-length that is not kept (8.1.1)",
            vec![(":status", "200"), ("content-length", "5")],
        ),
        ("an informational reply that ends", vec![(":status", "103")]),
        ("101 (8.6)", vec![(":status", "101")]),
    ];
    let other = headers(3, END, OK);
    for (what, fields) in heads {
        let bytes = [headers(1, END, &fields), other.clone()].concat();
        check(what, &bytes, &Stands(vec![200], 1));
    }
    let cases = [
        (
            "headers in the middle of a reply (8.1)",
            [headers(1, 0, OK), headers(1, 0, &[("x", "y")])].concat(),
        ),
        ("a body before any headers", data(1, END, b"x")),
        (
            "RST_STREAM (5.4.2)",
            frame(frame::RST_STREAM, 0, 1, &2_u32.to_be_bytes()),
        ),
        (
            ":status in trailers",
            [headers(1, 0, OK), headers(1, END, OK)].concat(),
        ),
    ];
    for (what, bytes) in cases {
        let bytes = [bytes, other.clone()].concat();
        check(what, &bytes, &Stands(vec![200], 1));
    }
    // A malformed reply that goes on is refused at once, and what still comes of it is passed over.
    let goes_on = [
        headers(1, 0, &[("x", "y"), (":status", "200")]),
        data(1, END, b"x"),
        other,
    ]
    .concat();
    let sent = check(
        "a malformed reply that goes on",
        &goes_on,
        &Stands(vec![200], 1),
    );
    assert_eq!(sent[3], frame::RST_STREAM);
    assert_eq!(sent[9..13], frame::PROTOCOL_ERROR.to_be_bytes());
}

#[test]
fn what_breaks_the_connection() {
    let setting = |number: u16, value: u32| {
        let payload = [&number.to_be_bytes()[..], &value.to_be_bytes()].concat();
        frame(frame::SETTINGS, 0, 0, &payload)
    };
    let most = (1_u32 << 31) - 1;
    let mut long = vec![0, 0x40, 1, frame::DATA, 0, 0, 0, 0, 1];
    long.resize(9 + 16_385, 0);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("a frame beyond SETTINGS_MAX_FRAME_SIZE (4.2)", long),
        ("DATA on stream 0 (6.1)", data(0, 0, b"x")),
        (
            "more padding than data (6.1)",
            frame(frame::DATA, frame::PADDED, 1, &[9, 1, 2]),
        ),
        ("HEADERS on stream 0 (6.2)", headers(0, END, OK)),
        (
            "HEADERS on a stream that nobody opened (5.1)",
            headers(5, END, OK),
        ),
        ("HEADERS on a server's stream", headers(2, END, OK)),
        (
            "a header block that does not decode (4.3)",
            frame(
                frame::HEADERS,
                WHOLE,
                1,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            ),
        ),
        (
            "a block interrupted (6.10)",
            [
                frame(frame::HEADERS, 0, 1, &block(OK)),
                frame(frame::PING, 0, 0, &[0; 8]),
            ]
            .concat(),
        ),
        (
            "CONTINUATION of another stream",
            [
                frame(frame::HEADERS, 0, 1, &block(OK)),
                frame(frame::CONTINUATION, WHOLE, 3, &[]),
            ]
            .concat(),
        ),
        (
            "CONTINUATION of nothing",
            frame(frame::CONTINUATION, WHOLE, 1, &block(OK)),
        ),
        (
            "RST_STREAM on stream 0 (6.4)",
            frame(frame::RST_STREAM, 0, 0, &[0; 4]),
        ),
        (
            "RST_STREAM of 3 bytes",
            frame(frame::RST_STREAM, 0, 1, &[0; 3]),
        ),
        (
            "RST_STREAM of an idle stream",
            frame(frame::RST_STREAM, 0, 5, &[0; 4]),
        ),
        (
            "SETTINGS on a stream (6.5)",
            frame(frame::SETTINGS, 0, 1, &[]),
        ),
        ("SETTINGS of 5 bytes", frame(frame::SETTINGS, 0, 0, &[0; 5])),
        (
            "an acknowledgement of SETTINGS with some",
            frame(frame::SETTINGS, frame::ACK, 0, &[0; 6]),
        ),
        (
            "ENABLE_PUSH by a server (6.5.2)",
            setting(frame::ENABLE_PUSH, 1),
        ),
        (
            "INITIAL_WINDOW_SIZE beyond its limit",
            setting(frame::INITIAL_WINDOW_SIZE, 1 << 31),
        ),
        (
            "MAX_FRAME_SIZE too small",
            setting(frame::MAX_FRAME_SIZE, 16_383),
        ),
        (
            "MAX_FRAME_SIZE too large",
            setting(frame::MAX_FRAME_SIZE, 1 << 24),
        ),
        (
            "PUSH_PROMISE, which is off (6.6)",
            frame(frame::PUSH_PROMISE, WHOLE, 1, &[0, 0, 0, 2]),
        ),
        ("PING on a stream (6.7)", frame(frame::PING, 0, 1, &[0; 8])),
        ("PING of 7 bytes", frame(frame::PING, 0, 0, &[0; 7])),
        (
            "GOAWAY on a stream (6.8)",
            frame(frame::GOAWAY, 0, 1, &[0; 8]),
        ),
        ("GOAWAY of 7 bytes", frame(frame::GOAWAY, 0, 0, &[0; 7])),
        (
            "WINDOW_UPDATE of 0 (6.9)",
            frame(frame::WINDOW_UPDATE, 0, 0, &[0; 4]),
        ),
        (
            "WINDOW_UPDATE of 3 bytes",
            frame(frame::WINDOW_UPDATE, 0, 0, &[0; 3]),
        ),
        (
            "WINDOW_UPDATE of an idle stream",
            frame(frame::WINDOW_UPDATE, 0, 5, &[0, 0, 0, 1]),
        ),
        (
            "a window of the connection beyond its limit (6.9.1)",
            frame(frame::WINDOW_UPDATE, 0, 0, &most.to_be_bytes()),
        ),
        (
            "a window of a stream beyond its limit",
            frame(frame::WINDOW_UPDATE, 0, 1, &most.to_be_bytes()),
        ),
        (
            "PRIORITY of 4 bytes (6.3)",
            frame(frame::PRIORITY, 0, 1, &[0; 4]),
        ),
        (
            "PRIORITY on stream 0",
            frame(frame::PRIORITY, 0, 0, &[0; 5]),
        ),
        (
            "a window that SETTINGS makes too large (6.9.2)",
            [
                setting(frame::INITIAL_WINDOW_SIZE, 0),
                frame(frame::WINDOW_UPDATE, 0, 1, &(most - 1).to_be_bytes()),
                setting(frame::INITIAL_WINDOW_SIZE, most),
            ]
            .concat(),
        ),
    ];
    for (what, bytes) in cases {
        check(what, &bytes, &Broken);
    }
}

#[test]
fn what_has_to_be_answered() {
    let sent = check(
        "PING",
        &frame(frame::PING, 0, 0, b"12345678"),
        &Stands(vec![], 0),
    );
    assert_eq!(sent, frame(frame::PING, frame::ACK, 0, b"12345678"));
    let sent = check(
        "an answer to PING",
        &frame(frame::PING, frame::ACK, 0, &[0; 8]),
        &Stands(vec![], 0),
    );
    assert!(sent.is_empty());
    let sent = check(
        "SETTINGS",
        &frame(frame::SETTINGS, 0, 0, &[]),
        &Stands(vec![], 0),
    );
    assert_eq!(sent, frame(frame::SETTINGS, frame::ACK, 0, &[]));
    // Windows are given back before they are used up.
    let mut large = headers(1, 0, OK);
    for _ in 0..40 {
        large.extend(data(1, 0, &[b'x'; 16_384]));
    }
    let sent = read(&large, large.len()).1;
    assert_eq!(sent[3], frame::WINDOW_UPDATE);
    assert_eq!(sent[5..9], 1_u32.to_be_bytes());
}

/// Windows are of 1 MiB a stream and 16 MiB a connection, and given back from half of that on.
#[test]
fn more_than_the_windows_is_an_error_of_flow_control() {
    const FULL: usize = 16_384;
    let begun = |frames: usize| -> Vec<u8> {
        let all = (0..frames).flat_map(|_| data(1, 0, &[b'x'; FULL]));
        headers(1, 0, OK).into_iter().chain(all).collect()
    };
    let at_once = |bytes: &[u8]| read(bytes, bytes.len());
    let other = headers(3, END, OK);
    let reset = frame(
        frame::RST_STREAM,
        0,
        1,
        &frame::FLOW_CONTROL_ERROR.to_be_bytes(),
    );
    let resets = |sent: &[u8]| sent.windows(reset.len()).any(|bytes| bytes == reset);

    let all = [begun(63), data(1, END, &[b'x'; FULL]), other.clone()].concat();
    assert_eq!(at_once(&all).0, Stands(vec![200, 200], 0));
    let (came, sent) = at_once(&[begun(64), data(1, 0, b"x"), other.clone()].concat());
    assert_eq!((came, resets(&sent)), (Stands(vec![200], 1), true));
    // Nobody is left to be told.
    let (came, sent) = at_once(&[begun(64), data(1, END, b"x"), other.clone()].concat());
    assert_eq!((came, resets(&sent)), (Stands(vec![200], 1), false));

    // What comes for a stream that is over is of the connection still.
    let (came, _) = at_once(&[begun(1_024), other.clone()].concat());
    assert_eq!(came, Stands(vec![200], 1));
    let (came, _) = at_once(&[begun(1_024), data(1, 0, b"x"), other.clone()].concat());
    assert_eq!(came, Broken);

    // A server that hears of its windows may send for ever.
    let long = [begun(2_500), data(1, END, b"x"), other].concat();
    let (came, sent) = converse(&long, 500_000, true);
    assert_eq!((came, resets(&sent)), (Stands(vec![200, 200], 0), false));
}
