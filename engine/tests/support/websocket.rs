//! WebSocket servers that do exactly what they are told, and the figures of runs against them.

#![allow(dead_code, reason = "each test binary uses its own part")]

use crate::program::number;
use crate::support::{read_head, server};
use deadheat_load::protocol::websocket::frame::{self, Header, Opcode};
use deadheat_load::protocol::websocket::handshake;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::SocketAddr;

/// A server that upgrades each connection and then goes on as told.
pub fn upgraded(serve: impl Fn(&mut dyn Peer) + Send + Sync + 'static) -> SocketAddr {
    server(move |mut stream, _| {
        if upgrade(&mut stream).is_some() {
            serve(&mut stream);
        }
    })
}

pub trait Peer: Read + Write {}
impl<T: Read + Write> Peer for T {}

/// Answers an upgrade; its head.
pub fn upgrade(stream: &mut (impl Read + Write)) -> Option<String> {
    let head = read_head(stream)?;
    let key = head
        .lines()
        .find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "));
    let accept = handshake::accept(key.expect("a key"));
    let answer = format!("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: {accept}\r\n\r\n");
    stream.write_all(answer.as_bytes()).ok()?;
    Some(head)
}

/// A frame of a client, which must be masked; `None` at the end of the stream.
pub fn read_frame(stream: &mut dyn Peer) -> Option<(Opcode, Vec<u8>, [u8; 4])> {
    let mut bytes = Vec::new();
    let header = loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
        if let Some(header) = Header::parse(&bytes).expect("a frame") {
            break header;
        }
    };
    assert!(header.fin);
    let mut payload = vec![0; header.length as usize];
    stream.read_exact(&mut payload).ok()?;
    let key = header.key.expect("clients mask their frames");
    frame::mask(&mut payload, key);
    Some((header.opcode, payload, key))
}

/// The next message as text; other frames are passed over.
pub fn read_text(stream: &mut dyn Peer) -> Option<String> {
    loop {
        let (opcode, payload, _) = read_frame(stream)?;
        match opcode {
            Opcode::Text => return Some(String::from_utf8(payload).expect("text")),
            Opcode::Close => return None,
            _ => {}
        }
    }
}

pub fn say(stream: &mut dyn Peer, opcode: Opcode, payload: &[u8]) {
    let mut bytes = Vec::new();
    frame::write(opcode, payload, None, &mut bytes);
    // The client may be gone; it is the one under test.
    let _ = stream.write_all(&bytes);
}

pub fn echo(stream: &mut dyn Peer) {
    while let Some(text) = read_text(stream) {
        say(stream, Opcode::Text, text.as_bytes());
    }
}

pub fn url(address: impl std::fmt::Display) -> String {
    format!("ws://{address}/chat")
}

/// Exactly so many right replies, and no error.
pub fn assert_right(summary: &Value, requests: u64) {
    assert_eq!(number(&summary["requests"]), requests, "{summary}");
    assert_eq!(number(&summary["errors"]), 0, "{summary}");
}

/// A summary of a run with errors: it succeeds all the same.
pub fn errors(summary: &Value, kind: &str) -> (u64, String) {
    let first = summary["first_error"].as_str().unwrap_or_default();
    (number(&summary["errors_by_kind"][kind]), first.to_owned())
}
