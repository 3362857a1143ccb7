//! Stream sockets over epoll: every socket is registered once, edge-triggered, for everything. There is
//! no epoll_ctl for a request, only for a connection.

use super::address::Address;
use super::{Event, Net};
use crate::clock;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{sockopt, RecvFlags, SendFlags, Shutdown};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

/// Events fetched with one system call: all that come in the longest pause of `--coalesce auto`.
const EVENTS_AT_ONCE: usize = 512;

pub struct Epoll {
    epoll: OwnedFd,
    address: Address,
    sockets: Vec<Option<OwnedFd>>,
    /// Whether arrivals are told by the kernel's receive timestamps.
    stamped: bool,
    arrived_ns: Option<u64>,
    /// CLOCK_REALTIME less CLOCK_MONOTONIC at the last wait.
    real_offset_ns: u64,
}

impl Epoll {
    /// # Errors
    /// No epoll instance could be made (too many open files).
    pub fn new(address: Address, connections: usize, stamped: bool) -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            address,
            sockets: (0..connections).map(|_| None).collect(),
            stamped,
            arrived_ns: None,
            real_offset_ns: 0,
        })
    }

    /// The file descriptor of a socket.
    pub(super) fn descriptor(&self, id: usize) -> Option<RawFd> {
        self.sockets[id].as_ref().map(AsRawFd::as_raw_fd)
    }

    /// Ends a connection so that there is an event for it.
    pub(super) fn hang_up(&self, id: usize) {
        if let Some(socket) = &self.sockets[id] {
            // It may be at its end already, which is what is wanted.
            let _ = rustix::net::shutdown(socket, Shutdown::Both);
        }
    }

    fn socket(&self, id: usize) -> io::Result<&OwnedFd> {
        self.sockets[id]
            .as_ref()
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))
    }
}

impl Net for Epoll {
    #[inline]
    fn now_ns(&self) -> u64 {
        clock::now_ns()
    }

    fn name(&self) -> &'static str {
        "epoll"
    }

    fn connect(&mut self, id: usize) -> io::Result<bool> {
        let (socket, at_once) = self.address.connect(id)?;
        if self.stamped {
            super::stamped::enable(socket.as_fd())?;
        }
        epoll::add(
            &self.epoll,
            &socket,
            EventData::new_u64(id as u64),
            EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET,
        )?;
        if at_once {
            self.address.check_peer(&socket)?;
        }
        self.sockets[id] = Some(socket);
        Ok(at_once)
    }

    fn connected(&mut self, id: usize) -> io::Result<bool> {
        let socket = self.socket(id)?;
        sockopt::socket_error(socket)??;
        self.address.check_peer(socket)?;
        Ok(true)
    }

    fn events_at_once(&self) -> usize {
        EVENTS_AT_ONCE
    }

    fn close(&mut self, id: usize) {
        self.sockets[id] = None;
    }

    #[inline]
    fn send(&mut self, id: usize, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::net::send(
            self.socket(id)?,
            bytes,
            SendFlags::NOSIGNAL,
        )?)
    }

    #[inline]
    fn recv(&mut self, id: usize, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stamped {
            let (received, stamp_ns) = super::stamped::recv(self.socket(id)?.as_fd(), buffer)?;
            self.arrived_ns = stamp_ns.map(|ns| ns.wrapping_sub(self.real_offset_ns));
            return Ok(received);
        }
        let (_, received) = rustix::net::recv(self.socket(id)?, buffer, RecvFlags::empty())?;
        Ok(received)
    }

    #[inline]
    fn arrived_ns(&self) -> Option<u64> {
        self.arrived_ns
    }

    fn pause(&mut self, ns: u64) {
        std::thread::sleep(std::time::Duration::from_nanos(ns));
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        events.clear();
        let timeout = clock::to_timespec(deadline_ns.saturating_sub(clock::now_ns()));
        // On the stack, as rustix's event is not `Send`; not initialised, so at no cost.
        let mut raw = [MaybeUninit::uninit(); EVENTS_AT_ONCE];
        let waited = epoll::wait(&self.epoll, &mut raw, Some(&timeout));
        if self.stamped {
            self.real_offset_ns = clock::real_offset_ns();
        }
        let raw = match waited {
            Ok((raw, _)) => raw,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        events.extend(raw.iter().map(|event| {
            let flags = event.flags;
            let hangup = EventFlags::HUP | EventFlags::RDHUP | EventFlags::ERR;
            Event {
                id: event.data.u64() as usize,
                readable: flags.intersects(EventFlags::IN | hangup),
                hangup: flags.intersects(hangup),
                writable: flags.intersects(EventFlags::OUT | hangup),
            }
        }));
        Ok(())
    }
}
