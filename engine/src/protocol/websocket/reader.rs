//! Messages from the frames of a server.

use super::frame::{self, Header, Malformed, Opcode};

/// A longer message is refused: a buffer must have an end.
const LONGEST_MESSAGE: u64 = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Binary,
}

/// What a server says.
#[derive(Debug, PartialEq, Eq)]
pub enum Said<'a> {
    Message(Kind, &'a [u8]),
    Ping(&'a [u8]),
    Pong(&'a [u8]),
    Close(Option<u16>, &'a str),
}

/// How far it is.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// So many bytes were used, and said this.
    Said(usize, Said<'a>),
    /// So many bytes were used; the rest is too little to go on with.
    More(usize),
}

/// What is half read. Payloads are taken as they come; what is left unread is a header or a
/// control frame at most.
#[derive(Debug, Default)]
pub struct Reader {
    /// Of the message that has begun.
    kind: Option<Kind>,
    /// Its payload so far, or that of the message before.
    message: Vec<u8>,
    /// Bytes of the frame in hand that are still to come, and whether it is the last one.
    frame: Option<(usize, bool)>,
}

impl Reader {
    /// Whether a message has begun and is not complete.
    #[inline]
    pub fn begun(&self) -> bool {
        self.kind.is_some()
    }

    /// What stands at the start of `input`.
    ///
    /// # Errors
    /// It breaks RFC 6455.
    #[inline]
    pub fn next<'a>(&'a mut self, input: &'a [u8]) -> Result<Progress<'a>, Malformed> {
        let mut at = 0;
        loop {
            if let Some((left, is_last)) = self.frame {
                let n = left.min(input.len() - at);
                self.message.extend_from_slice(&input[at..at + n]);
                at += n;
                if n < left {
                    self.frame = Some((left - n, is_last));
                    return Ok(Progress::More(at));
                }
                self.frame = None;
                if is_last {
                    let kind = self.kind.take().expect("a frame is part of a message");
                    return Ok(Progress::Said(at, Said::Message(kind, &self.message)));
                }
            }
            let rest = &input[at..];
            let Some(header) = Header::parse(rest)? else {
                return Ok(Progress::More(at));
            };
            if header.key.is_some() {
                return Err(Malformed("a frame that is masked, from a server"));
            }
            let length = usize::try_from(header.length).unwrap_or(usize::MAX);
            let payload = rest[header.size..].get(..length);
            if header.opcode.is_control() {
                let Some(payload) = payload else {
                    return Ok(Progress::More(at));
                };
                at += header.size + length;
                return Ok(Progress::Said(at, control(header.opcode, payload)?));
            }
            let (kind, is_first) = match (header.opcode, self.kind) {
                (Opcode::Text, None) => (Kind::Text, true),
                (Opcode::Binary, None) => (Kind::Binary, true),
                (Opcode::Continuation, Some(kind)) => (kind, false),
                (Opcode::Continuation, None) => {
                    return Err(Malformed("a continuation of no message"))
                }
                _ => return Err(Malformed("a message in the middle of another")),
            };
            if let (true, true, Some(payload)) = (is_first, header.fin, payload) {
                let used = at + header.size + length;
                return Ok(Progress::Said(used, Said::Message(kind, payload)));
            }
            if is_first {
                self.message.clear();
                self.kind = Some(kind);
            }
            if (self.message.len() as u64).saturating_add(header.length) > LONGEST_MESSAGE {
                return Err(Malformed("a message of over 16 MiB"));
            }
            at += header.size;
            self.frame = Some((length, header.fin));
        }
    }
}

fn control(opcode: Opcode, payload: &[u8]) -> Result<Said<'_>, Malformed> {
    Ok(match opcode {
        Opcode::Ping => Said::Ping(payload),
        Opcode::Pong => Said::Pong(payload),
        _ => {
            let (code, reason) = frame::close(payload)?;
            Said::Close(code, reason)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that is said, in pieces of this length.
    fn said(bytes: &[u8], piece: usize) -> Result<Vec<String>, Malformed> {
        let mut reader = Reader::default();
        let (mut all, mut unread) = (Vec::new(), Vec::new());
        for piece in bytes.chunks(piece) {
            unread.extend_from_slice(piece);
            loop {
                match reader.next(&unread)? {
                    Progress::Said(used, said) => {
                        all.push(format!("{said:?}"));
                        unread.drain(..used);
                    }
                    Progress::More(used) => {
                        unread.drain(..used);
                        break;
                    }
                }
            }
        }
        assert!(unread.len() <= frame::LONGEST_CONTROL + 14);
        Ok(all)
    }

    #[test]
    fn fragments_with_control_frames_between_them() {
        let bytes = b"\x01\x02He\x89\x01?\x00\x02ll\x8a\x00\x80\x01o\x82\x01x\x88\x02\x03\xe8";
        let expected = [
            "Ping([63])",
            "Pong([])",
            "Message(Text, [72, 101, 108, 108, 111])",
            "Message(Binary, [120])",
            "Close(Some(1000), \"\")",
        ];
        for piece in 1..=bytes.len() {
            assert_eq!(said(bytes, piece).unwrap(), expected, "{piece}");
        }
    }

    #[test]
    fn frames_that_do_not_go_together() {
        for bytes in [
            &b"\x80\x00"[..],
            b"\x01\x00\x81\x00",
            b"\x01\x01a\x02\x00",
            b"\x81\x80abcd",
            b"\x82\x7f\x00\x00\x00\x00\x01\x00\x00\x01",
        ] {
            assert!(said(bytes, 1).is_err(), "{bytes:02x?}");
            assert!(said(bytes, bytes.len()).is_err(), "{bytes:02x?}");
        }
    }
}
