//! One client: its socket, and what is half read or half sent.

use crate::serve::{Refused, Replies, Service, Traffic};
use rustix::io::Errno;
use rustix::net::SendFlags;
use std::os::fd::OwnedFd;

pub struct Client<C> {
    pub socket: OwnedFd,
    pub service: C,
    /// An unfinished request.
    pub input: Vec<u8>,
    /// Replies; what the socket would not take yet begins at `sent`.
    output: Vec<u8>,
    sent: usize,
    pub traffic: Traffic,
    pub answered: u64,
    /// When the last reply that is held back is due: replies keep their order.
    pub last_due_ns: u64,
    /// When the service is to be woken for this client, as far as a timer is set.
    pub alarm_ns: Option<u64>,
    /// Tells this connection from an earlier one with the same descriptor.
    pub generation: u64,
    pub closing: bool,
}

impl<C> Client<C> {
    pub fn new(socket: OwnedFd, service: C, generation: u64) -> Self {
        Self {
            socket,
            service,
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
            traffic: Traffic::default(),
            answered: 0,
            last_due_ns: 0,
            alarm_ns: None,
            generation,
            closing: false,
        }
    }

    /// Has the bytes that came answered, and keeps what is not a whole request yet.
    #[inline]
    pub fn answer<S: Service<Client = C>>(
        &mut self,
        service: &mut S,
        bytes: &[u8],
        replies: &mut Replies,
    ) -> Result<(), Refused> {
        if self.input.is_empty() {
            let used = service.answer(&mut self.service, bytes, replies)?;
            self.input.extend_from_slice(&bytes[used..]);
        } else {
            self.input.extend_from_slice(bytes);
            let used = service.answer(&mut self.service, &self.input, replies)?;
            self.input.drain(..used);
        }
        Ok(())
    }

    /// Bytes that wait to be sent.
    pub fn unsent(&self) -> usize {
        self.output.len() - self.sent
    }

    /// The time for which a timer has to be set, if none rings as early.
    #[inline]
    pub fn alarm(&mut self, due_ns: Option<u64>) -> Option<u64> {
        let due_ns = due_ns?;
        if self.alarm_ns.is_some_and(|alarm_ns| alarm_ns <= due_ns) {
            return None;
        }
        self.alarm_ns = Some(due_ns);
        Some(due_ns)
    }

    /// Sends `bytes` behind what waits, and empties it; false if the connection broke.
    pub fn send(&mut self, bytes: &mut Vec<u8>, slowly: bool) -> bool {
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
