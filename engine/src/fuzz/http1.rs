//! Replies of HTTP/1 servers; their heads and chunked bodies also each by itself.

use super::feed::cut_anywhere;
use crate::protocol::http::Request;
use crate::protocol::http1::chunked::{step, Chunks};
use crate::protocol::http1::head::{parse, LONGEST_HEAD};
use crate::protocol::http1::known_head::KnownHead;
use crate::protocol::http1::Http1;

/// Any bytes as replies to two requests.
pub fn replies(bytes: &[u8]) {
    let mut request = Request::get("/");
    request.expect.status = Some(200.into());
    request.expect.body = Some("ok".into());
    cut_anywhere(&Http1::new(vec![request], "h", true), bytes);
}

/// A head says the same whatever stands behind it, and nothing before it is all there; one that is
/// recognised behind another says what a parse of it says.
pub fn head(bytes: &[u8]) {
    if let Ok(Some(head)) = parse(bytes) {
        assert!(head.len <= bytes.len().min(LONGEST_HEAD));
        assert_eq!(parse(&bytes[..head.len]), Ok(Some(head)));
        assert_eq!(parse(&bytes[..head.len - 1]), Ok(None));
        let (first, rest) = bytes.split_at(head.len);
        let mut known = KnownHead::default();
        known.learn(first, head);
        if let Some(alike) = known.alike(rest) {
            assert_eq!(parse(rest), Ok(Some(alike.head)));
        }
    }
}

/// Every step goes on, and none uses more than there is.
pub fn chunked(mut bytes: &[u8]) {
    let mut state = Chunks::Size;
    loop {
        if let Chunks::Data(left) = state {
            let here = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
            bytes = &bytes[here..];
            if (here as u64) < left {
                return;
            }
            state = Chunks::DataEnd;
        }
        match step(state, bytes) {
            Ok(Some((used, next))) if next != Chunks::Done => {
                assert!(used > 0);
                bytes = &bytes[used..];
                state = next;
            }
            _ => return,
        }
    }
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
            Just(b"Connection: close\r\n".to_vec()),
            Just(b"ok".to_vec()),
            Just(b"2\r\nok\r\n0\r\n\r\n".to_vec()),
            Just(b"Content-Length: 2\r\n".to_vec()),
            Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"2\r\nok\r\n".to_vec()),
            Just(b"0\r\n".to_vec()),
            Just(b"fffffffffffffff\r\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..6),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_short_run(pieces in prop::collection::vec(piece(), 0..12)) {
            let bytes = pieces.concat();
            super::head(&bytes);
            super::chunked(&bytes);
            super::replies(&bytes);
        }
    }
}
