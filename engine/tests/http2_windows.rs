//! Windows for replies, with the whole load loop in virtual time: a server that heeds none is seen
//! where it is faster than what is read.

#[path = "support/simulated.rs"]
mod simulated;

use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::protocol::h2::frame::{self, Frame};
use deadheat_load::protocol::h2::hpack::literal;
use deadheat_load::protocol::http::mix::Draw;
use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::http2::Http2;
use simulated::{over_protocol, Piece, Simulated};

/// What one read takes.
const PIECE: usize = 64 * 1024;

/// Three requests to a server that answers each with so many bytes at once.
fn run(length: usize) -> RunResult {
    let mut unread = Vec::new();
    let server = move |at_ns, _: usize, bytes: &[u8]| {
        let mut said = Vec::new();
        let rest = bytes.strip_prefix(frame::PREFACE).inspect(|_| {
            frame::push_settings(&[], &mut said);
        });
        unread.extend_from_slice(rest.unwrap_or(bytes));
        while let Ok(Some((frame, used))) = Frame::parse(&unread) {
            if frame.kind == frame::HEADERS {
                answer(frame.stream, length, &mut said);
            }
            unread.drain(..used);
        }
        let pieces = said.chunks(PIECE);
        pieces
            .map(|piece| (at_ns + 1, piece.to_vec()))
            .collect::<Vec<Piece>>()
    };
    let requests = vec![Request::get("/")];
    let protocol = Http2::new(requests, Draw::Turn, None, false, "h").expect("a request");
    let turn = RunSpec {
        counted_ms: 1_000,
        requests: Some(3),
        ..RunSpec::default()
    };
    over_protocol(Simulated::over_bytes(server, 1), protocol, 1, &turn)
}

fn answer(stream: u32, length: usize, said: &mut Vec<u8>) {
    let head = literal(b":status", b"200");
    frame::push(frame::HEADERS, frame::END_HEADERS, stream, &head, said);
    let body = vec![b'x'; length];
    for piece in body.chunks(frame::FRAME_SIZE) {
        frame::push(frame::DATA, 0, stream, piece, said);
    }
    frame::push(frame::DATA, frame::END_STREAM, stream, b"", said);
}

#[test]
fn a_server_that_heeds_no_window_is_told_of() {
    let all = run(1 << 20);
    assert_eq!((all.counts.replies, all.counts.errors.total()), (3, 0));
    let more = run(4 << 20);
    let errors = &more.counts.errors;
    assert_eq!(
        (more.counts.replies, errors.protocol, errors.total()),
        (0, 3, 3)
    );
    assert_eq!(
        more.counts.first_error.as_deref(),
        Some("FLOW_CONTROL_ERROR: more DATA than the stream's window of 1048576 bytes")
    );
}
