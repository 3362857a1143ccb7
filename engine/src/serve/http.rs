//! An HTTP/1.1 server that does the least it may: one thread, epoll, `GET /{token}` answered
//! with `Hello from {token}!`, keep-alive and pipelining.

use super::signal::stop_signals;
use memchr::memmem;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{sockopt, RecvFlags, SendFlags, SocketFlags};
use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};

const READ_AT_ONCE: usize = 64 * 1024;
const LONGEST_HEAD: usize = 64 * 1024;
const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;

/// What the server says.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Body of every reply; `None`: `Hello from {path without its slash}!`.
    pub body: Option<String>,
}

struct Client {
    socket: OwnedFd,
    /// An unfinished request.
    input: Vec<u8>,
    /// Replies that the socket would not take yet.
    output: Vec<u8>,
}

/// Serves until SIGTERM or SIGINT. Says on stderr where it listens.
///
/// # Errors
/// The address cannot be listened on, or polling fails.
pub fn run(address: SocketAddr, settings: &Settings) -> io::Result<()> {
    let stop = stop_signals()?;
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    eprintln!("listening on {}", listener.local_addr()?);
    let poll = epoll::create(CreateFlags::CLOEXEC)?;
    let edge = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
    epoll::add(
        &poll,
        &listener,
        EventData::new_u64(LISTENER),
        EventFlags::IN,
    )?;
    epoll::add(&poll, &stop, EventData::new_u64(SIGNALS), EventFlags::IN)?;
    let mut clients: HashMap<u64, Client> = HashMap::new();
    let mut events: Vec<Event> = Vec::with_capacity(256);
    let mut buffer = vec![0; READ_AT_ONCE];
    let mut replies = Vec::new();
    loop {
        events.clear();
        match epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            match event.data.u64() {
                SIGNALS => return Ok(()),
                LISTENER => accept(&listener, |socket| {
                    let id = socket.as_raw_fd() as u64;
                    epoll::add(&poll, &socket, EventData::new_u64(id), edge)?;
                    let client = Client {
                        socket,
                        input: Vec::new(),
                        output: Vec::new(),
                    };
                    clients.insert(id, client);
                    Ok(())
                }),
                id => {
                    let Some(client) = clients.get_mut(&id) else {
                        continue;
                    };
                    if !client.serve(settings, &mut buffer, &mut replies) {
                        clients.remove(&id);
                    }
                }
            }
        }
    }
}

/// Takes every connection that waits. One that breaks on the way is nobody's concern.
fn accept(listener: &TcpListener, mut add: impl FnMut(OwnedFd) -> io::Result<()>) {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    while let Ok(socket) = rustix::net::accept_with(listener, flags) {
        let _ = sockopt::set_tcp_nodelay(&socket, true);
        let _ = add(socket);
    }
}

impl Client {
    /// Answers what has come; false once the connection is over.
    fn serve(&mut self, settings: &Settings, buffer: &mut [u8], replies: &mut Vec<u8>) -> bool {
        if !self.output.is_empty() && !self.flush(replies) {
            return false;
        }
        loop {
            let n = match rustix::net::recv(&self.socket, &mut *buffer, RecvFlags::empty()) {
                Ok((_, 0)) => return false,
                Ok((_, n)) => n,
                Err(Errno::AGAIN) => return true,
                Err(Errno::INTR) => continue,
                Err(_) => return false,
            };
            let answered = if self.input.is_empty() {
                let answered = answer_all(settings, &buffer[..n], replies);
                if let Ok(used) = answered {
                    self.input.extend_from_slice(&buffer[used..n]);
                }
                answered
            } else {
                self.input.extend_from_slice(&buffer[..n]);
                let answered = answer_all(settings, &self.input, replies);
                if let Ok(used) = answered {
                    self.input.drain(..used);
                }
                answered
            };
            if !self.flush(replies) || answered.is_err() {
                return false;
            }
            if n < buffer.len() {
                return true;
            }
        }
    }

    /// Sends `replies` behind what waits; false if the connection broke.
    fn flush(&mut self, replies: &mut Vec<u8>) -> bool {
        let fresh = self.output.is_empty();
        if !fresh {
            self.output.append(replies);
        }
        let bytes = if fresh { &*replies } else { &self.output };
        if bytes.is_empty() {
            return true;
        }
        let sent = match rustix::net::send(&self.socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => sent,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(_) => return false,
        };
        if !fresh {
            self.output.drain(..sent);
        } else if sent < replies.len() {
            self.output.extend_from_slice(&replies[sent..]);
        }
        replies.clear();
        true
    }
}

/// Not a request that this server answers; the connection is closed after a 400.
struct Refused;

/// Answers every complete request in `input`; returns the bytes used up.
fn answer_all(settings: &Settings, input: &[u8], replies: &mut Vec<u8>) -> Result<usize, Refused> {
    let mut at = 0;
    loop {
        match request_length(&input[at..]) {
            Ok(Some((path, length))) => {
                answer(settings, path, replies);
                at += length;
            }
            Ok(None) => return Ok(at),
            Err(Refused) => {
                let refusal =
                    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
                replies.extend_from_slice(refusal);
                return Err(Refused);
            }
        }
    }
}

/// Path and whole length of the request at the start of `input`; `None` if it is not complete.
fn request_length(input: &[u8]) -> Result<Option<(&[u8], usize)>, Refused> {
    let Some(end) = memmem::find(input, b"\r\n\r\n") else {
        return if input.len() > LONGEST_HEAD {
            Err(Refused)
        } else {
            Ok(None)
        };
    };
    let head = &input[..end];
    let mut words = head.split(|&byte| byte == b' ' || byte == b'\r');
    let method = words.next().ok_or(Refused)?;
    let path = words
        .next()
        .filter(|path| path.starts_with(b"/"))
        .ok_or(Refused)?;
    let length = end
        + 4
        + if method == b"GET" {
            0
        } else {
            body_length(head)?
        };
    Ok((length <= input.len()).then_some((path, length)))
}

fn body_length(head: &[u8]) -> Result<usize, Refused> {
    for line in head.split(|&byte| byte == b'\n').skip(1) {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else {
            return Err(Refused);
        };
        if line[..colon].eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(line[colon + 1..].trim_ascii()).map_err(|_| Refused)?;
            return value.parse().map_err(|_| Refused);
        }
    }
    Ok(0)
}

fn answer(settings: &Settings, path: &[u8], replies: &mut Vec<u8>) {
    let (before, middle, after): (&[u8], &[u8], &[u8]) = match &settings.body {
        Some(body) => (body.as_bytes(), b"", b""),
        None => (b"Hello from ", &path[1..], b"!"),
    };
    let length = before.len() + middle.len() + after.len();
    replies.extend_from_slice(b"HTTP/1.1 200 OK\r\nContent-Length: ");
    push_decimal(replies, length);
    replies.extend_from_slice(b"\r\n\r\n");
    replies.extend_from_slice(before);
    replies.extend_from_slice(middle);
    replies.extend_from_slice(after);
}

/// `write!` costs more than the rest of the reply.
fn push_decimal(bytes: &mut Vec<u8>, mut number: usize) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    bytes.extend_from_slice(&digits[at..]);
}
