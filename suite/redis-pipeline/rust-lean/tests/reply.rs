//! The parser: right replies, refused ones, and any bytes at all.

use lean_redis::{parse, Error, Reply, Value};

fn whole(bytes: &[u8]) -> Value {
    let (reply, length) = parse(bytes).unwrap().unwrap();
    assert_eq!(length, bytes.len());
    reply.to_value()
}

/// A small generator of pseudo-random numbers (xorshift): the same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn reads_resp2() {
    assert_eq!(whole(b"+OK\r\n"), Value::Okay);
    assert_eq!(whole(b"+PONG\r\n"), Value::Status("PONG".to_owned()));
    assert_eq!(whole(b":-9223372036854775808\r\n"), Value::Integer(i64::MIN));
    assert_eq!(whole(b":9223372036854775807\r\n"), Value::Integer(i64::MAX));
    assert_eq!(whole(b"$4\r\na\r\nb\r\n"), Value::Text(b"a\r\nb".to_vec()));
    assert_eq!(whole(b"$0\r\n\r\n"), Value::Text(Vec::new()));
    assert_eq!(whole(b"$-1\r\n"), Value::Nil);
    assert_eq!(whole(b"*-1\r\n"), Value::Nil);
    assert_eq!(whole(b"-ERR no\r\n"), Value::Error("ERR no".to_owned()));
    let nested = Value::List(vec![
        Value::Integer(1),
        Value::List(vec![Value::Nil]),
        Value::List(vec![]),
    ]);
    assert_eq!(whole(b"*3\r\n:1\r\n*1\r\n$-1\r\n*0\r\n"), nested);
}

#[test]
fn borrows_what_it_reads() {
    let bytes = b"$3\r\nbar\r\n+next\r\n".to_vec();
    let (reply, length) = parse(&bytes).unwrap().unwrap();
    assert_eq!((reply, length), (Reply::Text(&bytes[4..7]), 9));
}

#[test]
fn refuses_what_is_not_resp() {
    let deep = b"*1\r\n".repeat(200);
    let endless = vec![b'+'; 100_000];
    // That its end has come as well makes no difference.
    let too_long = [&endless[..], b"\r\n"].concat();
    let wrong: [&[u8]; 21] = [
        b"?\r\n",
        b"\r\n",
        b"\n",
        b":\r\n",
        b":1a\r\n",
        b":-\r\n",
        b":9223372036854775808\r\n",
        b":-9223372036854775809\r\n",
        b":99999999999999999999\r\n",
        b"$-2\r\n",
        b"$536870913\r\n",
        b"$1\r\nab\r\n",
        b"*-2\r\n",
        b"*2147483648\r\n",
        b"+a\n",
        b"+\n",
        b"HTTP/1.1 400 Bad Request\r\n",
        b"_\r\n",
        &deep,
        &endless,
        &too_long,
    ];
    for bytes in wrong {
        assert!(matches!(parse(bytes), Err(Error::Protocol(_))), "{bytes:?}");
    }
}

#[test]
fn waits_for_the_rest() {
    let bytes = b"*3\r\n$3\r\nbar\r\n:1\r\n*1\r\n+a\r\n";
    for length in 0..bytes.len() {
        assert!(matches!(parse(&bytes[..length]), Ok(None)), "{length}");
    }
    assert!(parse(bytes).unwrap().is_some());
    // Nothing is allocated for what is only announced.
    assert!(matches!(parse(b"*2147483647\r\n:1\r\n"), Ok(None)));
    assert!(matches!(parse(b"$536870912\r\nabc"), Ok(None)));
}

#[test]
fn any_bytes_give_a_reply_or_an_error() {
    let alphabet = b"+-:$*_0123456789-\r\n\r\n\r\n\r\nabc\xff";
    let mut random = Random(20_200_519);
    let mut outcomes = [0; 3];
    for _ in 0..300_000 {
        let bytes: Vec<u8> = (0..random.below(40))
            .map(|_| alphabet[random.below(alphabet.len())])
            .collect();
        match parse(&bytes) {
            Ok(Some((reply, length))) => {
                assert!(length <= bytes.len());
                drop(reply.to_value());
                outcomes[0] += 1;
            }
            Ok(None) => outcomes[1] += 1,
            Err(Error::Protocol(_)) => outcomes[2] += 1,
            Err(other) => panic!("{other}"),
        }
    }
    // All three happen, or the bytes try nothing.
    assert!(outcomes.iter().all(|count| *count > 0), "{outcomes:?}");
}

/// Replies of every kind, some of them long and nested, as a server would send them.
fn valid() -> Vec<u8> {
    let long = format!("$300\r\n{}\r\n", "x".repeat(300));
    let nested = "*3\r\n$3\r\nbar\r\n*2\r\n:-1\r\n$-1\r\n*0\r\n";
    [
        "+OK\r\n",
        "$3\r\nbar\r\n",
        ":100000\r\n",
        "$-1\r\n",
        nested,
        &long,
        "-OOM no\r\n",
    ]
    .concat()
    .into_bytes()
}

/// All replies at the start of `bytes`, and what stopped it: nothing, bytes that are missing, or an error.
fn all(mut bytes: &[u8]) -> (Vec<Value>, Result<bool, String>) {
    let mut values = Vec::new();
    loop {
        match parse(bytes) {
            Ok(Some((reply, length))) => {
                assert!(0 < length && length <= bytes.len());
                values.push(reply.to_value());
                bytes = &bytes[length..];
            }
            Ok(None) => return (values, Ok(bytes.is_empty())),
            Err(Error::Protocol(what)) => return (values, Err(what.to_owned())),
            Err(other) => panic!("{other}"),
        }
    }
}

/// As a connection delivers it: what has come is parsed as soon as it can be.
fn in_two_parts(bytes: &[u8], at: usize) -> (Vec<Value>, Result<bool, String>) {
    let (mut values, end) = all(&bytes[..at]);
    if end.is_err() {
        return (values, end);
    }
    let mut rest = bytes;
    for _ in &values {
        rest = &rest[parse(rest).unwrap().unwrap().1..];
    }
    let (more, end) = all(rest);
    values.extend(more);
    (values, end)
}

#[test]
fn damaged_replies_mean_the_same_however_they_are_cut() {
    let mut random = Random(7);
    let mut ends = [0; 3];
    for _ in 0..300 {
        let mut bytes = valid();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"\r\n0123456789-$*"[random.below(15)]),
            }
        }
        let (values, end) = all(&bytes);
        for at in 0..=bytes.len() {
            let (others, other) = in_two_parts(&bytes, at);
            // An error may be seen before the line that has it is whole, but never anything else.
            assert_eq!(end.is_err(), other.is_err(), "{at} of {bytes:?}");
            assert_eq!(values, others, "{at} of {bytes:?}");
        }
        ends[match end {
            Ok(true) => 0,
            Ok(false) => 1,
            Err(_) => 2,
        }] += 1;
    }
    // All three happen, or the damage is none.
    assert!(ends.iter().all(|count| *count > 0), "{ends:?}");
}
