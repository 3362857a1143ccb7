//! One thread, one epoll instance, any protocol.

mod client;
mod timers;

use self::client::ClientSocket;
use self::timers::{Due, Timers};
use super::faults::{stalled_for, Served};
use super::{Faults, Responder, Service};
use crate::clock;
use crate::net::stamped;
use crate::signals::stop_signals;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{sockopt, RecvFlags, SocketFlags};
use std::io::{self, ErrorKind::Interrupted, ErrorKind::WouldBlock};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

const READ_AT_ONCE: usize = 64 * 1024;
const EVENTS_AT_ONCE: usize = 256;
/// Also the bound of a request head and body together: whoever sends more is not a test.
const LONGEST_REQUEST: usize = 16 << 20;
/// An idle core takes about so long to wake up, on a virtual machine too: for a reply that is
/// held back the server wakes up so much before its time and stays awake.
const EARLY_NS: u64 = 60_000;
const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;
const HANGUP: EventFlags = EventFlags::RDHUP
    .union(EventFlags::HUP)
    .union(EventFlags::ERR);

struct Server<S: Service> {
    service: S,
    poll: OwnedFd,
    clients: Vec<Option<ClientSocket<S::Client>>>,
    responder: Responder,
    /// Responder are held back: from the arrival of the request by the kernel's clock, to the
    /// microsecond. Else a delay would be one of this server's own wake-ups too.
    is_exact: bool,
    timers: Timers,
    buffer: Box<[u8]>,
    /// Of the newest connection.
    generation: u64,
}

/// Serves until SIGTERM or SIGINT, and tells what was served. Says on stderr where it listens.
///
/// # Errors
/// The address cannot be listened on, or polling fails.
pub fn run<S: Service>(address: SocketAddr, service: S, faults: Faults) -> io::Result<Served> {
    let stop = stop_signals()?;
    // Responder that are held back go out when they are due.
    clock::exact_timers();
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let poll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(
        &poll,
        &listener,
        EventData::new_u64(LISTENER),
        EventFlags::IN,
    )?;
    epoll::add(&poll, &stop, EventData::new_u64(SIGNALS), EventFlags::IN)?;
    let responder = Responder::new(faults);
    let mut server = Server {
        service,
        poll,
        clients: Vec::new(),
        is_exact: S::HOLDS_REPLIES || responder.are_held(),
        responder,
        timers: Timers::default(),
        buffer: vec![0; READ_AT_ONCE].into_boxed_slice(),
        generation: 0,
    };
    eprintln!("listening on {}", listener.local_addr()?);
    server.serve(&listener)?;
    Ok(server.responder.served)
}

impl<S: Service> Server<S> {
    fn serve(&mut self, listener: &TcpListener) -> io::Result<()> {
        let started_ns = clock::now_ns();
        let stall = self.responder.faults().stall;
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS_AT_ONCE);
        let early_ns = if self.is_exact { EARLY_NS } else { 0 };
        loop {
            self.timers.await_next(early_ns);
            self.send_due();
            let timeout = self.timers.next_ns().map(|due_ns| {
                clock::to_timespec(due_ns.saturating_sub(clock::now_ns() + early_ns))
            });
            events.clear();
            let spare = rustix::buffer::spare_capacity(&mut events);
            match epoll::wait(&self.poll, spare, timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in &events {
                if let Some(stall) = stall {
                    let since_start = Duration::from_nanos(clock::now_ns() - started_ns);
                    if let Some(rest) = stalled_for(stall, since_start) {
                        std::thread::sleep(rest);
                    }
                }
                match event.data.u64() {
                    SIGNALS => return Ok(()),
                    LISTENER => self.accept(listener),
                    id => {
                        // The event is packed: its flags are copied out.
                        let flags = event.flags;
                        let hangup = flags.intersects(HANGUP);
                        if !self.readable(id as usize, hangup) {
                            self.close(id as usize);
                        }
                    }
                }
            }
        }
    }

    /// Takes every connection that waits. One that breaks on the way is nobody's concern.
    fn accept(&mut self, listener: &TcpListener) {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        while let Ok(socket) = rustix::net::accept_with(listener, flags) {
            let _ = sockopt::set_tcp_nodelay(&socket, true);
            if self.is_exact && stamped::enable(socket.as_fd()).is_err() {
                continue;
            }
            if let Some(bytes) = S::SEND_BUFFER {
                let _ = sockopt::set_socket_send_buffer_size(&socket, bytes);
            }
            let id = socket.as_raw_fd() as usize;
            let edge = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
            if epoll::add(&self.poll, &socket, EventData::new_u64(id as u64), edge).is_err() {
                continue;
            }
            if self.clients.len() <= id {
                self.clients.resize_with(id + 1, || None);
            }
            self.generation += 1;
            self.responder.served.connections += 1;
            self.responder.turn_to(0);
            let service = self.service.client(&mut self.responder);
            let mut client = ClientSocket::new(socket, service, self.generation);
            if client.send(&mut self.responder.bytes, false) {
                self.clients[id] = Some(client);
            }
        }
    }

    /// Answers what has come; false once the connection is over.
    fn readable(&mut self, id: usize, hangup: bool) -> bool {
        let Some(Some(client)) = self.clients.get_mut(id) else {
            return true;
        };
        let slowly = self.responder.faults().byte_by_byte;
        if client.unsent() > 0 && !client.send(&mut Vec::new(), slowly) {
            return false;
        }
        loop {
            if client.unsent() > self.service.most_unsent() {
                // There is an event when the client has taken some.
                return true;
            }
            let (n, arrived_ns) = match recv(&client.socket, &mut self.buffer, self.is_exact) {
                Ok((0, _)) => return false,
                Ok(received) => received,
                Err(error) if error.kind() == WouldBlock => return true,
                Err(error) if error.kind() == Interrupted => continue,
                Err(_) => return false,
            };
            if client.closing {
                continue;
            }
            client.traffic.bytes_in += n as u64;
            client.traffic.taken_before_last = client.traffic.bytes_out;
            self.responder.turn_to(client.answered);
            self.responder.now_ns = arrived_ns;
            let bytes = &self.buffer[..n];
            let answered = client.answer(&mut self.service, bytes, &mut self.responder);
            client.answered = self.responder.answered;
            for mut held in self.responder.held.drain(..) {
                held.due_ns = held.due_ns.max(client.last_due_ns);
                client.last_due_ns = held.due_ns;
                client.closing |= held.last;
                self.timers.hold(held, id, client.generation);
            }
            if let Some(due_ns) = client.alarm(self.service.due_ns(&client.service)) {
                self.timers.wake(due_ns, id, client.generation);
            }
            let sent = client.send(&mut self.responder.bytes, slowly);
            let over = self.responder.hung_up() && !client.closing;
            if !sent || answered.is_err() || over || client.input.len() > LONGEST_REQUEST {
                return false;
            }
            // A short read has emptied the socket (epoll(7)), unless its end is there.
            if n < self.buffer.len() && !hangup {
                return true;
            }
        }
    }

    /// Sends the replies whose time has come, and wakes the service where it asked to be.
    fn send_due(&mut self) {
        let slowly = self.responder.faults().byte_by_byte;
        while let Some(Due {
            id,
            generation,
            held,
        }) = self.timers.pop_due()
        {
            let Some(mut held) = held else {
                if !self.expire(id, generation, slowly) {
                    self.close(id);
                }
                continue;
            };
            let Some(Some(client)) = self.clients.get_mut(id) else {
                continue;
            };
            if client.generation == generation {
                let sent = client.send(&mut held.bytes, slowly);
                if !sent || held.last {
                    self.close(id);
                }
            }
        }
    }

    /// Wakes the service for a client; false if the connection broke.
    fn expire(&mut self, id: usize, generation: u64, slowly: bool) -> bool {
        let Some(Some(client)) = self.clients.get_mut(id) else {
            return true;
        };
        if client.generation != generation {
            return true;
        }
        client.alarm_ns = None;
        self.responder.turn_to(client.answered);
        self.responder.now_ns = clock::now_ns();
        self.service
            .expire(&mut client.service, &mut self.responder);
        if let Some(due_ns) = client.alarm(self.service.due_ns(&client.service)) {
            self.timers.wake(due_ns, id, generation);
        }
        client.send(&mut self.responder.bytes, slowly)
    }

    fn close(&mut self, id: usize) {
        if let Some(client) = self.clients[id].take() {
            self.service.closed(client.service, client.traffic);
        }
    }
}

/// Reads what is there, and when it came: by the kernel's stamp, or now.
#[inline]
fn recv(socket: &OwnedFd, buffer: &mut [u8], is_stamped: bool) -> io::Result<(usize, u64)> {
    if is_stamped {
        let (n, stamp_ns) = stamped::recv(socket.as_fd(), buffer)?;
        let arrived_ns = stamp_ns.map(|ns| ns.wrapping_sub(clock::real_offset_ns()));
        let now_ns = clock::now_ns();
        return Ok((n, arrived_ns.map_or(now_ns, |ns| ns.min(now_ns))));
    }
    let (_, n) = rustix::net::recv(socket, buffer, RecvFlags::empty())?;
    Ok((n, clock::now_ns()))
}
