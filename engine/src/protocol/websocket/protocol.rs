//! WebSocket as the load loop drives it.

use super::frame::{self, Malformed, Opcode};
use super::in_flight::InFlight;
use super::reader::{Kind, Progress, Reader, Said};
use super::{handshake, Asides, WebSocket, WebSocketConnection};
use crate::protocol::asked::Asked;
use crate::protocol::http::Request;
use crate::protocol::{ErrorKind, Failure, Protocol, Reply, Slot};

/// Longest reply that is remembered to be compared as it stands.
const LONGEST_KNOWN: usize = 4 * 1024;

/// The code of a connection that has done what it was for.
const NORMAL: u16 = 1000;

impl Protocol for WebSocket {
    type Connection = WebSocketConnection;

    const HAS_ASIDES: bool = true;

    fn seed(&mut self, seed: u64) {
        self.mix.seed(seed);
        self.seed = seed;
    }

    fn share_rows(&mut self, worker: u64, workers: u64) {
        Request::share_rows(&mut self.messages, worker, workers);
    }

    fn request_of(&self, sequence: u64) -> u32 {
        self.mix.pick(sequence)
    }

    fn prepare(&mut self, token: &str) {
        self.prepare_with(token, self.seed);
    }

    fn connect(&mut self, depth: u32, output: &mut Vec<u8>) -> WebSocketConnection {
        let key = handshake::key([self.random.next_u64(), self.random.next_u64()]);
        self.upgrade.write(self.connections, output);
        self.connections += 1;
        output.extend_from_slice(key.as_bytes());
        output.extend_from_slice(b"\r\n\r\n");
        WebSocketConnection {
            in_flight: InFlight::new(depth, self.prepared.has_id()),
            reader: Reader::default(),
            accept: Some(handshake::accept(&key)),
            held: Vec::new(),
            messages: 0,
            ping: None,
            is_closing: false,
        }
    }

    fn ready(&self, connection: &WebSocketConnection) -> bool {
        connection.accept.is_none()
    }

    #[inline]
    fn room(&self, connection: &WebSocketConnection) -> u32 {
        match connection.accept.is_some() || connection.is_closing {
            true => 0,
            false => u32::MAX,
        }
    }

    #[inline]
    fn is_draining(&self, connection: &WebSocketConnection) -> bool {
        connection.is_closing
    }

    #[inline]
    fn request(
        &mut self,
        connection: &mut WebSocketConnection,
        slot: Slot,
        sequence: u64,
        output: &mut Vec<u8>,
    ) {
        let id = self.prepared.id_of(sequence);
        connection.in_flight.push(id.as_ref(), (slot, sequence));
        connection.messages += 1;
        let is_upgraded = connection.accept.is_none();
        if let (Some(every), true, None) = (self.ping, is_upgraded, connection.ping) {
            if connection.messages % every == 0 {
                let payload = connection.messages.to_be_bytes();
                frame::write(Opcode::Ping, &payload, Some(self.next_key()), output);
                connection.ping = Some(connection.messages);
                self.asides.pinged = true;
            }
        }
        let key = self.next_key();
        let request = self.mix.pick(sequence);
        let (opcode, payload) = self.prepared.message(request);
        let payload = payload.rendered(sequence, &mut self.scratch);
        // A connection that replaces another one has messages before it is upgraded.
        let output = match is_upgraded {
            true => output,
            false => &mut connection.held,
        };
        frame::write(opcode, payload, Some(key), output);
    }

    #[inline]
    fn match_cached(
        &mut self,
        connection: &mut WebSocketConnection,
        input: &[u8],
        right: &mut impl FnMut(Slot, u16),
    ) -> usize {
        let InFlight::InOrder(in_flight) = &mut connection.in_flight else {
            return 0;
        };
        if connection.reader.begun() || connection.is_closing || connection.accept.is_some() {
            return 0;
        }
        let n = self.known.recognise(input, in_flight.len());
        in_flight.pop_many(n, |slot, _| right(slot, 0));
        n * self.known.len()
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut WebSocketConnection,
        input: &[u8],
        output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<usize, Failure> {
        let mut at = 0;
        if let Some(accept) = &connection.accept {
            let Some(used) = handshake::answer(input, accept, &self.subprotocols)? else {
                return Ok(0);
            };
            connection.accept = None;
            output.append(&mut connection.held);
            self.asides.upgraded = true;
            at = used;
        }
        while at < input.len() {
            if connection.is_closing {
                // Nothing counts that comes behind a close frame (section 5.5.1).
                return Ok(input.len());
            }
            let rest = &input[at..];
            let is_whole = !connection.reader.begun();
            match connection.reader.next(rest)? {
                Progress::More(used) => return Ok(at + used),
                Progress::Said(used, said) => {
                    at += used;
                    match said {
                        Said::Message(kind, bytes) => {
                            let in_flight = &mut connection.in_flight;
                            let reply = self.reply(in_flight, kind, bytes)?;
                            let is_right = |reply: &Reply| reply.failure.is_none();
                            let may_repeat = is_whole && used <= LONGEST_KNOWN;
                            if may_repeat && reply.as_ref().is_some_and(is_right) {
                                self.keep(&rest[..used]);
                            }
                            reply.into_iter().for_each(&mut *replies);
                        }
                        Said::Ping(payload) => {
                            frame::write(Opcode::Pong, payload, Some(self.next_key()), output);
                        }
                        Said::Pong(payload) => {
                            let number = connection.ping.map(u64::to_be_bytes);
                            // Any other is a sign of life that nobody asked for (section 5.5.3).
                            if number.is_some_and(|number| number == *payload) {
                                connection.ping = None;
                                self.asides.ponged = true;
                            }
                        }
                        Said::Close(code, reason) => {
                            connection.is_closing = true;
                            let code = code.unwrap_or(NORMAL);
                            let payload = code.to_be_bytes();
                            frame::write(Opcode::Close, &payload, Some(self.next_key()), output);
                            let message = format!("the server closed: {code} {reason}");
                            let failure = Failure::new(ErrorKind::Status, message.trim_end());
                            for (slot, _) in connection.in_flight.take_all() {
                                replies(Reply {
                                    slot,
                                    status: code,
                                    failure: Some(failure.clone()),
                                });
                            }
                        }
                    }
                }
            }
        }
        Ok(at)
    }

    fn begun(&self, connection: &WebSocketConnection, slot: Slot, unused: usize) -> bool {
        let is_next = match &connection.in_flight {
            InFlight::InOrder(in_flight) => in_flight.is_next(slot),
            // Which of them it is, is known at its end.
            InFlight::ById(_) => false,
        };
        connection.accept.is_none() && is_next && (unused > 0 || connection.reader.begun())
    }

    fn abandon(
        &mut self,
        connection: &mut WebSocketConnection,
        slot: Slot,
        _output: &mut Vec<u8>,
    ) -> bool {
        connection.accept.is_none() && connection.in_flight.forget(slot)
    }

    fn asides(&mut self) -> Asides {
        std::mem::take(&mut self.asides)
    }

    fn goodbye(&mut self, connection: &mut WebSocketConnection, output: &mut Vec<u8>) {
        if connection.accept.is_none() && !connection.is_closing {
            connection.is_closing = true;
            let payload = NORMAL.to_be_bytes();
            frame::write(Opcode::Close, &payload, Some(self.next_key()), output);
        }
    }
}

impl WebSocket {
    /// A message as the reply that it is; `None` if it belongs to no request.
    #[inline]
    fn reply(
        &mut self,
        in_flight: &mut InFlight,
        kind: Kind,
        bytes: &[u8],
    ) -> Result<Option<Reply>, Failure> {
        let sent = match in_flight {
            InFlight::InOrder(in_flight) => in_flight.pop(),
            InFlight::ById(_) => None,
        };
        if let Some((slot, sequence)) = sent {
            let asked = self.asked(sequence);
            let scratch = &mut self.expected;
            if self.prepared.is_expected(asked, kind, bytes, scratch) {
                return Ok(Some(reply(slot, self.prepared.assert(asked, bytes))));
            }
        }
        if kind == Kind::Text && std::str::from_utf8(bytes).is_err() {
            return Err(Failure::protocol("a text message that is not UTF-8"));
        }
        let sent = match (sent, self.prepared.id_in(bytes)) {
            (None, Some(id)) => in_flight.take(&id),
            (sent, _) => sent,
        };
        match sent {
            Some((slot, sequence)) => {
                let asked = self.asked(sequence);
                let failure = self.prepared.judge(asked, bytes, &mut self.expected);
                Ok(Some(reply(slot, failure)))
            }
            None if self.prepared.has_id() => {
                self.asides.unasked += 1;
                Ok(None)
            }
            None => Err(Failure::protocol(
                "a message that nobody asked for (--match-id passes over such)",
            )),
        }
    }

    #[inline]
    fn asked(&self, sequence: u64) -> Asked {
        Asked {
            request: self.mix.pick(sequence),
            sequence,
        }
    }

    /// Replies like this one are right without another look, if they may all be alike.
    #[inline]
    fn keep(&mut self, bytes: &[u8]) {
        if self.prepared.is_constant() {
            self.known.set(bytes);
        }
    }
}

#[inline]
fn reply(slot: Slot, failure: Option<Failure>) -> Reply {
    Reply {
        slot,
        status: 0,
        failure,
    }
}

impl From<Malformed> for Failure {
    fn from(Malformed(why): Malformed) -> Self {
        Self::protocol(why)
    }
}
