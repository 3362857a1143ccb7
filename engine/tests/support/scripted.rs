//! A gRPC server that says whatever a test wants it to.

#![allow(dead_code, reason = "each test binary uses its own part")]

use crate::support;
use deadheat_load::protocol::h2::frame::{self, Frame};
use deadheat_load::protocol::h2::hpack::literal;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};

/// A server that shakes hands as HTTP/2 and then answers the `n`-th call (from 1) of the
/// `connection`-th connection with whatever bytes `answer` makes.
pub fn scripted_server(
    settings: &'static [(u16, u32)],
    answer: impl Fn(u64, u64, u32) -> Vec<u8> + Send + Sync + 'static,
) -> SocketAddr {
    support::server(move |stream, connection| {
        let mut bytes = Vec::new();
        frame::push_settings(settings, &mut bytes);
        converse(stream, &bytes, |call, id| answer(connection, call, id));
    })
}

/// Says `first`, then answers each call until an answer is empty or the client is gone.
pub fn converse(mut stream: TcpStream, first: &[u8], answer: impl Fn(u64, u32) -> Vec<u8>) {
    support::send(&mut stream, first);
    let mut calls = 0;
    let mut skip = frame::PREFACE.len();
    let mut unread = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        unread.extend_from_slice(&piece[..n]);
        let here = skip.min(unread.len());
        skip -= here;
        unread.drain(..here);
        while let Ok(Some((frame, used))) = Frame::parse(&unread) {
            if frame.kind == frame::HEADERS {
                calls += 1;
                let reply = answer(calls, frame.stream);
                if reply.is_empty() {
                    return;
                }
                support::send(&mut stream, &reply);
            }
            unread.drain(..used);
        }
    }
}

pub const END: u8 = frame::END_STREAM;

pub fn headers(stream: u32, flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let block = fields
        .iter()
        .flat_map(|(name, value)| literal(name.as_bytes(), value.as_bytes()));
    let block: Vec<u8> = block.collect();
    frame::push(
        frame::HEADERS,
        flags | frame::END_HEADERS,
        stream,
        &block,
        &mut bytes,
    );
    bytes
}

pub fn begin(stream: u32) -> Vec<u8> {
    headers(
        stream,
        0,
        &[(":status", "200"), ("content-type", "application/grpc")],
    )
}

pub fn data(stream: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::push(frame::DATA, flags, stream, payload, &mut bytes);
    bytes
}

pub fn greeting(stream: u32) -> Vec<u8> {
    data(stream, 0, b"\0\0\0\0\x12\x0a\x10Hello from 7f3a!")
}

pub fn right(stream: u32) -> Vec<u8> {
    [
        begin(stream),
        greeting(stream),
        headers(stream, END, &[("grpc-status", "0")]),
    ]
    .concat()
}
