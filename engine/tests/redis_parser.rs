//! The Redis reply parser: the same replies however the bytes are cut, and no panic ever.

#[path = "support/feed.rs"]
mod feed;

use deadheat_load::address::Url;
use deadheat_load::protocol::redis::resp::{Malformed, Progress, Reader};
use deadheat_load::protocol::redis::{CommandSpec, Login, Redis};
use deadheat_load::protocol::ErrorKind;
use proptest::prelude::*;
use serde_json::json;

/// Kind of failure of each reply, and whether the bytes were the protocol at all.
type Outcome = (Vec<Option<ErrorKind>>, bool);

/// The reply expected is always the text `hello`.
fn feed(pieces: &[&[u8]], in_flight: u32) -> Outcome {
    let ask = CommandSpec {
        commands: vec![vec!["GET".into(), "foo".into()]],
        expect: Some(vec![json!("hello")]),
        ..CommandSpec::default()
    };
    let url = Url::parse("redis://127.0.0.1").unwrap();
    let protocol = Redis::new(&ask, Login::from_url(&url, false).unwrap()).unwrap();
    let (replies, whole) = feed::in_order(feed::feed(protocol, pieces, in_flight));
    (replies.into_iter().map(|(_, kind)| kind).collect(), whole)
}

/// A reply of any form, and what is to be said of it.
fn reply() -> impl Strategy<Value = (Vec<u8>, Option<ErrorKind>)> {
    const BODY: Option<ErrorKind> = Some(ErrorKind::Body);
    const STATUS: Option<ErrorKind> = Some(ErrorKind::Status);
    let reply = prop_oneof![
        Just(("$5\r\nhello\r\n", None)),
        Just(("+hello\r\n", None)),
        Just(("$5\r\nhellO\r\n", BODY)),
        Just(("$6\r\nhello!\r\n", BODY)),
        Just(("$4\r\nhell\r\n", BODY)),
        Just(("$-1\r\n", BODY)),
        Just(("*-1\r\n", BODY)),
        Just(("_\r\n", BODY)),
        Just((":5\r\n", BODY)),
        Just(("#t\r\n", BODY)),
        Just((",1.5\r\n", BODY)),
        Just(("(123456789012345678901234567890\r\n", BODY)),
        Just(("=9\r\ntxt:hello\r\n", BODY)),
        Just(("*1\r\n$5\r\nhello\r\n", BODY)),
        Just(("*0\r\n", BODY)),
        Just(("%1\r\n+a\r\n*2\r\n:1\r\n~1\r\n$-1\r\n", BODY)),
        Just(("-ERR no\r\n", STATUS)),
        Just(("!6\r\nERR no\r\n", STATUS)),
        Just(("*2\r\n+a\r\n-ERR no\r\n", STATUS)),
    ];
    let before = prop_oneof![
        Just(""),
        Just(">2\r\n+message\r\n$5\r\nhello\r\n"),
        Just("|1\r\n+ttl\r\n:3600\r\n"),
    ];
    (before, reply)
        .prop_map(|(before, (reply, kind))| ((before.to_owned() + reply).into_bytes(), kind))
}

proptest! {
    #[test]
    fn every_cut_gives_the_same_replies(replies in prop::collection::vec(reply(), 1..5)) {
        let bytes: Vec<u8> = replies.iter().flat_map(|(bytes, _)| bytes.clone()).collect();
        let expected: Vec<_> = replies.iter().map(|(_, kind)| *kind).collect();
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
        replies in prop::collection::vec(reply(), 1..3),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes: Vec<u8> = replies.iter().flat_map(|(bytes, _)| bytes.clone()).collect();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let whole = feed(&[&bytes], 4);
        let (a, b) = bytes.split_at(cut.index(bytes.len()));
        prop_assert_eq!(feed(&[a, b], 4), whole);
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        feed(&[&bytes], 2);
        feed(&[b"*3\r\n$5\r\nhello\r\n", &bytes], 2);
        feed(&[b"$40\r\n", &bytes], 2);
    }

    #[test]
    fn signs_and_numbers_never_panic(text in "([-+:$*_#,(!=%~>|][0-9a-f-]{0,4}\r\n){0,8}") {
        feed(&[text.as_bytes()], 2);
    }
}

#[test]
fn what_has_no_bound_is_refused_at_once() {
    let mut lines: Vec<Vec<u8>> = [
        "$1152921504606846976\r\n",
        "$99999999999999999999\r\n",
        "$-2\r\n",
        "$536870913\r\n",
        "$+5\r\n",
        "$\r\n",
        "*99999999999999999999\r\n",
        "*2147483648\r\n",
        "*-2\r\n",
        "%-1\r\n",
        ":9223372036854775808\r\n",
        ":\r\n",
        "#x\r\n",
        "$?\r\n",
        "$1\r\nab\r\n",
        "+a\rb\r\n",
        "\r\n",
        "HTTP/1.1 200 OK\r\n",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    lines.push("*1\r\n".repeat(40).into_bytes());
    for end in ["", "\r\n"] {
        lines.push([b"+".as_slice(), &vec![b'x'; 70_000], end.as_bytes()].concat());
    }
    for line in lines {
        let shown = String::from_utf8_lossy(&line[..line.len().min(30)]).into_owned();
        let read = Reader::default().read(&line, None);
        assert!(matches!(read, Err(Malformed(_))), "{shown:?}: {read:?}");
    }
}

#[test]
fn a_long_bulk_needs_no_memory() {
    let mut reader = Reader::default();
    let head = b"$536870912\r\n";
    assert_eq!(reader.read(head, None), Ok(Progress::More(head.len())));
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..512 {
        assert_eq!(reader.read(&piece, None), Ok(Progress::More(piece.len())));
    }
    assert_eq!(reader.read(b"\r\n+OK\r\n", None), Ok(Progress::Done(2)));
}
