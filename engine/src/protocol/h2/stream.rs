//! The requests of one connection: which stream is whose, and how far each has come.

use crate::protocol::asked::Asked;
use crate::protocol::{Failure, Slot};

/// One request and its reply.
#[derive(Debug, Default)]
pub struct Stream<R> {
    /// 0: no request.
    pub id: u32,
    pub asked: Asked,
    /// Bytes of its payload.
    pub length: usize,
    /// Bytes of the payload that were sent.
    pub sent: usize,
    /// Bytes that the server still takes on this stream.
    pub window: i64,
    /// Bytes that came and were not given back to the server's window.
    pub consumed: u32,
    /// Bytes given back to it in a round (of the connection), and in which.
    pub promised: u32,
    pub promised_in: u32,
    /// Initial headers have come.
    pub has_head: bool,
    pub reply: R,
    /// Why the request fails, found before its end.
    pub failure: Option<Failure>,
}

/// The streams of a connection, one a slot.
#[derive(Debug)]
pub struct Streams<R> {
    streams: Box<[Stream<R>]>,
    /// Where to look first for a stream, by its number.
    hints: Box<[Slot]>,
    next_id: u32,
    active: u32,
}

impl<R: Default> Streams<R> {
    pub fn new(depth: u32) -> Self {
        let hints = (depth as usize * 4).next_power_of_two();
        Self {
            streams: (0..depth).map(|_| Stream::default()).collect(),
            hints: vec![0; hints].into_boxed_slice(),
            next_id: 1,
            active: 0,
        }
    }
}

impl<R> Streams<R> {
    /// Begins a request in `slot`, with a window of so many bytes.
    #[inline]
    pub fn begin(&mut self, slot: Slot, asked: Asked, window: i64) -> &mut Stream<R> {
        let id = self.next_id;
        self.next_id += 2;
        self.active += 1;
        let hint = self.hint(id);
        self.hints[hint] = slot;
        let stream = &mut self.streams[slot as usize];
        stream.id = id;
        stream.asked = asked;
        stream.sent = 0;
        stream.window = window;
        stream.consumed = 0;
        stream.promised = 0;
        stream.has_head = false;
        stream.failure = None;
        stream
    }

    /// The slot of a stream that is open.
    #[inline]
    pub fn slot(&self, id: u32) -> Option<Slot> {
        if id == 0 {
            // The connection itself; slots without a request have this number.
            return None;
        }
        let slot = self.hints[self.hint(id)];
        if self.streams[slot as usize].id == id {
            return Some(slot);
        }
        // Another stream has taken its place in the hints, or it is over.
        self.open()
            .find(|&slot| self.streams[slot as usize].id == id)
    }

    #[inline]
    pub fn end(&mut self, slot: Slot) {
        let stream = &mut self.streams[slot as usize];
        if stream.id != 0 {
            stream.id = 0;
            self.active -= 1;
        }
    }

    #[inline]
    pub fn get(&self, slot: Slot) -> &Stream<R> {
        &self.streams[slot as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, slot: Slot) -> &mut Stream<R> {
        &mut self.streams[slot as usize]
    }

    /// Slots of all streams that are open.
    pub fn open(&self) -> impl Iterator<Item = Slot> + '_ {
        let open = |slot: &usize| self.streams[*slot].id != 0;
        (0..self.streams.len())
            .filter(open)
            .map(|slot| slot as Slot)
    }

    #[inline]
    pub fn active(&self) -> u32 {
        self.active
    }

    /// Whether this number was never given out.
    pub fn is_new(&self, id: u32) -> bool {
        id % 2 == 0 || id >= self.next_id
    }

    /// Numbers are running out: half of them are left for requests in flight.
    #[inline]
    pub fn is_used_up(&self) -> bool {
        self.next_id > 1 << 30
    }

    #[inline]
    fn hint(&self, id: u32) -> usize {
        (id >> 1) as usize & (self.hints.len() - 1)
    }
}
