//! The client against servers that do what a test says.

use lean_redis::{Client, Error, Value};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// Serves one connection with `script`, and connects to it.
fn client_of(script: impl FnOnce(TcpStream) + Send + 'static) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || script(listener.accept().unwrap().0));
    Client::connect_with_timeout("127.0.0.1", port, Some(Duration::from_secs(30))).unwrap()
}

/// Reads `length` bytes, then answers.
fn answer(length: usize, reply: &'static [u8]) -> Client {
    client_of(move |mut stream| {
        let mut command = vec![0; length];
        stream.read_exact(&mut command).unwrap();
        stream.write_all(reply).unwrap();
    })
}

const PING_BYTES: usize = b"*1\r\n$4\r\nPING\r\n".len();

#[test]
fn calls() {
    assert_eq!(
        answer(PING_BYTES, b"+PONG\r\n").call(&["PING"]).unwrap(),
        Value::Status("PONG".to_owned())
    );
}

#[test]
fn names_what_went_wrong() {
    let call = |reply| answer(PING_BYTES, reply).call(&["PING"]).unwrap_err();
    assert!(matches!(call(b"-OOM no\r\n"), Error::Server(message) if message == "OOM no"));
    assert!(matches!(call(b"HTTP/1.1\r\n"), Error::Protocol(_)));
    assert!(matches!(call(b"+PO"), Error::Closed));
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    assert!(matches!(
        Client::connect("127.0.0.1", nobody),
        Err(Error::Connection(_))
    ));
}

/// Bytes that no server means, the same for the same seed: a few replies, then anything.
fn garbage(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = b"+OK\r\n".repeat(seed as usize % 3);
    for _ in 0..40 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let alphabet = b"+-:$*_0123456789\r\n\r\nabc\x00\xff";
        bytes.push(alphabet[(state >> 33) as usize % alphabet.len()]);
    }
    bytes
}

#[test]
fn garbage_ends_in_a_typed_error_and_the_client_does_not_hang() {
    let mut refused = 0;
    for seed in 0..200 {
        let mut client = client_of(move |mut stream| {
            let mut command = [0; 3 * PING_BYTES];
            stream.read_exact(&mut command).unwrap();
            for piece in garbage(seed).chunks(1 + seed as usize % 7) {
                // The client may have gone after the first piece.
                if stream.write_all(piece).is_err() {
                    return;
                }
            }
        });
        let mut replies = client
            .pipeline(|pipe| (0..3).try_for_each(|_| pipe.command(&["PING"])))
            .unwrap();
        loop {
            match replies.next_reply() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(Error::Protocol(_)) => {
                    refused += 1;
                    break;
                }
                Err(Error::Closed | Error::Connection(_)) => break,
                Err(other) => panic!("{seed}: {other}"),
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn renders_parts_of_any_length() {
    for length in [0, 9, 10, 65_533, 65_534, 65_535, 65_536, 200_000] {
        let text = "x".repeat(length);
        let expected = format!("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${length}\r\n{text}\r\n");
        let (size, text_sent) = (expected.len(), text.clone());
        let mut client = client_of(move |mut stream| {
            let mut command = vec![0; size];
            stream.read_exact(&mut command).unwrap();
            let right = command == expected.as_bytes();
            stream
                .write_all(if right { b"+OK\r\n" } else { b"-wrong\r\n" })
                .unwrap();
        });
        let mut replies = client.pipeline(|pipe| pipe.set("k", &text_sent)).unwrap();
        assert_eq!(
            replies.next_reply().unwrap().unwrap().to_value(),
            Value::Okay,
            "{length}"
        );
    }
}

#[test]
fn does_not_wait_for_ever_when_the_buffers_on_both_sides_are_full() {
    const COMMANDS: usize = 1_000_000;
    const GET_BYTES: usize = b"*2\r\n$3\r\nGET\r\n$3\r\nfoo\r\n".len();
    // It blocks while its replies are not read, and reads nothing then.
    let mut client = client_of(|mut stream| {
        let mut buffer = [0; 4096];
        let mut pending = 0;
        loop {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return,
                Ok(count) => pending += count,
            }
            let replies = b"$3\r\nbar\r\n".repeat(pending / GET_BYTES);
            pending %= GET_BYTES;
            if stream.write_all(&replies).is_err() {
                return;
            }
        }
    });
    let mut replies = client
        .pipeline(|pipe| (0..COMMANDS).try_for_each(|_| pipe.get("foo")))
        .unwrap();
    let mut count = 0;
    while let Some(reply) = replies.next_reply().unwrap() {
        assert_eq!(reply.to_value(), Value::Text(b"bar".to_vec()));
        count += 1;
    }
    assert_eq!(count, COMMANDS);
}

#[test]
fn skips_replies_that_nobody_took() {
    let mut client = client_of(|mut stream| {
        stream.write_all(b":1\r\n:2\r\n:3\r\n").unwrap();
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    });
    client
        .pipeline(|pipe| {
            pipe.incr("a")?;
            pipe.incr("a")
        })
        .unwrap();
    assert_eq!(client.call(&["INCR", "a"]).unwrap(), Value::Integer(3));
}
