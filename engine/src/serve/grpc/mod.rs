//! gRPC, with the least a server may do: any method is answered with each message it got, or,
//! as the greeter of `suite/grpc-unary/greeter.proto` with streams of names beside it, with a
//! greeting.

mod answer;
mod deadline;
mod heads;
mod reply;
mod requests;
mod streaming;

use self::answer::Call;
use self::heads::Heads;
use self::reply::Out;
use self::requests::Requests;
use super::{Manner, Refused, Responder, Service};
use crate::protocol::h2::frame::{self, Frame, DATA, END_STREAM, HEADERS};

/// Windows for requests.
const STREAM_WINDOW: u32 = 8 << 20;
const CONNECTION_WINDOW: u32 = 64 << 20;
const DEADLINE_EXCEEDED: u16 = 4;
const INTERNAL: u16 = 13;

/// The service.
#[derive(Clone, Debug, Default)]
pub struct Grpc {
    /// Serve `greeter.Greeter` and nothing else.
    pub hello: bool,
    /// Answer everything with this status.
    pub status: Option<u16>,
}

#[derive(Default)]
pub struct GrpcClient {
    has_said_preface: bool,
    heads: Heads,
    /// A header block that goes on: stream, flags, bytes.
    block: Option<(u32, u8, Vec<u8>)>,
    requests: Requests,
    /// Bytes of requests that were not given back to the client's window.
    consumed: u32,
    out: Out,
    /// Messages of the reply in hand.
    messages: Vec<u8>,
}

impl Service for Grpc {
    type Client = GrpcClient;

    fn client(&mut self, responder: &mut Responder) -> GrpcClient {
        let settings = [(frame::INITIAL_WINDOW_SIZE, STREAM_WINDOW)];
        frame::push_settings(&settings, &mut responder.bytes);
        let more = CONNECTION_WINDOW - frame::WINDOW;
        frame::push_window_update(0, more, &mut responder.bytes);
        GrpcClient::default()
    }

    fn answer(
        &mut self,
        client: &mut GrpcClient,
        input: &[u8],
        responder: &mut Responder,
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
        while !responder.hung_up() {
            let Some((frame, used)) = Frame::parse(&input[at..]).map_err(|_| Refused)? else {
                break;
            };
            at += used;
            self.frame(client, &frame, responder)?;
        }
        client.requests.pause();
        Ok(at)
    }

    fn due_ns(&self, client: &GrpcClient) -> Option<u64> {
        client.requests.due_ns()
    }

    /// Requests that have not become whole in time.
    fn expire(&mut self, client: &mut GrpcClient, responder: &mut Responder) {
        while let Some(stream) = client.requests.expire(responder.now_ns) {
            client
                .out
                .end(stream, DEADLINE_EXCEEDED, &mut responder.bytes);
            // What is missing of the request need not be sent any more.
            frame::push_reset(stream, frame::NO_ERROR, &mut responder.bytes);
        }
    }
}

impl Grpc {
    #[inline]
    fn frame(
        &self,
        client: &mut GrpcClient,
        frame: &Frame,
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        if client.block.is_some() && frame.kind != frame::CONTINUATION {
            return Err(Refused);
        }
        match frame.kind {
            HEADERS => {
                let content = frame.content().map_err(|_| Refused)?;
                if frame.has(frame::END_HEADERS) {
                    return self.headers(client, frame.stream, frame.flags, content, responder);
                }
                client.block = Some((frame.stream, frame.flags, content.to_vec()));
                Ok(())
            }
            DATA => self.data(client, frame, responder),
            frame::CONTINUATION => self.continuation(client, frame, responder),
            _ => control(client, frame, responder),
        }
    }

    fn continuation(
        &self,
        client: &mut GrpcClient,
        frame: &Frame,
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        let (stream, flags, mut bytes) = client.block.take().ok_or(Refused)?;
        bytes.extend_from_slice(frame.payload);
        if stream != frame.stream || bytes.len() > frame::LONGEST_BLOCK {
            return Err(Refused);
        }
        if frame.has(frame::END_HEADERS) {
            return self.headers(client, stream, flags, &bytes, responder);
        }
        client.block = Some((stream, flags, bytes));
        Ok(())
    }

    #[inline]
    fn headers(
        &self,
        client: &mut GrpcClient,
        stream: u32,
        flags: u8,
        block: &[u8],
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        let head = client.heads.read(block, self.hello)?;
        if flags & END_STREAM != 0 && client.requests.is_streamed(stream) {
            self.last(client, stream, responder);
        } else if flags & END_STREAM != 0 {
            // Trailers of a request, or a request without a message.
            let request = client.requests.take(stream).unwrap_or_default();
            self.reply(client, stream, request.call, &request.bytes, responder);
        } else {
            let due_ns = head
                .timeout_ns
                .map(|timeout_ns| responder.now_ns.saturating_add(timeout_ns));
            client.requests.begin(stream, head.call, due_ns);
        }
        Ok(())
    }

    #[inline]
    fn data(
        &self,
        client: &mut GrpcClient,
        frame: &Frame,
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        client.consumed += frame.payload.len() as u32;
        if client.consumed > CONNECTION_WINDOW / 2 {
            frame::push_window_update(0, client.consumed, &mut responder.bytes);
            client.consumed = 0;
        }
        let content = frame.content().map_err(|_| Refused)?;
        if frame.has(END_STREAM) {
            if let Some(call) = client.requests.take_fresh(frame.stream, content) {
                self.reply(client, frame.stream, call, content, responder);
                return Ok(());
            }
        }
        if client.requests.is_streamed(frame.stream) {
            return self.piece(client, frame, content, responder);
        }
        client.requests.append(frame.stream, content)?;
        if frame.has(END_STREAM) {
            if let Some(request) = client.requests.take(frame.stream) {
                self.reply(
                    client,
                    frame.stream,
                    request.call,
                    &request.bytes,
                    responder,
                );
            }
        }
        Ok(())
    }

    #[inline]
    fn reply(
        &self,
        client: &mut GrpcClient,
        stream: u32,
        call: Call,
        request: &[u8],
        responder: &mut Responder,
    ) {
        let manner = responder.begin();
        client.messages.clear();
        let status = match (self.status, manner) {
            (Some(status), _) => Err(status),
            (None, Manner::Fail) => Err(INTERNAL),
            _ => call.answer(request, &mut client.messages),
        };
        match status {
            Err(status) => client.out.status(stream, status, &mut responder.bytes),
            Ok(()) => {
                if let (Manner::WrongBody, Some(last)) = (manner, client.messages.last_mut()) {
                    *last ^= 1;
                }
                client
                    .out
                    .reply(stream, &client.messages, &mut responder.bytes);
            }
        }
        responder.end();
    }
}

#[cold]
fn control(
    client: &mut GrpcClient,
    frame: &Frame,
    responder: &mut Responder,
) -> Result<(), Refused> {
    let output = &mut responder.bytes;
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
            let is_open = client.requests.is_open(frame.stream);
            let more = number()? & frame::LAST_STREAM;
            client
                .out
                .grant(frame.stream, more, is_open, output)
                .ok_or(Refused)?;
        }
        frame::RST_STREAM => {
            client.requests.take(frame.stream);
            client.out.forget(frame.stream);
        }
        frame::PUSH_PROMISE => return Err(Refused),
        _ => {}
    }
    Ok(())
}
