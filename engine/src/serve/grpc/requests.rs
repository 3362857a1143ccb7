//! Requests of one connection that are not complete.

use super::answer::{Call, LONGEST_MESSAGE, PREFIX};
use crate::serve::Refused;
use std::collections::{BTreeSet, HashMap};

/// Requests that wait for their ends, over all streams of a connection.
const MOST_WAITING: usize = 64 << 20;

#[derive(Default)]
pub struct Request {
    pub call: Call,
    due_ns: Option<u64>,
    /// Prefix and message, as far as they are here.
    pub bytes: Vec<u8>,
    /// Messages that were taken out of `bytes`.
    pub messages: u64,
    /// Bytes that were not given back to the stream's window.
    consumed: u32,
}

/// A request of which nothing but the headers is here.
#[derive(Clone, Copy)]
struct Fresh {
    stream: u32,
    call: Call,
    due_ns: Option<u64>,
}

#[derive(Default)]
pub struct Requests {
    open: HashMap<u32, Request>,
    /// Bytes in `open`.
    waiting: usize,
    /// When those of `open` that have a deadline are over, and their streams.
    deadlines: BTreeSet<(u64, u32)>,
    /// The stream whose headers came just now: most requests follow them at once.
    fresh: Option<Fresh>,
}

impl Requests {
    /// Headers have come.
    #[inline]
    pub fn begin(&mut self, stream: u32, call: Call, due_ns: Option<u64>) {
        self.settle();
        self.fresh = Some(Fresh {
            stream,
            call,
            due_ns,
        });
    }

    /// The request of `stream`, if its headers were the last thing that came, and `content` is all
    /// the rest.
    #[inline]
    pub fn take_fresh(&mut self, stream: u32, content: &[u8]) -> Option<Call> {
        let fresh = self.fresh.filter(|fresh| fresh.stream == stream)?;
        if !fresh.call.is_whole(content) {
            return None;
        }
        self.fresh = None;
        Some(fresh.call)
    }

    /// Nothing more has come for now: a deadline of the last request has to be known.
    #[inline]
    pub fn pause(&mut self) {
        if self.fresh.is_some_and(|fresh| fresh.due_ns.is_some()) {
            self.settle();
        }
    }

    /// The request whose headers came last is kept like the others.
    #[inline]
    fn settle(&mut self) {
        if let Some(fresh) = self.fresh.take() {
            let request = Request {
                call: fresh.call,
                due_ns: fresh.due_ns,
                ..Request::default()
            };
            if let Some(due_ns) = fresh.due_ns {
                self.deadlines.insert((due_ns, fresh.stream));
            }
            self.open.insert(fresh.stream, request);
        }
    }

    /// Keeps a piece of a request. One that is not open was answered already, or reset.
    ///
    /// # Errors
    /// The client has more under way than is kept.
    pub fn append(&mut self, stream: u32, content: &[u8]) -> Result<(), Refused> {
        self.settle();
        if let Some(request) = self.open.get_mut(&stream) {
            if request.bytes.len() + content.len() <= PREFIX + LONGEST_MESSAGE {
                request.bytes.extend_from_slice(content);
                self.waiting += content.len();
            }
        }
        if self.waiting > MOST_WAITING {
            return Err(Refused);
        }
        Ok(())
    }

    /// Keeps a piece of a request whose messages are taken one by one.
    ///
    /// # Errors
    /// The client has more under way than is kept.
    pub fn keep(&mut self, stream: u32, content: &[u8]) -> Result<(), Refused> {
        self.settle();
        if let Some(request) = self.open.get_mut(&stream) {
            request.bytes.extend_from_slice(content);
            self.waiting += content.len();
        }
        match self.waiting > MOST_WAITING {
            true => Err(Refused),
            false => Ok(()),
        }
    }

    /// So many bytes came on a stream; what is to be given back to its window once they are more
    /// than `most`.
    pub fn consumed(&mut self, stream: u32, bytes: u32, most: u32) -> Option<u32> {
        let request = self.open.get_mut(&stream)?;
        request.consumed += bytes;
        (request.consumed > most).then(|| std::mem::take(&mut request.consumed))
    }

    /// Takes the next whole message of a request, with its prefix; of one that is too long the
    /// prefix alone.
    pub fn next_message(&mut self, stream: u32) -> Option<(Call, Vec<u8>)> {
        let request = self.open.get_mut(&stream)?;
        let [_, length @ ..] = *request.bytes.first_chunk::<PREFIX>()?;
        let length = match u32::from_be_bytes(length) as usize {
            length if length > LONGEST_MESSAGE => 0,
            length => length,
        };
        if request.bytes.len() < PREFIX + length {
            return None;
        }
        let rest = request.bytes.split_off(PREFIX + length);
        let message = std::mem::replace(&mut request.bytes, rest);
        self.waiting -= message.len();
        request.messages += 1;
        Some((request.call, message))
    }

    /// Whether the messages of a request are taken one by one.
    pub fn is_streamed(&mut self, stream: u32) -> bool {
        self.settle();
        let request = self.open.get(&stream);
        request.is_some_and(|request| request.call.is_streamed())
    }

    pub fn is_open(&mut self, stream: u32) -> bool {
        self.settle();
        self.open.contains_key(&stream)
    }

    pub fn take(&mut self, stream: u32) -> Option<Request> {
        self.settle();
        let request = self.open.remove(&stream)?;
        self.waiting -= request.bytes.len();
        if let Some(due_ns) = request.due_ns {
            self.deadlines.remove(&(due_ns, stream));
        }
        Some(request)
    }

    /// When the next one is over that has a deadline.
    pub fn due_ns(&self) -> Option<u64> {
        self.deadlines.first().map(|&(due_ns, _)| due_ns)
    }

    /// Forgets a request whose time was over at `now_ns`; its stream.
    pub fn expire(&mut self, now_ns: u64) -> Option<u32> {
        self.due_ns().filter(|&due_ns| due_ns <= now_ns)?;
        let (_, stream) = self.deadlines.pop_first()?;
        self.take(stream);
        Some(stream)
    }
}
