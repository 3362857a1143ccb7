//! HTTP/1.1 as the load loop drives it.

use super::body::Progress;
use super::{malformed, Http1, Http1Connection};
use crate::protocol::asked::Asked;
use crate::protocol::http::Request;
use crate::protocol::in_order::InOrder;
use crate::protocol::marks::Marks;
use crate::protocol::{Failure, Protocol, Reply, Slot};

impl Protocol for Http1 {
    type Connection = Http1Connection;

    fn seed(&mut self, seed: u64) {
        self.mix.seed(seed);
        self.seed = seed;
    }

    fn share_rows(&mut self, worker: u64, workers: u64) {
        Request::share_rows(&mut self.requests, worker, workers);
    }

    fn request_of(&self, sequence: u64) -> u32 {
        self.mix.pick(sequence)
    }

    fn prepare(&mut self, token: &str) {
        self.known_reply.clear();
        if self.vary_by_run {
            self.render(token);
        }
    }

    fn connect(&mut self, depth: u32, _output: &mut Vec<u8>) -> Http1Connection {
        Http1Connection {
            in_flight: InOrder::new(depth),
            reply: None,
            content: None,
            draining: false,
        }
    }

    #[inline]
    fn room(&self, connection: &Http1Connection) -> u32 {
        match (connection.draining, self.keep_alive) {
            (true, _) => 0,
            (false, true) => u32::MAX,
            (false, false) => u32::from(connection.in_flight.is_empty()),
        }
    }

    #[inline]
    fn is_draining(&self, connection: &Http1Connection) -> bool {
        connection.draining
    }

    #[inline]
    fn request(
        &mut self,
        connection: &mut Http1Connection,
        slot: Slot,
        sequence: u64,
        output: &mut Vec<u8>,
    ) {
        let request = self.mix.pick(sequence);
        connection.in_flight.push(slot, Asked { request, sequence });
        self.rendered.write(request, sequence, output);
    }

    #[inline]
    fn request_many(
        &mut self,
        connection: &mut Http1Connection,
        slots: impl ExactSizeIterator<Item = Slot>,
        first: u64,
        output: &mut Vec<u8>,
    ) -> usize {
        if self.only.is_empty() || !self.keep_alive {
            return self.request_first(connection, slots, first, output);
        }
        let n = slots.len();
        self.only.write(n, output);
        for (slot, sequence) in slots.zip(first..) {
            let asked = Asked {
                request: 0,
                sequence,
            };
            connection.in_flight.push(slot, asked);
        }
        n
    }

    #[inline]
    fn match_cached(
        &mut self,
        connection: &mut Http1Connection,
        input: &[u8],
        right: &mut impl FnMut(Slot, u16),
    ) -> usize {
        if connection.reply.is_some() || connection.draining {
            return 0;
        }
        let n = self
            .known_reply
            .recognise(input, connection.in_flight.len());
        let status = self.known_status;
        connection
            .in_flight
            .pop_many(n, |slot, _| right(slot, status));
        n * self.known_reply.len()
    }

    #[inline]
    fn receive(
        &mut self,
        connection: &mut Http1Connection,
        input: &[u8],
        _output: &mut Vec<u8>,
        replies: &mut impl FnMut(Reply),
    ) -> Result<usize, Failure> {
        let mut at = 0;
        loop {
            if at == input.len() {
                return Ok(at);
            }
            let Some((slot, asked)) = connection.in_flight.front() else {
                return Err(Failure::protocol("bytes that nobody asked for"));
            };
            if connection.draining {
                return Err(Failure::protocol("bytes after the last reply"));
            }
            if connection.reply.is_none() {
                if let Some((reply, used)) = self.usual(connection, &input[at..]) {
                    at += used;
                    replies(reply);
                    continue;
                }
            }
            let (head, mut body) = match connection.reply.take() {
                Some(begun) => begun,
                None => match self.begin(asked, input, &mut at)? {
                    Some(begun) => {
                        if self.traits[asked.request as usize].is_looked_into {
                            let content = &mut connection.content;
                            self.inspection.begin(asked.request, content);
                        }
                        begun
                    }
                    None => return Ok(at),
                },
            };
            let (request, sequence) = (asked.request, asked.sequence);
            let is_looked_into = self.traits[request as usize].is_looked_into;
            let content = connection.content.as_deref_mut();
            let looker = content.filter(|_| is_looked_into);
            let expected = self.rendered.body(request, sequence, &mut self.expected);
            match body
                .take(&input[at..], expected, looker)
                .map_err(malformed)?
            {
                Progress::Done(used) => {
                    at += used;
                    if let Some(reply) = self.finish(connection, head, &body) {
                        replies(reply);
                    }
                }
                Progress::More(used) => {
                    if let (true, Some(content)) = (is_looked_into, &mut connection.content) {
                        self.inspection.came(slot, content);
                    }
                    connection.reply = Some((head, body));
                    return Ok(at + used);
                }
            }
        }
    }

    fn closed(&mut self, connection: &mut Http1Connection, replies: &mut impl FnMut(Reply)) {
        if let Some((head, body)) = connection.reply.take() {
            if body.ends_connection() {
                self.finish(connection, head, &body).map(replies);
            } else {
                connection.reply = Some((head, body));
            }
        }
    }

    fn marks(&mut self) -> Option<&mut Marks> {
        Some(&mut self.inspection.marks)
    }

    fn may_repeat(&self, connection: &Http1Connection, slot: Slot) -> bool {
        let asked = connection.in_flight.find(slot);
        asked.is_some_and(|asked| self.requests[asked.request as usize].is_idempotent())
    }

    fn begun(&self, connection: &Http1Connection, slot: Slot, unused: usize) -> bool {
        connection.in_flight.is_next(slot) && (unused > 0 || connection.reply.is_some())
    }
}
