//! The HTTP/1.1 reply parser: the same replies however the bytes are cut, and no panic ever.

#[path = "support/feed.rs"]
mod feed;

use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::http1::Http1;
use deadheat_load::protocol::ErrorKind;
use proptest::prelude::*;

fn protocol() -> Http1 {
    let mut request = Request::get("/");
    request.expect.status = Some(200.into());
    request.expect.body = Some("hello".into());
    Http1::new(vec![request], "h", true)
}

/// Status and kind of failure of each reply, and whether the bytes were the protocol at all.
type Outcome = (Vec<(u16, Option<ErrorKind>)>, bool);

fn feed(pieces: &[&[u8]], in_flight: u32) -> Outcome {
    feed::in_order(feed::feed(protocol(), pieces, in_flight))
}

fn reply() -> impl Strategy<Value = (Vec<u8>, u16, Option<ErrorKind>)> {
    let body = prop_oneof![Just("hello"), Just("hellO"), Just("hello!"), Just("")];
    let header = "[A-Za-z-]{1,20}: [ -~]{0,40}\r\n".prop_filter("plays no part", |header| {
        let name = header
            .split(':')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        !["content-length", "transfer-encoding", "connection"].contains(&name.as_str())
    });
    let headers = prop::collection::vec(header, 0..4);
    (
        body,
        headers,
        any::<bool>(),
        any::<bool>(),
        prop_oneof![Just(200u16), Just(404)],
    )
        .prop_map(|(body, headers, chunked, interim, status)| {
            let before = if interim {
                "HTTP/1.1 100 Continue\r\n\r\n"
            } else {
                ""
            };
            let mut text = format!(
                "{before}HTTP/1.1 {status} Words here\r\n{}",
                headers.concat()
            );
            if chunked {
                text += "Transfer-Encoding: chunked\r\n\r\n";
                for byte in body.chars() {
                    text += &format!("1;x=y\r\n{byte}\r\n");
                }
                text += "0\r\nTrailer: z\r\n\r\n";
            } else {
                text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
            }
            let kind = match (status, body) {
                (404, _) => Some(ErrorKind::Status),
                (_, "hello") => None,
                _ => Some(ErrorKind::Body),
            };
            (text.into_bytes(), status, kind)
        })
}

proptest! {
    #[test]
    fn every_cut_gives_the_same_replies(replies in prop::collection::vec(reply(), 1..4)) {
        let bytes: Vec<u8> = replies.iter().flat_map(|(bytes, ..)| bytes.clone()).collect();
        let expected: Vec<_> = replies.iter().map(|(_, status, kind)| (*status, *kind)).collect();
        let in_flight = replies.len() as u32;
        prop_assert_eq!(feed(&[&bytes], in_flight), (expected.clone(), true));
        for cut in 0..=bytes.len() {
            let (a, b) = bytes.split_at(cut);
            prop_assert_eq!(feed(&[a, b], in_flight), (expected.clone(), true), "cut at {}", cut);
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(feed(&single, in_flight), (expected, true));
    }

    #[test]
    fn mutated_replies_never_panic_and_every_cut_agrees(
        reply in reply(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = reply.0;
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let whole = feed(&[&bytes], 1);
        let (a, b) = bytes.split_at(cut.index(bytes.len()));
        prop_assert_eq!(feed(&[a, b], 1), whole);
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        feed(&[&bytes], 2);
        feed(&[b"HTTP/1.1 200 OK\r\n", &bytes], 2);
        feed(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", &bytes], 2);
    }
}
