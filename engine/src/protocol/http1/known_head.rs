//! A head that was parsed before, recognised though some of its values are others now.
//!
//! Servers send the same head over and over, but for a date, an identifier of the request, the
//! length of the body. A comparison tells that in a fraction of the time of a parse.

use super::head::{lines, parse_length, Framing, ResponseHead, LONGEST_HEAD};
use memchr::memchr;

/// Compared at once.
const WORD: usize = size_of::<u128>();

/// The last head that was parsed, byte for byte, and what it says.
#[derive(Clone, Default)]
pub struct KnownHead {
    bytes: Vec<u8>,
    head: Option<ResponseHead>,
    /// The values that may be others: nothing else that it says depends on them.
    free: Vec<FreeValue>,
}

/// From behind the colon until behind the LF.
#[derive(Clone, Copy)]
struct FreeValue {
    start: usize,
    end: usize,
    is_length: bool,
}

/// A head like the known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alike {
    pub head: ResponseHead,
    /// Whether it is the known one, byte for byte.
    pub is_same: bool,
}

impl KnownHead {
    /// Keeps a head that was parsed: all its bytes, and what they say.
    pub fn learn(&mut self, bytes: &[u8], head: ResponseHead) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.head = Some(head);
        self.free.clear();
        let lengths = lines(bytes).filter(|line| is_named(line.name, b"content-length"));
        // Several have to be equal.
        let is_only_length = lengths.count() == 1;
        for line in lines(bytes) {
            let is_length = is_named(line.name, b"content-length");
            if is_length && !is_only_length {
                continue;
            }
            let others: [&[u8]; 3] = [b"transfer-encoding", b"content-encoding", b"connection"];
            if others.iter().any(|name| is_named(line.name, name)) {
                continue;
            }
            self.free.push(FreeValue {
                start: line.value_at,
                end: line.end,
                is_length,
            });
        }
    }

    /// What the head at the start of `input` says, if it is like the known one: what a parse would
    /// say of it. `None` says nothing about it.
    #[inline]
    pub fn alike(&mut self, input: &[u8]) -> Option<Alike> {
        let head = self.head?;
        match first_difference(&self.bytes, input) {
            None => Some(Alike {
                head,
                is_same: true,
            }),
            Some(at) if at < input.len() => self.with_other_values(head, input, at),
            Some(_) => None,
        }
    }

    /// `at` is where they first differ.
    #[inline(never)]
    fn with_other_values(
        &mut self,
        mut head: ResponseHead,
        input: &[u8],
        mut at: usize,
    ) -> Option<Alike> {
        // How far the one and the other are read.
        let (mut ours, mut theirs) = (0, 0);
        let mut free = self.free.iter();
        let mut moved = false;
        loop {
            // The values before that are the same.
            let value = free.find(|value| ours + at < value.end)?;
            if ours + at < value.start {
                return None;
            }
            let start = theirs + value.start - ours;
            let lf = theirs + at + memchr(b'\n', input.get(theirs + at..)?)?;
            if lf == start || input[lf - 1] != b'\r' {
                return None;
            }
            if value.is_length {
                let length = input[start..lf - 1].trim_ascii();
                head.framing = Framing::Length(parse_length(length).ok()?);
            }
            (ours, theirs) = (value.end, lf + 1);
            moved |= ours != theirs;
            match first_difference(&self.bytes[ours..], &input[theirs..]) {
                None => break,
                Some(next) => at = next,
            }
        }
        head.len = theirs + self.bytes.len() - ours;
        if head.len > LONGEST_HEAD {
            return None;
        }
        // The next one is more like this one than like those before it (a date).
        if !moved {
            self.bytes.copy_from_slice(&input[..head.len]);
            self.head = Some(head);
        }
        Some(Alike {
            head,
            is_same: false,
        })
    }
}

#[inline]
fn is_named(name: &[u8], known: &[u8]) -> bool {
    name.len() == known.len() && name.eq_ignore_ascii_case(known)
}

/// The first byte of `known` that `input` does not have, or that is another there.
#[inline]
fn first_difference(known: &[u8], input: &[u8]) -> Option<usize> {
    let word = |bytes: &[u8]| {
        bytes
            .try_into()
            .map(u128::from_le_bytes)
            .unwrap_or_default()
    };
    let words = known.chunks_exact(WORD).zip(input.chunks_exact(WORD));
    let mut at = 0;
    for (ours, theirs) in words {
        let differ = word(ours) ^ word(theirs);
        if differ != 0 {
            return Some(at + differ.trailing_zeros() as usize / 8);
        }
        at += WORD;
    }
    let rest = known[at..].iter().zip(&input[at..]);
    let same = rest.take_while(|(ours, theirs)| ours == theirs).count();
    (at + same < known.len()).then_some(at + same)
}

#[cfg(test)]
mod tests {
    use super::super::head::parse;
    use super::*;
    use proptest::prelude::*;

    const REPLY: &str =
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 23 Nov 2026 17:00:00 GMT\r\n\
        Content-Length: 15\r\nConnection: keep-alive\r\nX-Request-Id: 9b1d\r\n\r\n";

    fn knows(head: &str) -> KnownHead {
        let mut known = KnownHead::default();
        let parsed = parse(head.as_bytes()).unwrap().unwrap();
        known.learn(head.as_bytes(), parsed);
        known
    }

    #[test]
    fn the_same_again() {
        let mut known = knows(REPLY);
        let alike = known.alike(format!("{REPLY}Hello").as_bytes()).unwrap();
        assert!(alike.is_same);
        assert_eq!(Ok(Some(alike.head)), parse(REPLY.as_bytes()));
        assert_eq!(known.alike(&REPLY.as_bytes()[..REPLY.len() - 1]), None);
        assert_eq!(KnownHead::default().alike(b""), None);
    }

    #[test]
    fn values_that_say_nothing_may_be_others() {
        for (before, after) in [
            ("17:00:00", "17:00:01"),
            ("9b1d", "9b1e"),
            ("9b1d", "9"),
            ("9b1d", "9b1d5f6a7b"),
            (" 9b1d", ""),
            ("nginx", "n\u{e9}"),
            ("15", "7"),
            ("15", "1048576"),
        ] {
            let other = REPLY.replacen(before, after, 1);
            let mut known = knows(REPLY);
            let alike = known.alike(other.as_bytes()).expect(&other);
            assert!(!alike.is_same);
            assert_eq!(Ok(Some(alike.head)), parse(other.as_bytes()), "{other}");
            // Whichever it holds against now, both are recognised.
            for again in [&other[..], REPLY] {
                let alike = known.alike(again.as_bytes()).expect(again);
                assert_eq!(Ok(Some(alike.head)), parse(again.as_bytes()), "{again}");
            }
        }
    }

    #[test]
    fn the_next_second_is_known_after_its_first_reply() {
        let mut known = knows(REPLY);
        let next = REPLY.replace("17:00:00", "17:00:01");
        assert!(!known.alike(next.as_bytes()).unwrap().is_same);
        assert!(known.alike(next.as_bytes()).unwrap().is_same);
    }

    #[test]
    fn what_says_something_is_parsed() {
        for (before, after) in [
            ("200", "404"),
            ("OK", "Ok"),
            ("keep-alive", "close"),
            ("Server: ", "Trailer: "),
            (
                "Content-Length: 15",
                "Content-Length: 15\r\nContent-Length: 15",
            ),
            ("Content-Length: 15", "Content-Length: x"),
            ("9b1d\r\n", "9b1d\r\nTransfer-Encoding: chunked\r\n"),
            ("9b1d\r\n", "9b1d\n"),
            ("9b1d\r\n", "9b1d"),
            (" 9b1d\r\n", "\n"),
        ] {
            let other = REPLY.replacen(before, after, 1);
            assert_eq!(knows(REPLY).alike(other.as_bytes()), None, "{other}");
        }
        let twice = REPLY.replace("X-Request-Id: 9b1d", "content-length: 15");
        let other = twice.replace("content-length: 15", "content-length: 16");
        assert_eq!(knows(&twice).alike(other.as_bytes()), None);
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("Content-Length: 5\r\n".to_owned()),
            Just("content-length:5\r\n".to_owned()),
            Just("Connection: close\r\n".to_owned()),
            Just("Transfer-Encoding: chunked\r\n".to_owned()),
            Just("Content-Encoding: gzip\r\n".to_owned()),
            "[A-Z][a-z]{0,3}: ?[a-z0-9]{0,20}\r\n",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        #[test]
        fn it_says_what_a_parse_says(
            lines in prop::collection::vec(line(), 0..6),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0..2_usize, "[a-z0-9:\r\n]{0,3}"), 0..5),
        ) {
            let first = format!("HTTP/1.1 200 OK\r\n{}\r\n", lines.concat());
            if let Ok(Some(head)) = parse(first.as_bytes()) {
                let mut known = KnownHead::default();
                known.learn(first.as_bytes(), head);
                let mut bytes = first.clone().into_bytes();
                // One edit after the other: what it holds against moves on with them.
                for (at, gone, put) in edits {
                    let at = at.index(bytes.len());
                    bytes.splice(at..(at + gone).min(bytes.len()), put.bytes());
                    if let Some(alike) = known.alike(&bytes) {
                        prop_assert_eq!(Ok(Some(alike.head)), parse(&bytes));
                    }
                }
                let alike = known.alike(first.as_bytes());
                prop_assert!(alike.is_none_or(|alike| alike.head == head));
            }
        }
    }
}
