//! TCP over epoll: every socket is registered once, edge-triggered, for everything. There is
//! no epoll_ctl for a request, only for a connection.

use super::{Event, Net};
use crate::clock;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{sockopt, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

/// Events fetched with one system call.
const EVENTS_AT_ONCE: usize = 256;

pub struct Epoll {
    epoll: OwnedFd,
    address: SocketAddr,
    sockets: Vec<Option<OwnedFd>>,
    raw: Vec<epoll::Event>,
}

impl Epoll {
    /// # Errors
    /// No epoll instance could be made (too many open files).
    pub fn new(address: SocketAddr, connections: usize) -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            address,
            sockets: (0..connections).map(|_| None).collect(),
            raw: Vec::with_capacity(EVENTS_AT_ONCE),
        })
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

    fn connect(&mut self, id: usize) -> io::Result<bool> {
        let family = match self.address {
            SocketAddr::V4(_) => AddressFamily::INET,
            SocketAddr::V6(_) => AddressFamily::INET6,
        };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        let at_once = match rustix::net::connect(&socket, &self.address) {
            Ok(()) => true,
            Err(Errno::INPROGRESS) => false,
            Err(error) => return Err(error.into()),
        };
        epoll::add(
            &self.epoll,
            &socket,
            EventData::new_u64(id as u64),
            EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET,
        )?;
        self.sockets[id] = Some(socket);
        Ok(at_once)
    }

    fn connected(&mut self, id: usize) -> io::Result<()> {
        Ok(sockopt::socket_error(self.socket(id)?)??)
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
        let (_, received) = rustix::net::recv(self.socket(id)?, buffer, RecvFlags::empty())?;
        Ok(received)
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        events.clear();
        self.raw.clear();
        let timeout = clock::to_timespec(deadline_ns.saturating_sub(clock::now_ns()));
        let spare = rustix::buffer::spare_capacity(&mut self.raw);
        match epoll::wait(&self.epoll, spare, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        events.extend(self.raw.iter().map(|event| {
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
