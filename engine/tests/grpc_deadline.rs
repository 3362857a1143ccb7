//! Our gRPC server and calls whose message does not come: each ends when its client says.

use deadheat_load::protocol::h2::frame::{self, Frame};
use deadheat_load::protocol::h2::hpack::literal;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// More than any call here may take: whoever waits so long has been left alone.
const PATIENCE: Duration = Duration::from_secs(20);
const HELLO: &[u8] = b"\0\0\0\0\x03\x0a\x01a";

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Our server, and a connection to it on which the preface is said.
fn connect() -> (Server, TcpStream) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_deadheat-load"))
        .args(["serve", "grpc", "--hello", "--port", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("our own program");
    let mut line = String::new();
    let stderr = child.stderr.as_mut().expect("it is piped");
    BufReader::new(stderr).read_line(&mut line).expect("a line");
    let server = Server(child);
    let address = line.trim().strip_prefix("listening on ").expect("where");
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut bytes = frame::PREFACE.to_vec();
    frame::push_settings(&[], &mut bytes);
    stream.write_all(&bytes).unwrap();
    (server, stream)
}

fn headers(stream: u32, timeout: Option<&str>) -> Vec<u8> {
    let mut block = literal(b":method", b"POST");
    block.extend(literal(b":scheme", b"http"));
    block.extend(literal(b":path", b"/greeter.Greeter/SayHello"));
    if let Some(timeout) = timeout {
        block.extend(literal(b"grpc-timeout", timeout.as_bytes()));
    }
    let mut bytes = Vec::new();
    frame::push(
        frame::HEADERS,
        frame::END_HEADERS,
        stream,
        &block,
        &mut bytes,
    );
    bytes
}

fn message(stream: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::push(frame::DATA, frame::END_STREAM, stream, HELLO, &mut bytes);
    bytes
}

/// Stream, kind and content of the next `enough` frames that belong to a stream.
fn frames(stream: &mut TcpStream, enough: usize) -> Vec<(u32, u8, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut found = Vec::new();
    let mut piece = [0; 4096];
    while found.len() < enough {
        let n = stream.read(&mut piece).expect("an answer in time");
        assert!(n > 0, "the connection was closed");
        bytes.extend_from_slice(&piece[..n]);
        while let Ok(Some((frame, used))) = Frame::parse(&bytes) {
            if frame.stream != 0 {
                found.push((frame.stream, frame.kind, frame.payload.to_vec()));
            }
            bytes.drain(..used);
        }
    }
    found
}

fn says(block: &[u8], field: &[u8]) -> bool {
    block.windows(field.len()).any(|part| part == field)
}

#[test]
fn a_message_that_does_not_come_is_not_awaited_for_ever() {
    let (_server, mut stream) = connect();
    // 3 has no deadline, 5 has a long one: neither is in the way of 1 and 7.
    let asked = [
        headers(1, Some("100m")),
        headers(3, None),
        headers(5, Some("9H")),
        headers(7, Some("1n")),
    ];
    stream.write_all(&asked.concat()).unwrap();
    let mut ended = frames(&mut stream, 4);
    ended.sort_by_key(|(stream, kind, _)| (*stream, *kind));
    let kinds: Vec<_> = ended
        .iter()
        .map(|(stream, kind, _)| (*stream, *kind))
        .collect();
    let both = [frame::HEADERS, frame::RST_STREAM];
    assert_eq!(
        kinds,
        [(1, both[0]), (1, both[1]), (7, both[0]), (7, both[1])]
    );
    for (_, _, block) in ended.iter().filter(|(_, kind, _)| *kind == frame::HEADERS) {
        assert!(says(block, b"grpc-status\x014"), "{block:?}");
    }
    // The others are answered as ever, and one that came too late is not.
    stream
        .write_all(&[message(1), message(3), message(5)].concat())
        .unwrap();
    let streams: Vec<_> = frames(&mut stream, 6).iter().map(|frame| frame.0).collect();
    assert_eq!(streams, [3, 3, 3, 5, 5, 5]);
}

#[test]
fn a_call_that_is_whole_in_time_is_answered_once() {
    let (_server, mut stream) = connect();
    stream.write_all(&headers(1, Some("50m"))).unwrap();
    stream.write_all(&message(1)).unwrap();
    // The deadline of the first is over when the second ends.
    stream.write_all(&headers(3, Some("200m"))).unwrap();
    let seen: Vec<_> = frames(&mut stream, 5)
        .iter()
        .map(|frame| (frame.0, frame.1))
        .collect();
    use frame::{DATA, HEADERS, RST_STREAM};
    assert_eq!(
        seen,
        [
            (1, HEADERS),
            (1, DATA),
            (1, HEADERS),
            (3, HEADERS),
            (3, RST_STREAM)
        ]
    );
}
