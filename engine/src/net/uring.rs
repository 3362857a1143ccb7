//! Sends and reads of many connections with one system call: what epoll says is ready is read,
//! and what was to be sent is sent, by batches through io_uring.
//!
//! Nothing is ever in flight in the ring between two calls: every operation is non-blocking
//! (MSG_DONTWAIT), so the kernel does it, or says that it cannot, while it takes the batch.

use super::address::Address;
use super::epoll::Epoll;
use super::{Event, Net};
use io_uring::{opcode, squeue, types, IoUring};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::fd::RawFd;

/// Operations in one batch.
const BATCH: usize = 256;
/// Bytes read at once from one connection; not a power of two, so that the pieces do not all
/// fall into the same sets of the cache. A reply that is longer is read on without the ring.
const PIECE: usize = 8 * 1024 + 192;
/// More is sent at once, without a copy.
const LONGEST_QUEUED: usize = 16 * 1024;

pub struct Uring {
    epoll: Epoll,
    ring: IoUring,
    connections: Vec<Connection>,
    /// Room for [`BATCH`] pieces.
    pieces: Box<[u8]>,
    /// Whose pieces these are.
    readers: Vec<usize>,
    /// What goes out with the next batch: whose, and which part of `bytes`.
    queue: Vec<(usize, Range<usize>)>,
    bytes: Vec<u8>,
    results: Vec<i32>,
}

#[derive(Default)]
struct Connection {
    is_open: bool,
    /// Something of it is in the queue.
    is_queued: bool,
    read: Option<Read>,
    /// What the socket did not take, to be sent when there is room again.
    unsent: Vec<u8>,
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
            // Every operation of a batch is tried, whatever comes of those before it.
            ring: IoUring::builder().setup_submit_all().build(BATCH as u32)?,
            connections: (0..connections).map(|_| Connection::default()).collect(),
            pieces: vec![0; BATCH * PIECE].into_boxed_slice(),
            readers: Vec::with_capacity(BATCH),
            queue: Vec::with_capacity(BATCH),
            bytes: Vec::new(),
            results: Vec::with_capacity(BATCH),
        })
    }

    /// Sends what is in the queue.
    fn flush(&mut self) -> io::Result<()> {
        if let [(id, bytes)] = self.queue.as_slice() {
            let sent = self.epoll.send(*id, &self.bytes[bytes.clone()]);
            self.results.clear();
            self.results.push(match sent {
                Ok(n) => n as i32,
                Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
            });
        } else if !self.queue.is_empty() {
            let (epoll, all) = (&self.epoll, &self.bytes);
            let entries = self.queue.iter().map(|(id, bytes)| {
                let bytes = &all[bytes.clone()];
                opcode::Send::new(fd(epoll, *id), bytes.as_ptr(), bytes.len() as u32)
                    .flags(libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
                    .build()
            });
            // SAFETY: the bytes stay where they are until `submit` returns, which is after the
            // kernel is done with them.
            unsafe { submit(&mut self.ring, entries, &mut self.results)? };
        }
        for ((id, bytes), &result) in self.queue.drain(..).zip(&self.results) {
            let connection = &mut self.connections[id];
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
                connection.unsent.extend_from_slice(rest);
            }
        }
        self.bytes.clear();
        Ok(())
    }

    /// Sends what the socket did not take before; whether all of it has gone.
    fn send_rest(&mut self, id: usize) -> bool {
        let connection = &mut self.connections[id];
        match self.epoll.send(id, &connection.unsent) {
            Ok(sent) => {
                connection.unsent.drain(..sent);
            }
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
    fn read_ahead(&mut self, events: &[Event]) -> io::Result<()> {
        let is_pending = |id: &usize| self.connections[*id].read.is_some();
        if self.readers.iter().any(is_pending) {
            return Ok(());
        }
        self.readers.clear();
        let ready = events.iter().filter(|event| event.readable);
        let open = ready.filter(|event| self.connections[event.id].is_open);
        self.readers.extend(open.map(|event| event.id).take(BATCH));
        if self.readers.len() < 2 {
            return Ok(());
        }
        let epoll = &self.epoll;
        let pieces = self.pieces.chunks_exact_mut(PIECE);
        let entries = self.readers.iter().zip(pieces).map(|(&id, piece)| {
            opcode::Recv::new(fd(epoll, id), piece.as_mut_ptr(), PIECE as u32)
                .flags(libc::MSG_DONTWAIT)
                .build()
        });
        // SAFETY: each piece is written by one operation, and `submit` returns after all of them.
        unsafe { submit(&mut self.ring, entries, &mut self.results)? };
        for (k, (&id, &result)) in self.readers.iter().zip(&self.results).enumerate() {
            self.connections[id].read = Some(if result < 0 {
                Read::Failed(-result)
            } else {
                let length = result as usize;
                Read::Bytes {
                    at: k * PIECE..k * PIECE + length,
                    is_all: length < PIECE,
                }
            });
        }
        Ok(())
    }
}

fn fd(epoll: &Epoll, id: usize) -> types::Fd {
    // -1 fails as any descriptor that is closed.
    const NONE: RawFd = -1;
    types::Fd(epoll.descriptor(id).unwrap_or(NONE))
}

/// Has the kernel do these operations, [`BATCH`] at a time, and puts the result of each into
/// `results`, in their order: as the system call would return it, or the negative errno.
///
/// # Safety
/// What the operations point to must be valid until this returns, and must not be touched by
/// two of them unless both only read it. They must not be able to block.
unsafe fn submit(
    ring: &mut IoUring,
    entries: impl Iterator<Item = squeue::Entry>,
    results: &mut Vec<i32>,
) -> io::Result<()> {
    results.clear();
    let mut entries = entries.peekable();
    while entries.peek().is_some() {
        let first = results.len();
        let mut queue = ring.submission();
        let mut number = first;
        for entry in entries.by_ref().take(BATCH) {
            // SAFETY: as the caller promised. There is room: the queue is empty between batches.
            unsafe { queue.push(&entry.user_data(number as u64)) }.map_err(io::Error::other)?;
            number += 1;
        }
        drop(queue);
        results.resize(number, 0);
        let mut left = number - first;
        while left > 0 {
            match ring.submit_and_wait(left) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            for completion in ring.completion() {
                results[completion.user_data() as usize] = completion.result();
                left -= 1;
            }
        }
    }
    Ok(())
}

impl Net for Uring {
    #[inline]
    fn now_ns(&self) -> u64 {
        self.epoll.now_ns()
    }

    fn name(&self) -> &'static str {
        "io_uring"
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
        self.connections[id] = Connection::default();
        self.epoll.close(id);
    }

    #[inline]
    fn send(&mut self, id: usize, bytes: &[u8]) -> io::Result<usize> {
        if self.connections[id].is_queued || self.queue.len() == BATCH {
            // In their order, even if the socket takes only a part of the first.
            self.flush()?;
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
        // What cannot be sent now is tried, and told, by `wait`.
        let _ = self.flush();
        self.epoll.pause(ns);
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        self.flush()?;
        self.epoll.wait(deadline_ns, events)?;
        for event in events.iter_mut() {
            if event.writable && !self.connections[event.id].unsent.is_empty() {
                event.writable = self.send_rest(event.id);
            }
        }
        self.read_ahead(events)
    }
}
