//! Frames of WebSocket (RFC 6455, section 5): a pure function from bytes to what they say, and back.

/// A control frame has no longer payload.
pub const LONGEST_CONTROL: usize = 125;

/// Lengths up to here stand in the second byte; 126 and 127 say that two or eight bytes follow.
const LONGEST_SHORT: usize = 125;
const TWO_BYTES: u8 = 126;
const EIGHT_BYTES: u8 = 127;

const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

impl Opcode {
    pub fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }

    fn of(bits: u8) -> Option<Self> {
        let all = [
            Self::Continuation,
            Self::Text,
            Self::Binary,
            Self::Close,
            Self::Ping,
            Self::Pong,
        ];
        all.into_iter().find(|opcode| *opcode as u8 == bits)
    }
}

/// Why these bytes are no WebSocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

/// What stands before a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The last frame of its message.
    pub fin: bool,
    pub opcode: Opcode,
    pub key: Option<[u8; 4]>,
    /// Bytes of the payload.
    pub length: u64,
    /// Bytes of the header itself.
    pub size: usize,
}

impl Header {
    /// Reads the header at the start of `input`: `Ok(None)` if it is not all there yet.
    ///
    /// # Errors
    /// [`Malformed`] if it breaks RFC 6455, or asks for an extension.
    #[inline]
    pub fn parse(input: &[u8]) -> Result<Option<Self>, Malformed> {
        let [first, second, rest @ ..] = input else {
            return Ok(None);
        };
        if first & RESERVED != 0 {
            return Err(Malformed(
                "a frame with reserved bits: an extension, unasked",
            ));
        }
        let opcode = Opcode::of(first & 0xf).ok_or(Malformed("a frame of a reserved opcode"))?;
        let short = second & !MASKED;
        let (length, extended) = match short {
            TWO_BYTES => match rest.first_chunk::<2>() {
                Some(bytes) => (u16::from_be_bytes(*bytes).into(), 2),
                None => return Ok(None),
            },
            EIGHT_BYTES => match rest.first_chunk::<8>() {
                Some(bytes) => (u64::from_be_bytes(*bytes), 8),
                None => return Ok(None),
            },
            _ => (u64::from(short), 0),
        };
        let least = match short {
            TWO_BYTES => LONGEST_SHORT as u64 + 1,
            EIGHT_BYTES => u64::from(u16::MAX) + 1,
            _ => 0,
        };
        if length < least || length > i64::MAX as u64 {
            return Err(Malformed(
                "a frame whose length is not written as it has to be",
            ));
        }
        let fin = first & FIN != 0;
        if opcode.is_control() && (!fin || length > LONGEST_CONTROL as u64) {
            return Err(Malformed(
                "a control frame in fragments, or of over 125 bytes",
            ));
        }
        let key = match second & MASKED {
            0 => None,
            _ => match rest[extended..].first_chunk::<4>() {
                Some(key) => Some(*key),
                None => return Ok(None),
            },
        };
        Ok(Some(Self {
            fin,
            opcode,
            key,
            length,
            size: 2 + extended + if key.is_some() { 4 } else { 0 },
        }))
    }
}

/// Appends a whole message or a control frame, as one frame; with `key` it is masked.
#[inline]
pub fn write(opcode: Opcode, payload: &[u8], key: Option<[u8; 4]>, output: &mut Vec<u8>) {
    let masked = if key.is_some() { MASKED } else { 0 };
    output.push(FIN | opcode as u8);
    match (payload.len(), u16::try_from(payload.len())) {
        (short @ ..=LONGEST_SHORT, _) => output.push(masked | short as u8),
        (_, Ok(length)) => {
            output.push(masked | TWO_BYTES);
            output.extend_from_slice(&length.to_be_bytes());
        }
        (length, Err(_)) => {
            output.push(masked | EIGHT_BYTES);
            output.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    output.extend_from_slice(key.as_ref().map_or(&[], <[u8; 4]>::as_slice));
    let at = output.len();
    output.extend_from_slice(payload);
    if let Some(key) = key {
        mask(&mut output[at..], key);
    }
}

/// Masks a payload, or takes its mask off, eight bytes at a time.
#[inline]
pub fn mask(payload: &mut [u8], key: [u8; 4]) {
    let [a, b, c, d] = key;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut words = payload.chunks_exact_mut(8);
    for word in &mut words {
        let bytes: [u8; 8] = (&*word).try_into().expect("eight bytes");
        word.copy_from_slice(&(u64::from_ne_bytes(bytes) ^ wide).to_ne_bytes());
    }
    for (byte, key) in words.into_remainder().iter_mut().zip(key.iter().cycle()) {
        *byte ^= key;
    }
}

/// Payload of a close frame, taken apart.
///
/// # Errors
/// A code that may not be sent, or a reason that is no text.
pub fn close(payload: &[u8]) -> Result<(Option<u16>, &str), Malformed> {
    let Some((code, reason)) = payload.split_first_chunk::<2>() else {
        return match payload {
            [] => Ok((None, "")),
            _ => Err(Malformed("a close frame with half of a code")),
        };
    };
    let code = u16::from_be_bytes(*code);
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(Malformed("a close frame with a code that may not be sent"));
    }
    let reason = std::str::from_utf8(reason)
        .map_err(|_| Malformed("a close frame whose reason is not UTF-8"))?;
    Ok((Some(code), reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            length in prop_oneof![0usize..300, 65_530usize..65_550],
            key in any::<Option<[u8; 4]>>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let payload: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut bytes = Vec::new();
            write(Opcode::Binary, &payload, key, &mut bytes);
            let header = Header::parse(&bytes).unwrap().unwrap();
            prop_assert_eq!((header.fin, header.opcode, header.key), (true, Opcode::Binary, key));
            prop_assert_eq!(header.length as usize, length);
            prop_assert_eq!(Header::parse(&bytes[..cut.index(header.size)]), Ok(None));
            let mut read = bytes.split_off(header.size);
            mask(&mut read, key.unwrap_or_default());
            prop_assert_eq!(read, payload);
        }

        #[test]
        fn a_mask_is_taken_off_by_itself(payload in prop::collection::vec(any::<u8>(), 0..40), key in any::<[u8; 4]>()) {
            let by_hand: Vec<u8> = payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
            let mut masked = payload;
            mask(&mut masked, key);
            prop_assert_eq!(masked, by_hand);
        }
    }

    #[test]
    fn the_examples_of_the_rfc() {
        // Section 5.7.
        let mut bytes = Vec::new();
        write(
            Opcode::Text,
            b"Hello",
            Some([0x37, 0xfa, 0x21, 0x3d]),
            &mut bytes,
        );
        let masked = [
            0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
        ];
        assert_eq!(bytes, masked);
        bytes.clear();
        write(Opcode::Ping, b"Hello", None, &mut bytes);
        assert_eq!(bytes, [0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]);
    }

    #[test]
    fn headers_that_break_the_rfc() {
        for bytes in [
            &[0xc1, 0x00][..],
            &[0x83, 0x00],
            &[0x8b, 0x00],
            &[0x09, 0x00],
            &[0x89, 0x7e, 0x00, 0x7e],
            &[0x81, 0x7e, 0x00, 0x7d],
            &[0x81, 0x7f, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
            &[0x81, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert!(Header::parse(bytes).is_err(), "{bytes:02x?}");
        }
    }

    #[test]
    fn close_frames() {
        assert_eq!(close(b""), Ok((None, "")));
        assert_eq!(close(b"\x03\xe8bye"), Ok((Some(1000), "bye")));
        for wrong in [&b"\x03"[..], b"\x03\xed", b"\x00\x01", b"\x03\xe8\xff"] {
            assert!(close(wrong).is_err(), "{wrong:02x?}");
        }
    }
}
