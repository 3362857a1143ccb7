//! Small servers for tests, one thread a connection, that do exactly what they are told.

#![allow(dead_code, reason = "each test binary uses its own part")]

use deadheat_load::protocol::http::Request;
use deadheat_load::target::Spec;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// A listener on a free port whose connections go to `serve`, numbered from 0.
pub fn server(serve: impl Fn(TcpStream, u64) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (Ok(stream), serve) = (stream, Arc::clone(&serve)) else {
                return;
            };
            // Or a reply in pieces waits for delayed acknowledgements, 40 ms a piece.
            let _ = stream.set_nodelay(true);
            std::thread::spawn(move || serve(stream, number as u64));
        }
    });
    address
}

/// Requests counted, whatever came of them.
#[derive(Clone, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// The number of this request, from 1.
    pub fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Reads the head of one request; `None` at the end of the stream.
pub fn read_head(stream: &mut impl Read) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return None,
        }
    }
    Some(String::from_utf8(head).expect("requests are text"))
}

/// Reads one request without a body and gives its path; `None` at the end of the stream.
pub fn read_request(stream: &mut TcpStream) -> Option<String> {
    let head = read_head(stream)?;
    Some(head.split(' ').nth(1).expect("a path").to_owned())
}

/// The right reply to a path.
pub fn hello(path: &str) -> Vec<u8> {
    let body = format!("Hello from {}!", &path[1..]);
    format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

pub fn send(stream: &mut TcpStream, bytes: &[u8]) {
    // The peer may be gone; it is the one under test.
    let _ = stream.write_all(bytes);
}

/// A target at `address` that expects [`hello`].
pub fn spec(address: SocketAddr, connections: usize) -> Spec {
    let mut request = Request::get("/{token}");
    request.expect.status = Some(200.into());
    request.expect.body = Some("Hello from {token}!".into());
    Spec {
        connections,
        ..Spec::new(&format!("http://{address}"), request)
    }
}
