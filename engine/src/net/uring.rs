//! Sends and reads of many connections with one system call: what epoll says is ready is read,
//! and what was to be sent is sent, by batches through io_uring.
//!
//! Nothing is ever in flight in the ring between two calls: every operation is non-blocking
//! (MSG_DONTWAIT), so the kernel does it, or says that it cannot, while it takes the batch.

use self::batches::{Batches, NOT_DONE};
use super::address::Address;
use super::epoll::Epoll;
use super::send_buffer::SendBuffer;
use super::{Event, Net};
use io_uring::{opcode, types};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::fd::RawFd;

mod batches;

/// Operations in one batch.
const BATCH: usize = batches::LONGEST;
/// Bytes read at once from one connection; not a power of two, so that the pieces do not all
/// fall into the same sets of the cache. A reply that is longer is read on without the ring.
const PIECE: usize = 8 * 1024 + 192;
/// More is sent at once, without a copy.
const LONGEST_QUEUED: usize = 16 * 1024;

pub struct Uring {
    epoll: Epoll,
    ring: Batches,
    connections: Vec<RingSocket>,
    /// Room for [`BATCH`] pieces.
    pieces: Box<[u8]>,
    /// Whose pieces these are.
    readers: Vec<usize>,
    /// What goes out with the next batch: whose, and which part of `bytes`.
    queue: Vec<(usize, Range<usize>)>,
    bytes: Vec<u8>,
    results: Vec<i32>,
}

/// What a system call returns: bytes, or the negative errno.
fn result_of(result: io::Result<usize>) -> i32 {
    match result {
        Ok(n) => n as i32,
        Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
    }
}

#[derive(Default)]
struct RingSocket {
    is_open: bool,
    /// Something of it is in the queue.
    is_queued: bool,
    read: Option<Read>,
    /// What the socket did not take, to be sent when there is room again.
    unsent: SendBuffer,
}

/// What a batch read.
enum Read {
    /// A part of `pieces`, and whether there may be more to read.
    Bytes {
        at: Range<usize>,
        is_all: bool,
    },
    Failed(i32),
}

impl Uring {
    /// # Errors
    /// The kernel has no io_uring, or does not allow it to this process.
    pub fn new(address: Address, connections: usize) -> io::Result<Self> {
        Ok(Self {
            epoll: Epoll::new(address, connections, false)?,
            ring: Batches::new()?,
            connections: (0..connections).map(|_| RingSocket::default()).collect(),
            pieces: vec![0; BATCH * PIECE].into_boxed_slice(),
            readers: Vec::with_capacity(BATCH),
            queue: Vec::with_capacity(BATCH),
            bytes: Vec::new(),
            results: Vec::with_capacity(BATCH),
        })
    }

    /// Sends what is in the queue.
    fn flush(&mut self) {
        self.results.clear();
        self.results.resize(self.queue.len(), NOT_DONE);
        if self.queue.len() > 1 {
            let (epoll, all) = (&self.epoll, &self.bytes);
            let entries = self.queue.iter().map(|(id, bytes)| {
                let bytes = &all[bytes.clone()];
                opcode::Send::new(fd(epoll, *id), bytes.as_ptr(), bytes.len() as u32)
                    .flags(libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
                    .build()
            });
            // SAFETY: the bytes stay where they are until `submit` returns, which is after the
            // kernel is done with them.
            unsafe { self.ring.submit(entries, &mut self.results) };
        }
        for ((id, bytes), &result) in self.queue.drain(..).zip(&self.results) {
            let connection = &mut self.connections[id];
            let result = match result {
                NOT_DONE => result_of(self.epoll.send(id, &self.bytes[bytes.clone()])),
                result => result,
            };
            connection.is_queued = false;
            let sent = match -result {
                ..=0 => result as usize,
                libc::EAGAIN | libc::EINTR => 0,
                // The connection is broken: the loop is told by an event, as by epoll.
                _ => {
                    self.epoll.hang_up(id);
                    continue;
                }
            };
            let rest = &self.bytes[bytes][sent..];
            if !rest.is_empty() {
                connection.unsent.push(rest);
            }
        }
        self.bytes.clear();
    }

    /// Sends what the socket did not take before; whether all of it has gone.
    fn send_rest(&mut self, id: usize) -> bool {
        let connection = &mut self.connections[id];
        match self.epoll.send(id, connection.unsent.pending()) {
            Ok(sent) => connection.unsent.advance(sent),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => {
                connection.unsent.clear();
                self.epoll.hang_up(id);
            }
        }
        self.connections[id].unsent.is_empty()
    }

    /// Reads from every connection that is ready, before the loop asks for it.
    fn read_ahead(&mut self, events: &[Event]) {
        let is_pending = |id: &usize| self.connections[*id].read.is_some();
        if self.readers.iter().any(is_pending) {
            return;
        }
        self.readers.clear();
        let ready = events.iter().filter(|event| event.readable);
        let open = ready.filter(|event| self.connections[event.id].is_open);
        self.readers.extend(open.map(|event| event.id).take(BATCH));
        if self.readers.len() < 2 {
            return;
        }
        self.results.clear();
        self.results.resize(self.readers.len(), NOT_DONE);
        let epoll = &self.epoll;
        let pieces = self.pieces.chunks_exact_mut(PIECE);
        let entries = self.readers.iter().zip(pieces).map(|(&id, piece)| {
            opcode::Recv::new(fd(epoll, id), piece.as_mut_ptr(), PIECE as u32)
                .flags(libc::MSG_DONTWAIT)
                .build()
        });
        // SAFETY: each piece is written by one operation, and `submit` returns after all of them.
        unsafe { self.ring.submit(entries, &mut self.results) };
        for (k, (&id, &result)) in self.readers.iter().zip(&self.results).enumerate() {
            self.connections[id].read = (result != NOT_DONE).then(|| {
                if result < 0 {
                    Read::Failed(-result)
                } else {
                    let length = result as usize;
                    Read::Bytes {
                        at: k * PIECE..k * PIECE + length,
                        is_all: length < PIECE,
                    }
                }
            });
        }
    }
}

fn fd(epoll: &Epoll, id: usize) -> types::Fd {
    // -1 fails as any descriptor that is closed.
    const NONE: RawFd = -1;
    types::Fd(epoll.descriptor(id).unwrap_or(NONE))
}

impl Net for Uring {
    #[inline]
    fn now_ns(&self) -> u64 {
        self.epoll.now_ns()
    }

    fn name(&self) -> &'static str {
        "io_uring"
    }

    fn events_at_once(&self) -> usize {
        self.epoll.events_at_once()
    }

    fn connect(&mut self, id: usize) -> io::Result<bool> {
        let at_once = self.epoll.connect(id)?;
        self.connections[id].is_open = at_once;
        Ok(at_once)
    }

    fn connected(&mut self, id: usize) -> io::Result<bool> {
        let is_open = self.epoll.connected(id)?;
        self.connections[id].is_open = is_open;
        Ok(is_open)
    }

    fn close(&mut self, id: usize) {
        if self.connections[id].is_queued {
            self.queue.retain(|(whose, _)| *whose != id);
        }
        self.connections[id] = RingSocket::default();
        self.epoll.close(id);
    }

    #[inline]
    fn send(&mut self, id: usize, bytes: &[u8]) -> io::Result<usize> {
        if self.connections[id].is_queued || self.queue.len() == BATCH {
            // In their order, even if the socket takes only a part of the first.
            self.flush();
        }
        let connection = &mut self.connections[id];
        if !connection.unsent.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        if bytes.len() > LONGEST_QUEUED {
            return self.epoll.send(id, bytes);
        }
        connection.is_queued = true;
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.queue.push((id, from..self.bytes.len()));
        Ok(bytes.len())
    }

    #[inline]
    fn recv(&mut self, id: usize, buffer: &mut [u8]) -> io::Result<usize> {
        let (at, is_all) = match self.connections[id].read.take() {
            None => return self.epoll.recv(id, buffer),
            Some(Read::Failed(errno)) => return Err(io::Error::from_raw_os_error(errno)),
            Some(Read::Bytes { at, is_all }) => (at, is_all),
        };
        let n = at.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.pieces[at.start..at.start + n]);
        if n < at.len() {
            let at = at.start + n..at.end;
            self.connections[id].read = Some(Read::Bytes { at, is_all });
        } else if !is_all && n < buffer.len() {
            // An end or an error that comes now is found again by whoever reads next.
            return Ok(n + self.epoll.recv(id, &mut buffer[n..]).unwrap_or(0));
        }
        Ok(n)
    }

    fn pause(&mut self, ns: u64) {
        self.flush();
        self.epoll.pause(ns);
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        self.flush();
        self.epoll.wait(deadline_ns, events)?;
        for event in events.iter_mut() {
            if event.writable && !self.connections[event.id].unsent.is_empty() {
                event.writable = self.send_rest(event.id);
            }
        }
        self.read_ahead(events);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    /// Reads what comes on each connection until there are so many bytes.
    fn read_all(net: &mut Uring, most: usize) -> Vec<Vec<u8>> {
        let mut read = vec![Vec::new(); net.connections.len()];
        let mut events = Vec::new();
        let mut buffer = [0; 64];
        while read.iter().map(Vec::len).sum::<usize>() < most {
            net.wait(net.now_ns() + 10_000_000, &mut events).unwrap();
            for event in &events {
                if let Ok(n) = net.recv(event.id, &mut buffer) {
                    read[event.id].extend_from_slice(&buffer[..n]);
                }
            }
        }
        read
    }

    #[test]
    fn a_ring_that_breaks_loses_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp {
            to: listener.local_addr().unwrap(),
            from: Vec::new(),
            network: None,
        };
        let Ok(mut net) = Uring::new(address, 4) else {
            eprintln!("no io_uring here: not tried");
            return;
        };
        let mut peers: Vec<TcpStream> = (0..4)
            .map(|id| {
                if !net.connect(id).unwrap() {
                    while !net.connected(id).unwrap_or(false) {}
                }
                listener.accept().unwrap().0
            })
            .collect();
        for round in 0..3_u8 {
            if round == 1 {
                net.ring.break_for_test();
            }
            for id in 0..4 {
                assert_eq!(net.send(id, &[round, id as u8, 7]).unwrap(), 3);
            }
            net.flush();
            for (id, peer) in peers.iter_mut().enumerate() {
                let mut came = [0; 3];
                peer.read_exact(&mut came).unwrap();
                assert_eq!(came, [round, id as u8, 7]);
                peer.write_all(&came).unwrap();
            }
            for (id, came) in read_all(&mut net, 12).into_iter().enumerate() {
                assert_eq!(came, [round, id as u8, 7]);
            }
            assert_eq!(net.ring.is_broken(), round > 0);
        }
    }
}
