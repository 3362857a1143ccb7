//! One body for the fuzz target and for its short run among the tests.

use super::{Http1, Request};
use crate::protocol::Protocol;

/// Feeds arbitrary bytes as replies to two requests: cut at a place that the first byte names,
/// and whole. Both ways must tell the same, and neither may panic.
pub fn replies(data: &[u8]) {
    let Some((&cut, bytes)) = data.split_first() else {
        return;
    };
    let cut = usize::from(cut).min(bytes.len());
    let whole = feed(&[bytes]);
    let (a, b) = bytes.split_at(cut);
    assert_eq!(feed(&[a, b]), whole);
}

/// Status and kind of failure of each reply, and whether all of it was the protocol.
fn feed(pieces: &[&[u8]]) -> (Vec<(u16, bool)>, bool) {
    let mut request = Request::get("/");
    request.expect.status = Some(200);
    request.expect.body = Some("ok".into());
    let mut protocol = Http1::new(vec![request], "h", true);
    let mut output = Vec::new();
    let mut state = protocol.connect(2, &mut output);
    protocol.request(&mut state, 0, 0, &mut output);
    protocol.request(&mut state, 1, 1, &mut output);
    let (mut replies, mut unread) = (Vec::new(), Vec::new());
    for piece in pieces {
        unread.extend_from_slice(piece);
        let mut take = |reply: crate::protocol::Reply| {
            replies.push((reply.status, reply.failure.is_none()));
        };
        match protocol.receive(&mut state, &unread, &mut output, &mut take) {
            Ok(used) => drop(unread.drain(..used)),
            Err(_) => return (replies, false),
        }
    }
    (replies, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// Pieces that make something like a reply more often than chance would.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(b"HTTP/1.1 200 OK\r\n".to_vec()),
            Just(b"HTTP/1.0 404 \r\n".to_vec()),
            Just(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec()),
            Just(b"Content-Length: 2\r\n".to_vec()),
            Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
            Just(b"Connection: close\r\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"ok".to_vec()),
            Just(b"2\r\nok\r\n0\r\n\r\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..6),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_short_run(cut in any::<u8>(), pieces in prop::collection::vec(piece(), 0..12)) {
            let mut data = vec![cut];
            data.extend(pieces.concat());
            super::replies(&data);
        }
    }
}
