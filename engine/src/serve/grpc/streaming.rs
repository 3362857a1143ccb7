//! Calls whose messages are taken one by one: each is answered as it comes, or all of them when
//! the call ends.

use super::answer::Call;
use super::{Grpc, GrpcClient, INTERNAL, STREAM_WINDOW};
use crate::protocol::h2::frame::{self, Frame, END_STREAM};
use crate::serve::{Manner, Refused, Responder};

const OK: u16 = 0;

impl Grpc {
    /// A piece of such a call.
    pub(super) fn piece(
        &self,
        client: &mut GrpcClient,
        frame: &Frame,
        content: &[u8],
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        let stream = frame.stream;
        client.requests.keep(stream, content)?;
        let taken = frame.payload.len() as u32;
        let more = client.requests.consumed(stream, taken, STREAM_WINDOW / 2);
        if let (Some(more), false) = (more, frame.has(END_STREAM)) {
            frame::push_window_update(stream, more, &mut responder.bytes);
        }
        while let Some((call, message)) = client.requests.next_message(stream) {
            self.message(client, stream, call, &message, responder);
            if responder.hung_up() {
                return Ok(());
            }
        }
        if frame.has(END_STREAM) {
            self.last(client, stream, responder);
        }
        Ok(())
    }

    /// Answers one message, if it is one that is answered; a wrong one ends the call.
    fn message(
        &self,
        client: &mut GrpcClient,
        stream: u32,
        call: Call,
        message: &[u8],
        responder: &mut Responder,
    ) {
        client.messages.clear();
        let is_answered = call != Call::HelloCS;
        let manner = match is_answered {
            true => responder.begin(),
            false => Manner::Truth,
        };
        let status = match (self.status, manner) {
            (Some(status), _) => Err(status),
            (None, Manner::Fail) => Err(INTERNAL),
            _ => call.answer(message, &mut client.messages),
        };
        match status {
            Err(status) => {
                client.requests.take(stream);
                client.out.end(stream, status, &mut responder.bytes);
            }
            Ok(()) if !is_answered => return,
            Ok(()) => {
                if let (Manner::WrongBody, Some(last)) = (manner, client.messages.last_mut()) {
                    *last ^= 1;
                }
                let messages = &client.messages;
                client.out.messages(stream, messages, &mut responder.bytes);
            }
        }
        if is_answered {
            responder.end();
        }
    }

    /// All messages of a call have come.
    pub(super) fn last(&self, client: &mut GrpcClient, stream: u32, responder: &mut Responder) {
        let Some(request) = client.requests.take(stream) else {
            return;
        };
        let (call, is_whole) = (request.call, request.bytes.is_empty());
        if call == Call::HelloCS {
            let all = match is_whole {
                true => counted(request.messages),
                false => request.bytes,
            };
            return self.reply(client, stream, call, &all, responder);
        }
        let from = responder.bytes.len();
        let status = match self.status {
            Some(status) => status,
            None if is_whole && (request.messages > 0 || call == Call::HelloBidi) => OK,
            None => INTERNAL,
        };
        client.out.end(stream, status, &mut responder.bytes);
        responder.follow(from);
    }
}

/// A request, with its prefix, whose name is this number.
fn counted(number: u64) -> Vec<u8> {
    const FIRST_FIELD: u8 = 0x0a;
    let name = number.to_string();
    let length = name.len() as u8;
    let head = [0, 0, 0, 0, length + 2, FIRST_FIELD, length];
    [&head[..], name.as_bytes()].concat()
}
