//! Replies over HTTP/2.

use super::feed::cut_anywhere;
use crate::protocol::h2::frame;
use crate::protocol::http::mix::Draw;
use crate::protocol::http::Request;
use crate::protocol::http2::Http2;

/// Any bytes after the server's SETTINGS.
pub fn replies(bytes: &[u8]) {
    let mut request = Request::get("/");
    request.expect.status = Some(200.into());
    request.expect.body = Some("ok".into());
    let protocol =
        Http2::new(vec![request], Draw::Turn, None, false, "h").expect("a plain request");
    let mut said = Vec::new();
    frame::push_settings(&[], &mut said);
    said.extend_from_slice(bytes);
    cut_anywhere(&protocol, &said);
}

/// Pieces that make something like a reply more often than chance would.
#[cfg(test)]
pub fn piece() -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
    use crate::protocol::h2::hpack::{indexed, literal_indexed};
    use proptest::prelude::*;

    let payload = prop_oneof![
        Just(indexed(8)),
        Just(indexed(62)),
        Just(
            [
                indexed(8),
                literal_indexed(b"content-type", b"application/grpc")
            ]
            .concat()
        ),
        Just(literal_indexed(b"grpc-status", b"0")),
        Just(literal_indexed(b"content-length", b"2")),
        Just(b"ok".to_vec()),
        Just(b"\0\0\0\0\x04\x0a\x02ok".to_vec()),
        prop::collection::vec(any::<u8>(), 0..12),
    ];
    let kind = prop_oneof![Just(frame::DATA), Just(frame::HEADERS), 0u8..12];
    let flags = prop_oneof![Just(4u8), Just(1), Just(5), Just(0), any::<u8>()];
    let stream = prop_oneof![Just(1u32), Just(3), 0u32..8];
    (kind, flags, stream, payload, 0u8..20).prop_map(|(kind, flags, stream, payload, odd)| {
        let mut bytes = Vec::new();
        frame::push(kind, flags, stream, &payload, &mut bytes);
        if odd == 0 {
            bytes.truncate(bytes.len() / 2);
        }
        bytes
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn a_short_run(pieces in prop::collection::vec(super::piece(), 0..10)) {
            super::replies(&pieces.concat());
        }
    }
}
