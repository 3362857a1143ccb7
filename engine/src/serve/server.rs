//! One thread, one epoll instance, any protocol.

use super::lies::{stalled_for, Held, Told};
use super::signal::stop_signals;
use super::{Lies, Replies, Service, Traffic};
use crate::clock;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{sockopt, RecvFlags, SendFlags, SocketFlags};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

const READ_AT_ONCE: usize = 64 * 1024;
const EVENTS_AT_ONCE: usize = 256;
/// Also the bound of a request head and body together: whoever sends more is not a test.
const LONGEST_REQUEST: usize = 16 << 20;
const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;
const HANGUP: EventFlags = EventFlags::RDHUP
    .union(EventFlags::HUP)
    .union(EventFlags::ERR);

struct Client<C> {
    socket: OwnedFd,
    service: C,
    /// An unfinished request.
    input: Vec<u8>,
    /// Replies; what the socket would not take yet begins at `sent`.
    output: Vec<u8>,
    sent: usize,
    traffic: Traffic,
    answered: u64,
    /// When the last reply that is held back is due: replies keep their order.
    last_due_ns: u64,
    /// When the service is to be woken for this client, as far as a timer is set.
    alarm_ns: Option<u64>,
    /// Tells this connection from an earlier one with the same descriptor.
    generation: u64,
    closing: bool,
}

/// A held reply in the queue, or a service's own time: when, in which order, to whom.
type Timer = Reverse<(u64, u64, usize, u64)>;

struct Server<S: Service> {
    service: S,
    poll: OwnedFd,
    clients: Vec<Option<Client<S::Client>>>,
    replies: Replies,
    timers: BinaryHeap<Timer>,
    waiting: std::collections::HashMap<u64, Held>,
    buffer: Box<[u8]>,
    generation: u64,
    order: u64,
}

/// Serves until SIGTERM or SIGINT, and tells what was served. Says on stderr where it listens.
///
/// # Errors
/// The address cannot be listened on, or polling fails.
pub fn run<S: Service>(address: SocketAddr, service: S, lies: Lies) -> io::Result<Told> {
    let stop = stop_signals()?;
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
    let mut server = Server {
        service,
        poll,
        clients: Vec::new(),
        replies: Replies::new(lies),
        timers: BinaryHeap::new(),
        waiting: std::collections::HashMap::new(),
        buffer: vec![0; READ_AT_ONCE].into_boxed_slice(),
        generation: 0,
        order: 0,
    };
    eprintln!("listening on {}", listener.local_addr()?);
    server.serve(&listener)?;
    Ok(server.replies.told)
}

impl<S: Service> Server<S> {
    fn serve(&mut self, listener: &TcpListener) -> io::Result<()> {
        let started_ns = clock::now_ns();
        let stall = self.replies.lies().stall;
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS_AT_ONCE);
        loop {
            self.send_due();
            let timeout = self.timers.peek().map(|Reverse((due_ns, ..))| {
                clock::to_timespec(due_ns.saturating_sub(clock::now_ns()))
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
            self.replies.told.connections += 1;
            self.replies.turn_to(0);
            let service = self.service.client(&mut self.replies);
            let mut client = Client {
                socket,
                service,
                input: Vec::new(),
                output: Vec::new(),
                sent: 0,
                traffic: Traffic::default(),
                answered: 0,
                last_due_ns: 0,
                alarm_ns: None,
                generation: self.generation,
                closing: false,
            };
            if client.send(&mut self.replies.bytes, false) {
                self.clients[id] = Some(client);
            }
        }
    }

    /// Answers what has come; false once the connection is over.
    fn readable(&mut self, id: usize, hangup: bool) -> bool {
        let Some(Some(client)) = self.clients.get_mut(id) else {
            return true;
        };
        let slowly = self.replies.lies().byte_by_byte;
        if client.unsent() > 0 && !client.send(&mut Vec::new(), slowly) {
            return false;
        }
        loop {
            if client.unsent() > self.service.most_unsent() {
                // There is an event when the client has taken some.
                return true;
            }
            let n = match rustix::net::recv(&client.socket, &mut *self.buffer, RecvFlags::empty()) {
                Ok((_, 0)) => return false,
                Ok((_, n)) => n,
                Err(Errno::AGAIN) => return true,
                Err(Errno::INTR) => continue,
                Err(_) => return false,
            };
            if client.closing {
                continue;
            }
            client.traffic.bytes_in += n as u64;
            client.traffic.taken_before_last = client.traffic.bytes_out;
            self.replies.turn_to(client.answered);
            self.replies.now_ns = clock::now_ns();
            let bytes = &self.buffer[..n];
            let answered = if client.input.is_empty() {
                let answered = self
                    .service
                    .answer(&mut client.service, bytes, &mut self.replies);
                if let Ok(used) = answered {
                    client.input.extend_from_slice(&bytes[used..]);
                }
                answered
            } else {
                client.input.extend_from_slice(bytes);
                let service = &mut self.service;
                let answered =
                    service.answer(&mut client.service, &client.input, &mut self.replies);
                if let Ok(used) = answered {
                    client.input.drain(..used);
                }
                answered
            };
            client.answered = self.replies.answered;
            for mut held in self.replies.held.drain(..) {
                held.due_ns = held.due_ns.max(client.last_due_ns);
                client.last_due_ns = held.due_ns;
                client.closing |= held.last;
                self.order += 1;
                let timer = (held.due_ns, self.order, id, client.generation);
                self.timers.push(Reverse(timer));
                self.waiting.insert(self.order, held);
            }
            let alarm = client.alarm(self.service.due_ns(&client.service));
            if let Some(due_ns) = alarm {
                self.order += 1;
                let timer = (due_ns, self.order, id, client.generation);
                self.timers.push(Reverse(timer));
            }
            let sent = client.send(&mut self.replies.bytes, slowly);
            let over = self.replies.hung_up() && !client.closing;
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
        let slowly = self.replies.lies().byte_by_byte;
        while let Some(&Reverse((due_ns, order, id, generation))) = self.timers.peek() {
            if due_ns > clock::now_ns() {
                return;
            }
            self.timers.pop();
            let Some(mut held) = self.waiting.remove(&order) else {
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
        self.replies.turn_to(client.answered);
        self.replies.now_ns = clock::now_ns();
        self.service.expire(&mut client.service, &mut self.replies);
        if let Some(due_ns) = client.alarm(self.service.due_ns(&client.service)) {
            self.order += 1;
            let timer = (due_ns, self.order, id, generation);
            self.timers.push(Reverse(timer));
        }
        client.send(&mut self.replies.bytes, slowly)
    }

    fn close(&mut self, id: usize) {
        if let Some(client) = self.clients[id].take() {
            self.service.closed(client.service, client.traffic);
        }
    }
}

impl<C> Client<C> {
    /// Bytes that wait to be sent.
    fn unsent(&self) -> usize {
        self.output.len() - self.sent
    }

    /// The time for which a timer has to be set, if none rings as early.
    #[inline]
    fn alarm(&mut self, due_ns: Option<u64>) -> Option<u64> {
        let due_ns = due_ns?;
        if self.alarm_ns.is_some_and(|alarm_ns| alarm_ns <= due_ns) {
            return None;
        }
        self.alarm_ns = Some(due_ns);
        Some(due_ns)
    }

    /// Sends `bytes` behind what waits, and empties it; false if the connection broke.
    fn send(&mut self, bytes: &mut Vec<u8>, slowly: bool) -> bool {
        let fresh = self.unsent() == 0;
        if !fresh {
            self.output.append(bytes);
        }
        let all = if fresh {
            &*bytes
        } else {
            &self.output[self.sent..]
        };
        let at_once = if slowly { 1 } else { all.len().max(1) };
        let mut sent = 0;
        for piece in all.chunks(at_once) {
            match rustix::net::send(&self.socket, piece, SendFlags::NOSIGNAL) {
                Ok(n) => {
                    sent += n;
                    if n < piece.len() {
                        break;
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(_) => return false,
            }
        }
        self.traffic.bytes_out += sent as u64;
        if !fresh {
            self.sent += sent;
        } else if sent < bytes.len() {
            self.output.clear();
            self.output.extend_from_slice(&bytes[sent..]);
            self.sent = 0;
        }
        // What is sent is dropped when it is most of it: each byte moves once at most.
        if self.sent * 2 >= self.output.len() {
            self.output.drain(..self.sent);
            self.sent = 0;
        }
        let unsent = self.unsent() as u64;
        self.traffic.unsent_max = self.traffic.unsent_max.max(unsent);
        bytes.clear();
        true
    }
}
