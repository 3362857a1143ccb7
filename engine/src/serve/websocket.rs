//! WebSocket: each message is answered with itself, whatever the path.

use super::http::{request, BAD_REQUEST};
use super::{Manner, Refused, Responder, Service};
use crate::protocol::websocket::frame::{self, Header, Opcode};
use crate::protocol::websocket::handshake;

/// A longer message is refused.
const LONGEST_MESSAGE: usize = 16 << 20;

/// Codes of close frames (RFC 6455, section 7.4.1).
const PROTOCOL_ERROR: u16 = 1002;
const NOT_UTF8: u16 = 1007;
const TOO_BIG: u16 = 1009;
const INTERNAL_ERROR: u16 = 1011;

/// The service.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo;

/// What it remembers of a connection.
#[derive(Debug, Default)]
pub struct EchoClient {
    is_upgraded: bool,
    /// It was told that the connection is over.
    is_closing: bool,
    /// Of a message in fragments: of which kind it is, and what has come of it.
    opcode: Option<Opcode>,
    message: Vec<u8>,
}

impl Service for Echo {
    type Client = EchoClient;

    fn client(&mut self, _responder: &mut Responder) -> EchoClient {
        EchoClient::default()
    }

    fn answer(
        &mut self,
        client: &mut EchoClient,
        input: &[u8],
        responder: &mut Responder,
    ) -> Result<usize, Refused> {
        let mut at = 0;
        if !client.is_upgraded {
            match upgrade(input) {
                Ok(Some((accept, used))) => {
                    responder.bytes.extend_from_slice(accept.as_bytes());
                    client.is_upgraded = true;
                    at = used;
                }
                Ok(None) => return Ok(0),
                Err(Refused) => {
                    responder.bytes.extend_from_slice(BAD_REQUEST);
                    return Err(Refused);
                }
            }
        }
        while !responder.hung_up() {
            let rest = &input[at..];
            let header = match Header::parse(rest) {
                Ok(Some(header)) => header,
                Ok(None) => break,
                Err(_) => return Err(close(PROTOCOL_ERROR, responder)),
            };
            let Some(key) = header.key else {
                return Err(close(PROTOCOL_ERROR, responder));
            };
            if header.length > LONGEST_MESSAGE as u64 {
                return Err(close(TOO_BIG, responder));
            }
            let length = header.length as usize;
            let Some(payload) = rest[header.size..].get(..length) else {
                break;
            };
            at += header.size + length;
            client.frame(&header, payload, key, responder)?;
        }
        Ok(at)
    }
}

impl EchoClient {
    /// Takes a frame whose payload is masked.
    fn frame(
        &mut self,
        header: &Header,
        payload: &[u8],
        key: [u8; 4],
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        if self.is_closing && header.opcode != Opcode::Close {
            return Ok(());
        }
        match (header.opcode, self.opcode) {
            (Opcode::Pong, _) => Ok(()),
            (Opcode::Ping, _) => {
                say(Opcode::Pong, payload, key, &mut responder.bytes);
                Ok(())
            }
            (Opcode::Close, _) => {
                if !self.is_closing {
                    say(Opcode::Close, payload, key, &mut responder.bytes);
                }
                Err(Refused)
            }
            (opcode @ (Opcode::Text | Opcode::Binary), None) if header.fin => {
                self.echo(opcode, payload, key, responder)
            }
            (opcode @ (Opcode::Text | Opcode::Binary), None) => {
                self.opcode = Some(opcode);
                self.message.clear();
                self.append(payload, key, responder)
            }
            (Opcode::Continuation, Some(opcode)) => {
                self.append(payload, key, responder)?;
                if !header.fin {
                    return Ok(());
                }
                self.opcode = None;
                let message = std::mem::take(&mut self.message);
                self.echo(opcode, &message, [0; 4], responder)
            }
            _ => Err(close(PROTOCOL_ERROR, responder)),
        }
    }

    fn append(
        &mut self,
        payload: &[u8],
        key: [u8; 4],
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        if self.message.len() + payload.len() > LONGEST_MESSAGE {
            return Err(close(TOO_BIG, responder));
        }
        let from = self.message.len();
        self.message.extend_from_slice(payload);
        frame::mask(&mut self.message[from..], key);
        Ok(())
    }

    /// Answers a whole message with itself.
    fn echo(
        &mut self,
        opcode: Opcode,
        payload: &[u8],
        key: [u8; 4],
        responder: &mut Responder,
    ) -> Result<(), Refused> {
        let manner = responder.begin();
        if manner == Manner::Fail {
            self.is_closing = true;
            close(INTERNAL_ERROR, responder);
        } else {
            let said = say(opcode, payload, key, &mut responder.bytes);
            let is_text = opcode == Opcode::Text;
            if is_text && std::str::from_utf8(&responder.bytes[said..]).is_err() {
                responder.end();
                return Err(close(NOT_UTF8, responder));
            }
            let last = responder.bytes[said..].last_mut();
            if let (Manner::WrongBody, Some(last)) = (manner, last) {
                *last = b'?';
            }
        }
        responder.end();
        Ok(())
    }
}

/// Appends a frame with a payload whose mask is taken off; where the payload begins.
fn say(opcode: Opcode, payload: &[u8], key: [u8; 4], bytes: &mut Vec<u8>) -> usize {
    frame::write(opcode, payload, None, bytes);
    let from = bytes.len() - payload.len();
    frame::mask(&mut bytes[from..], key);
    from
}

fn close(code: u16, responder: &mut Responder) -> Refused {
    frame::write(
        Opcode::Close,
        &code.to_be_bytes(),
        None,
        &mut responder.bytes,
    );
    Refused
}

/// The answer to the upgrade at the start of `input`, and the upgrade's length.
fn upgrade(input: &[u8]) -> Result<Option<(String, usize)>, Refused> {
    let Some((_, length)) = request(input)? else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&input[..length]).map_err(|_| Refused)?;
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let key = headers.find(|(name, _)| name.eq_ignore_ascii_case("sec-websocket-key"));
    let (_, key) = key.ok_or(Refused)?;
    let accept = handshake::accept(key.trim());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    Ok(Some((answer, length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::Faults;

    /// What is answered behind the upgrade, and whether the connection goes on.
    fn answers(frames: &[u8]) -> (Vec<u8>, bool) {
        let mut responder = Responder::new(Faults::default());
        let head = b"GET / HTTP/1.1\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let mut client = EchoClient::default();
        let input = [head, frames].concat();
        let used = Echo.answer(&mut client, &input, &mut responder);
        let text = String::from_utf8_lossy(&responder.bytes).into_owned();
        assert!(
            text.contains("Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"),
            "{text}"
        );
        let end = memchr::memmem::find(&responder.bytes, b"\r\n\r\n").unwrap() + 4;
        (responder.bytes.split_off(end), used.is_ok())
    }

    #[test]
    fn messages_come_back_whole_and_without_mask() {
        let key = [1, 2, 3, 4];
        let mut frames = Vec::new();
        frame::write(Opcode::Text, b"Hello", Some(key), &mut frames);
        // Fragments with a ping between them.
        let mut fragment = Vec::new();
        frame::write(Opcode::Binary, b"ab", Some(key), &mut fragment);
        fragment[0] = Opcode::Binary as u8;
        frames.extend_from_slice(&fragment);
        frame::write(Opcode::Ping, b"?", Some(key), &mut frames);
        frame::write(Opcode::Continuation, b"c", Some(key), &mut frames);
        frame::write(Opcode::Close, b"\x03\xe8", Some(key), &mut frames);
        let expected = b"\x81\x05Hello\x8a\x01?\x82\x03abc\x88\x02\x03\xe8";
        assert_eq!(answers(&frames), (expected.to_vec(), false));
    }

    #[test]
    fn what_breaks_the_rules_is_told_so() {
        let key = Some([9, 9, 9, 9]);
        let written = |opcode, payload: &[u8], key| {
            let mut bytes = Vec::new();
            frame::write(opcode, payload, key, &mut bytes);
            bytes
        };
        for (frames, code) in [
            (written(Opcode::Text, b"unmasked", None), PROTOCOL_ERROR),
            (written(Opcode::Continuation, b"", key), PROTOCOL_ERROR),
            (vec![0xf1, 0x80], PROTOCOL_ERROR),
        ] {
            let close = [&[0x88, 2][..], &code.to_be_bytes()].concat();
            assert_eq!(answers(&frames), (close, false));
        }
        let (answer, goes_on) = answers(&written(Opcode::Text, b"\xff", key));
        assert!(answer.ends_with(&NOT_UTF8.to_be_bytes()) && !goes_on);
    }
}
