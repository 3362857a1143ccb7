//! TLS between the load loop and the sockets, by rustls.

use super::{Event, Net};
use rustls::{ClientConnection, HandshakeKind};
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

mod config;

pub use config::{TlsPlan, TlsSpec, Trust};

/// [`Net`] over another one, encrypted.
pub struct Tls<N: Net> {
    inner: N,
    plan: TlsPlan,
    sessions: Vec<Option<Session>>,
    handshakes: Handshakes,
}

struct Session {
    tls: ClientConnection,
    /// The socket below is connected, and the handshake has begun.
    begun: bool,
}

impl<N: Net> Tls<N> {
    pub fn new(inner: N, plan: &TlsPlan, connections: usize) -> Self {
        Self {
            inner,
            plan: plan.clone(),
            sessions: (0..connections).map(|_| None).collect(),
            handshakes: Handshakes::default(),
        }
    }

    /// The session of `id` and what it reads from and writes to.
    fn parts(&mut self, id: usize) -> io::Result<(&mut Session, Pipe<'_, N>)> {
        let session = self.sessions[id].as_mut().ok_or(ErrorKind::NotConnected)?;
        let pipe = Pipe {
            net: &mut self.inner,
            id,
        };
        Ok((session, pipe))
    }

    fn handshake(&mut self, id: usize) -> io::Result<bool> {
        let (session, mut pipe) = self.parts(id)?;
        let tls = &mut session.tls;
        while tls.is_handshaking() {
            write_out(tls, &mut pipe)?;
            if !tls.is_handshaking() {
                break;
            }
            match tls.read_tls(&mut pipe) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
            if let Err(error) = tls.process_new_packets() {
                // The peer is told why, if it still listens.
                let _ = tls.write_tls(&mut pipe);
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
        write_out(tls, &mut pipe)?;
        let (agreed, kind) = (
            tls.alpn_protocol().map(<[u8]>::to_vec),
            tls.handshake_kind(),
        );
        self.handshakes.count(kind);
        match self.plan.must_agree_on {
            Some(protocol) if agreed.as_deref() != Some(protocol) => Err(io::Error::new(
                ErrorKind::InvalidData,
                "the server did not agree on HTTP/2 (ALPN)",
            )),
            _ => Ok(true),
        }
    }
}

/// Handshakes that were completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Handshakes {
    pub full: u64,
    /// Those that took up the session of an earlier connection.
    pub resumed: u64,
}

impl Handshakes {
    fn count(&mut self, kind: Option<HandshakeKind>) {
        *match kind {
            Some(HandshakeKind::Resumed) => &mut self.resumed,
            _ => &mut self.full,
        } += 1;
    }

    pub fn add(&mut self, other: &Self) {
        self.full += other.full;
        self.resumed += other.resumed;
    }
}

/// Sends what the session has to send, as far as there is room.
fn write_out<N: Net>(tls: &mut ClientConnection, pipe: &mut Pipe<'_, N>) -> io::Result<()> {
    while tls.wants_write() {
        match tls.write_tls(pipe) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// One connection of the net below, as a stream.
struct Pipe<'a, N: Net> {
    net: &'a mut N,
    id: usize,
}

impl<N: Net> Read for Pipe<'_, N> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.net.recv(self.id, buffer)
    }
}

impl<N: Net> Write for Pipe<'_, N> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.net.send(self.id, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<N: Net> Net for Tls<N> {
    fn now_ns(&self) -> u64 {
        self.inner.now_ns()
    }

    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn connect(&mut self, id: usize) -> io::Result<bool> {
        let (config, server) = (Arc::clone(&self.plan.config), self.plan.server.clone());
        let tls = ClientConnection::new(config, server)
            .map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))?;
        let begun = self.inner.connect(id)?;
        self.sessions[id] = Some(Session { tls, begun });
        if begun {
            return self.handshake(id);
        }
        Ok(false)
    }

    fn connected(&mut self, id: usize) -> io::Result<bool> {
        let begun = self.sessions[id]
            .as_ref()
            .is_some_and(|session| session.begun);
        if !begun {
            if !self.inner.connected(id)? {
                return Ok(false);
            }
            if let Some(session) = &mut self.sessions[id] {
                session.begun = true;
            }
        }
        self.handshake(id)
    }

    fn close(&mut self, id: usize) {
        self.sessions[id] = None;
        self.inner.close(id);
    }

    fn send(&mut self, id: usize, bytes: &[u8]) -> io::Result<usize> {
        let (session, mut pipe) = self.parts(id)?;
        // Ciphertext that the socket does not take waits in the session, up to its own limit. As
        // long as the socket takes it all there will be no event, so it has to go on here.
        let mut taken = 0;
        loop {
            taken += session.tls.writer().write(&bytes[taken..])?;
            write_out(&mut session.tls, &mut pipe)?;
            if taken == bytes.len() || session.tls.wants_write() {
                break;
            }
        }
        if taken == 0 && !bytes.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(taken)
    }

    fn recv(&mut self, id: usize, buffer: &mut [u8]) -> io::Result<usize> {
        let (session, mut pipe) = self.parts(id)?;
        let tls = &mut session.tls;
        loop {
            match tls.reader().read(buffer) {
                Ok(n) => return Ok(n),
                // Without a close_notify (UnexpectedEof) what came may be a part of more.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            // An end of the stream shows at the next look into the reader.
            tls.read_tls(&mut pipe)?;
            tls.process_new_packets()
                .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            write_out(tls, &mut pipe)?;
        }
    }

    fn handshakes(&self) -> Option<Handshakes> {
        Some(self.handshakes)
    }

    fn events_at_once(&self) -> usize {
        self.inner.events_at_once()
    }

    fn writable(&mut self, id: usize) -> io::Result<()> {
        let (session, mut pipe) = self.parts(id)?;
        write_out(&mut session.tls, &mut pipe)
    }

    fn arrived_ns(&self) -> Option<u64> {
        self.inner.arrived_ns()
    }

    fn pause(&mut self, ns: u64) {
        self.inner.pause(ns);
    }

    fn short_read_empties(&self) -> bool {
        false
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        self.inner.wait(deadline_ns, events)
    }
}
