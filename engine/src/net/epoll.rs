//! Stream sockets over epoll: every socket is registered once, edge-triggered, for everything. There is
//! no epoll_ctl for a request, only for a connection.

use super::address::Address;
use super::{Event, Net};
use crate::clock;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{sockopt, RecvFlags, SendFlags};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Events fetched with one system call.
const EVENTS_AT_ONCE: usize = 256;

pub struct Epoll {
    epoll: OwnedFd,
    address: Address,
    sockets: Vec<Option<OwnedFd>>,
}

impl Epoll {
    /// # Errors
    /// No epoll instance could be made (too many open files).
    pub fn new(address: Address, connections: usize) -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            address,
            sockets: (0..connections).map(|_| None).collect(),
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
        let (socket, at_once) = self.address.connect()?;
        epoll::add(
            &self.epoll,
            &socket,
            EventData::new_u64(id as u64),
            EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET,
        )?;
        self.sockets[id] = Some(socket);
        Ok(at_once)
    }

    fn connected(&mut self, id: usize) -> io::Result<bool> {
        sockopt::socket_error(self.socket(id)?)??;
        Ok(true)
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
        let timeout = clock::to_timespec(deadline_ns.saturating_sub(clock::now_ns()));
        // On the stack, as rustix's event is not `Send`; not initialised, so at no cost.
        let mut raw = [MaybeUninit::uninit(); EVENTS_AT_ONCE];
        let raw = match epoll::wait(&self.epoll, &mut raw, Some(&timeout)) {
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
