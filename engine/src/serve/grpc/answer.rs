//! What is answered to a message.

use crate::encoding::gzip::{self, Packed};
use crate::encoding::varint;

/// Bytes before each message.
pub const PREFIX: usize = 5;
/// gRPC servers take no longer messages where nobody says anything else.
pub const LONGEST_MESSAGE: usize = 4 << 20;
/// Greetings of `SayHellos`, as greeter.proto has it.
const GREETINGS: usize = 100;

const RESOURCE_EXHAUSTED: u16 = 8;
const UNIMPLEMENTED: u16 = 12;
const INTERNAL: u16 = 13;

/// Which method is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Call {
    /// The message itself comes back.
    #[default]
    Echo,
    /// `greeter.Greeter/SayHello`
    Hello,
    /// `greeter.Greeter/SayHellos`
    Hellos,
    /// `greeter.Greeter/SayHelloCS`: a stream of names, greeted by their number when it ends.
    HelloCS,
    /// `greeter.Greeter/SayHelloBidi`: a stream of names, each greeted as it comes.
    HelloBidi,
    Unknown,
}

impl Call {
    /// `hello`: only the greeter is served.
    pub fn of(path: &[u8], hello: bool) -> Self {
        match path {
            _ if !hello => Self::Echo,
            b"/greeter.Greeter/SayHello" => Self::Hello,
            b"/greeter.Greeter/SayHellos" => Self::Hellos,
            b"/greeter.Greeter/SayHelloCS" => Self::HelloCS,
            b"/greeter.Greeter/SayHelloBidi" => Self::HelloBidi,
            _ => Self::Unknown,
        }
    }

    /// Whether its messages are taken one by one. Any method may turn out to be a stream.
    pub fn is_streamed(self) -> bool {
        matches!(self, Self::Echo | Self::HelloCS | Self::HelloBidi)
    }

    /// Whether `content` is all that such a call has to bring, in one piece.
    #[inline]
    pub fn is_whole(self, content: &[u8]) -> bool {
        match (self, content.split_first_chunk::<PREFIX>()) {
            (Self::HelloCS | Self::HelloBidi, _) => false,
            (Self::Echo, Some((&[_, a, b, c, d], message))) => {
                u32::from_be_bytes([a, b, c, d]) as usize == message.len()
            }
            _ => true,
        }
    }

    /// Appends the messages of the reply to `request` (prefix and message), with their
    /// prefixes.
    ///
    /// # Errors
    /// The status to answer with instead.
    pub fn answer(self, request: &[u8], output: &mut Vec<u8>) -> Result<(), u16> {
        if self == Self::Unknown {
            return Err(UNIMPLEMENTED);
        }
        let Some((&[flag, a, b, c, d], message)) = request.split_first_chunk::<PREFIX>() else {
            return Err(INTERNAL);
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if length > LONGEST_MESSAGE {
            return Err(RESOURCE_EXHAUSTED);
        }
        if message.len() != length {
            return Err(INTERNAL);
        }
        let unpacked;
        let message = match flag {
            0 => message,
            1 => {
                unpacked = unpack(message)?;
                &unpacked
            }
            _ => return Err(INTERNAL),
        };
        match self {
            Self::Echo => push(&[message], output),
            _ => {
                let name = name(message).ok_or(INTERNAL)?;
                greet(name, output);
                if self == Self::Hellos {
                    let one = output.clone();
                    (1..GREETINGS).for_each(|_| output.extend_from_slice(&one));
                }
            }
        }
        Ok(())
    }
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, u16> {
    gzip::unpack(packed, LONGEST_MESSAGE).map_err(|why| match why {
        Packed::Broken => INTERNAL,
        Packed::TooLong => RESOURCE_EXHAUSTED,
    })
}

fn greet(name: &[u8], output: &mut Vec<u8>) {
    const FIRST_FIELD: u8 = 0x0a;
    let mut head = [0; 11];
    head[0] = FIRST_FIELD;
    let mut at = 1;
    let mut length = name.len() + b"Hello from !".len();
    while length >= 0x80 {
        head[at] = length as u8 | 0x80;
        length >>= 7;
        at += 1;
    }
    head[at] = length as u8;
    push(&[&head[..=at], b"Hello from ", name, b"!"], output);
}

fn push(parts: &[&[u8]], output: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    output.push(0);
    output.extend_from_slice(&(length as u32).to_be_bytes());
    parts.iter().for_each(|part| output.extend_from_slice(part));
}

/// Field 1 of a message, a text; empty if it is not there. `None`: no message.
fn name(mut message: &[u8]) -> Option<&[u8]> {
    let mut name: &[u8] = b"";
    while !message.is_empty() {
        let tag = varint::read(&mut message)?;
        match (tag >> 3, tag & 7) {
            (0, _) => return None,
            (_, 0) => drop(varint::read(&mut message)?),
            (_, 1) => message = message.get(8..)?,
            (_, 5) => message = message.get(4..)?,
            (field, 2) => {
                let length = usize::try_from(varint::read(&mut message)?).ok()?;
                let (text, rest) = message.split_at_checked(length)?;
                message = rest;
                if field == 1 {
                    std::str::from_utf8(text).ok()?;
                    name = text;
                }
            }
            _ => return None,
        }
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        assert_eq!(name(b""), Some(b"".as_slice()));
        assert_eq!(name(b"\x0a\x03abc"), Some(b"abc".as_slice()));
        assert_eq!(
            name(b"\x0a\x01a\x10\x05\x1a\x01z\x0a\x01b"),
            Some(b"b".as_slice())
        );
        for wrong in [
            b"\x0a\x04abc".as_slice(),
            b"\x0a",
            b"\x0b",
            b"\x0a\x01\xff",
            b"\x80",
        ] {
            assert_eq!(name(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn answers() {
        let mut output = Vec::new();
        Call::Hello
            .answer(b"\0\0\0\0\x03\x0a\x01a", &mut output)
            .unwrap();
        assert_eq!(output, b"\0\0\0\0\x0f\x0a\x0dHello from a!");
        output.clear();
        Call::Echo.answer(b"\0\0\0\0\x03xyz", &mut output).unwrap();
        assert_eq!(output, b"\0\0\0\0\x03xyz");
        output.clear();
        Call::Hellos.answer(b"\0\0\0\0\0", &mut output).unwrap();
        assert_eq!(output.len(), 100 * (5 + 2 + 12));
        let status = |request: &[u8]| Call::Hello.answer(request, &mut Vec::new()).unwrap_err();
        assert_eq!(status(b"\0\0\x50\0\0"), RESOURCE_EXHAUSTED);
        assert_eq!(status(b"\0\0\0\0\x09x"), INTERNAL);
        assert_eq!(status(b"\x01\0\0\0\x01x"), INTERNAL);
        assert_eq!(
            Call::Unknown.answer(b"", &mut Vec::new()),
            Err(UNIMPLEMENTED)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(request in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Call::Hello.answer(&request, &mut Vec::new());
            let _ = name(&request);
        }
    }
}
