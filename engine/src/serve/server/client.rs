//! One client: its socket, and what is half read or half sent.

use crate::net::send_buffer::SendBuffer;
use crate::serve::{ConnectionTraffic, Refused, Responder, Service};
use rustix::io::Errno;
use rustix::net::SendFlags;
use std::os::fd::OwnedFd;

pub struct ClientSocket<C> {
    pub socket: OwnedFd,
    pub service: C,
    /// An unfinished request.
    pub input: Vec<u8>,
    /// Replies that the socket would not take yet.
    unsent: SendBuffer,
    pub traffic: ConnectionTraffic,
    pub answered: u64,
    /// When the last reply that is held back is due: replies keep their order.
    pub last_due_ns: u64,
    /// When the service is to be woken for this client, as far as a timer is set.
    pub alarm_ns: Option<u64>,
    /// Tells this connection from an earlier one with the same descriptor.
    pub generation: u64,
    pub closing: bool,
}

impl<C> ClientSocket<C> {
    pub fn new(socket: OwnedFd, service: C, generation: u64) -> Self {
        Self {
            socket,
            service,
            input: Vec::new(),
            unsent: SendBuffer::default(),
            traffic: ConnectionTraffic::default(),
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
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        if self.input.is_empty() {
            let used = service.answer(&mut self.service, bytes, responder)?;
            self.input.extend_from_slice(&bytes[used..]);
        } else {
            self.input.extend_from_slice(bytes);
            let used = service.answer(&mut self.service, &self.input, responder)?;
            self.input.drain(..used);
        }
        Ok(())
    }

    /// Bytes that wait to be sent.
    pub fn unsent(&self) -> usize {
        self.unsent.len()
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
        let is_fresh = self.unsent.is_empty();
        if !is_fresh {
            self.unsent.push(bytes);
        }
        let all = if is_fresh {
            bytes.as_slice()
        } else {
            self.unsent.pending()
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
        if !is_fresh {
            self.unsent.advance(sent);
        } else if sent < bytes.len() {
            self.unsent.push(&bytes[sent..]);
        }
        let unsent = self.unsent() as u64;
        self.traffic.unsent_max = self.traffic.unsent_max.max(unsent);
        bytes.clear();
        true
    }
}
