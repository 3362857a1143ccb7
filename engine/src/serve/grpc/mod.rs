//! gRPC, with the least a server may do: any method is answered with the message it got, or,
//! as the greeter of `suite/grpc-unary/greeter.proto`, with a greeting.

mod answer;
mod deadline;
mod reply;

use self::answer::{Call, LONGEST_MESSAGE, PREFIX};
use self::reply::Out;
use super::{Manner, Refused, Replies, Service};
use crate::protocol::h2::frame::{self, Frame, DATA, END_STREAM, HEADERS};
use crate::protocol::h2::hpack::Decoder;
use std::collections::{BTreeSet, HashMap};

/// Windows for requests.
const STREAM_WINDOW: u32 = 8 << 20;
const CONNECTION_WINDOW: u32 = 64 << 20;
/// Requests that wait for their ends, over all streams of a connection.
const MOST_WAITING: usize = 64 << 20;
const DEADLINE_EXCEEDED: u16 = 4;
/// Of HTTP/2: all is said (RFC 9113 section 8.1).
const NO_ERROR: u32 = 0;
const INTERNAL: u16 = 13;

/// The service.
#[derive(Clone, Debug, Default)]
pub struct Grpc {
    /// Serve `greeter.Greeter` and nothing else.
    pub hello: bool,
    /// Answer everything with this status.
    pub status: Option<u16>,
}

/// A request that is not complete.
#[derive(Default)]
struct Request {
    call: Call,
    due_ns: Option<u64>,
    bytes: Vec<u8>,
}

/// A request of which nothing but the headers is here.
#[derive(Clone, Copy)]
struct Fresh {
    stream: u32,
    call: Call,
    due_ns: Option<u64>,
}

pub struct Client {
    has_said_preface: bool,
    decoder: Decoder,
    /// The last header block, while it means the same: `version` is the decoder's.
    known: Vec<u8>,
    version: u64,
    call: Call,
    timeout_ns: Option<u64>,
    /// A header block that goes on: stream, flags, bytes.
    block: Option<(u32, u8, Vec<u8>)>,
    requests: HashMap<u32, Request>,
    /// Bytes in `requests`.
    waiting: usize,
    /// When those of `requests` that have a deadline are over, and their streams.
    deadlines: BTreeSet<(u64, u32)>,
    consumed: u32,
    out: Out,
    /// Messages of the reply in hand.
    messages: Vec<u8>,
    /// The stream whose headers came just now: most requests follow them at once.
    fresh: Option<Fresh>,
}

impl Service for Grpc {
    type Client = Client;

    fn client(&mut self, replies: &mut Replies) -> Client {
        let settings = [(frame::INITIAL_WINDOW_SIZE, STREAM_WINDOW)];
        frame::push_settings(&settings, &mut replies.bytes);
        let more = CONNECTION_WINDOW - frame::WINDOW;
        frame::push_window_update(0, more, &mut replies.bytes);
        Client {
            has_said_preface: false,
            decoder: Decoder::default(),
            known: Vec::new(),
            version: u64::MAX,
            call: Call::Unknown,
            timeout_ns: None,
            block: None,
            requests: HashMap::new(),
            waiting: 0,
            deadlines: BTreeSet::new(),
            consumed: 0,
            out: Out::default(),
            messages: Vec::new(),
            fresh: None,
        }
    }

    fn answer(
        &mut self,
        client: &mut Client,
        input: &[u8],
        replies: &mut Replies,
    ) -> Result<usize, Refused> {
        let mut at = 0;
        if !client.has_said_preface {
            let here = input.len().min(frame::PREFACE.len());
            if input[..here] != frame::PREFACE[..here] {
                return Err(Refused);
            }
            if here < frame::PREFACE.len() {
                return Ok(0);
            }
            client.has_said_preface = true;
            at = here;
        }
        while !replies.hung_up() {
            let Some((frame, used)) = Frame::parse(&input[at..]).map_err(|_| Refused)? else {
                break;
            };
            at += used;
            self.frame(client, &frame, replies)?;
        }
        if client.fresh.is_some_and(|fresh| fresh.due_ns.is_some()) {
            client.settle();
        }
        Ok(at)
    }

    fn due_ns(&self, client: &Client) -> Option<u64> {
        client.deadlines.first().map(|&(due_ns, _)| due_ns)
    }

    /// Requests that have not become whole in time.
    fn expire(&mut self, client: &mut Client, replies: &mut Replies) {
        while let Some((due_ns, stream)) = client.deadlines.pop_first() {
            if due_ns > replies.now_ns {
                client.deadlines.insert((due_ns, stream));
                return;
            }
            client.take(stream);
            client
                .out
                .status(stream, DEADLINE_EXCEEDED, &mut replies.bytes);
            // What is missing of the request need not be sent any more.
            frame::push_reset(stream, NO_ERROR, &mut replies.bytes);
        }
    }
}

impl Grpc {
    #[inline]
    fn frame(
        &self,
        client: &mut Client,
        frame: &Frame,
        replies: &mut Replies,
    ) -> Result<(), Refused> {
        if client.block.is_some() && frame.kind != frame::CONTINUATION {
            return Err(Refused);
        }
        match frame.kind {
            HEADERS => {
                let content = frame.content().map_err(|_| Refused)?;
                if frame.has(frame::END_HEADERS) {
                    return self.headers(client, frame.stream, frame.flags, content, replies);
                }
                client.block = Some((frame.stream, frame.flags, content.to_vec()));
                Ok(())
            }
            DATA => self.data(client, frame, replies),
            frame::CONTINUATION => self.continuation(client, frame, replies),
            _ => control(client, frame, replies),
        }
    }

    fn continuation(
        &self,
        client: &mut Client,
        frame: &Frame,
        replies: &mut Replies,
    ) -> Result<(), Refused> {
        let (stream, flags, mut bytes) = client.block.take().ok_or(Refused)?;
        bytes.extend_from_slice(frame.payload);
        if stream != frame.stream || bytes.len() > frame::LONGEST_BLOCK {
            return Err(Refused);
        }
        if frame.has(frame::END_HEADERS) {
            return self.headers(client, stream, flags, &bytes, replies);
        }
        client.block = Some((stream, flags, bytes));
        Ok(())
    }

    #[inline]
    fn headers(
        &self,
        client: &mut Client,
        stream: u32,
        flags: u8,
        block: &[u8],
        replies: &mut Replies,
    ) -> Result<(), Refused> {
        if client.version != client.decoder.version() || client.known != block {
            self.decode(client, block)?;
        }
        client.settle();
        if flags & END_STREAM != 0 {
            // Trailers of a request, or a request without a message.
            let request = client.take(stream).unwrap_or_default();
            self.reply(client, stream, request.call, &request.bytes, replies);
        } else {
            client.fresh = Some(Fresh {
                stream,
                call: client.call,
                due_ns: client
                    .timeout_ns
                    .map(|timeout_ns| replies.now_ns.saturating_add(timeout_ns)),
            });
        }
        Ok(())
    }

    #[cold]
    fn decode(&self, client: &mut Client, block: &[u8]) -> Result<(), Refused> {
        let before = client.decoder.version();
        let mut call = Call::Unknown;
        let mut timeout_ns = None;
        let take = |name: &[u8], value: &[u8]| match name {
            b":path" => call = Call::of(value, self.hello),
            b"grpc-timeout" => timeout_ns = deadline::timeout_ns(value),
            _ => {}
        };
        client.decoder.decode(block, take).map_err(|_| Refused)?;
        client.call = call;
        client.timeout_ns = timeout_ns;
        client.version = u64::MAX;
        if client.decoder.version() == before {
            client.version = before;
            client.known.clear();
            client.known.extend_from_slice(block);
        }
        Ok(())
    }

    #[inline]
    fn data(
        &self,
        client: &mut Client,
        frame: &Frame,
        replies: &mut Replies,
    ) -> Result<(), Refused> {
        client.consumed += frame.payload.len() as u32;
        if client.consumed > CONNECTION_WINDOW / 2 {
            frame::push_window_update(0, client.consumed, &mut replies.bytes);
            client.consumed = 0;
        }
        let content = frame.content().map_err(|_| Refused)?;
        if let (Some(fresh), true) = (client.fresh, frame.has(END_STREAM)) {
            if fresh.stream == frame.stream {
                client.fresh = None;
                self.reply(client, fresh.stream, fresh.call, content, replies);
                return Ok(());
            }
        }
        client.settle();
        let Some(request) = client.requests.get_mut(&frame.stream) else {
            // It was answered already, or reset.
            return Ok(());
        };
        if request.bytes.len() + content.len() <= PREFIX + LONGEST_MESSAGE {
            request.bytes.extend_from_slice(content);
            client.waiting += content.len();
        }
        if client.waiting > MOST_WAITING {
            return Err(Refused);
        }
        if frame.has(END_STREAM) {
            let request = client.take(frame.stream).unwrap_or_default();
            self.reply(client, frame.stream, request.call, &request.bytes, replies);
        }
        Ok(())
    }

    #[inline]
    fn reply(
        &self,
        client: &mut Client,
        stream: u32,
        call: Call,
        request: &[u8],
        replies: &mut Replies,
    ) {
        let manner = replies.begin();
        client.messages.clear();
        let status = match (self.status, manner) {
            (Some(status), _) => Err(status),
            (None, Manner::Fail) => Err(INTERNAL),
            _ => call.answer(request, &mut client.messages),
        };
        match status {
            Err(status) => client.out.status(stream, status, &mut replies.bytes),
            Ok(()) => {
                if let (Manner::WrongBody, Some(last)) = (manner, client.messages.last_mut()) {
                    *last ^= 1;
                }
                client
                    .out
                    .reply(stream, &client.messages, &mut replies.bytes);
            }
        }
        replies.end();
    }
}

impl Client {
    /// The request whose headers came last is kept like the others.
    fn settle(&mut self) {
        if let Some(fresh) = self.fresh.take() {
            let request = Request {
                call: fresh.call,
                due_ns: fresh.due_ns,
                bytes: Vec::new(),
            };
            if let Some(due_ns) = fresh.due_ns {
                self.deadlines.insert((due_ns, fresh.stream));
            }
            self.requests.insert(fresh.stream, request);
        }
    }

    fn take(&mut self, stream: u32) -> Option<Request> {
        let request = self.requests.remove(&stream)?;
        self.waiting -= request.bytes.len();
        if let Some(due_ns) = request.due_ns {
            self.deadlines.remove(&(due_ns, stream));
        }
        Some(request)
    }
}

#[cold]
fn control(client: &mut Client, frame: &Frame, replies: &mut Replies) -> Result<(), Refused> {
    let output = &mut replies.bytes;
    let number = || frame.number().map_err(|_| Refused);
    match frame.kind {
        frame::SETTINGS if !frame.has(frame::ACK) => {
            for (number, value) in frame.settings().map_err(|_| Refused)? {
                client.out.setting(number, value, output).ok_or(Refused)?;
            }
            frame::push(frame::SETTINGS, frame::ACK, 0, &[], output);
        }
        frame::PING if frame.payload.len() == 8 && !frame.has(frame::ACK) => {
            frame::push(frame::PING, frame::ACK, 0, frame.payload, output);
        }
        frame::WINDOW_UPDATE => {
            client.settle();
            let is_open = client.requests.contains_key(&frame.stream);
            let more = number()? & frame::LAST_STREAM;
            client
                .out
                .grant(frame.stream, more, is_open, output)
                .ok_or(Refused)?;
        }
        frame::RST_STREAM => {
            client.settle();
            client.take(frame.stream);
            client.out.forget(frame.stream);
        }
        frame::PUSH_PROMISE => return Err(Refused),
        _ => {}
    }
    Ok(())
}
