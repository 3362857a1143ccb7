//! Frames of HTTP/2, RFC 9113 sections 4 and 6.

/// What a client says first.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 0x1;
pub const ACK: u8 = 0x1;
pub const END_HEADERS: u8 = 0x4;
pub const PADDED: u8 = 0x8;
const WITH_PRIORITY: u8 = 0x20;

pub const HEADER_TABLE_SIZE: u16 = 1;
pub const ENABLE_PUSH: u16 = 2;
pub const MAX_CONCURRENT_STREAMS: u16 = 3;
pub const INITIAL_WINDOW_SIZE: u16 = 4;
pub const MAX_FRAME_SIZE: u16 = 5;

pub const HEADER: usize = 9;
/// The window of a connection and of each stream before anyone says anything else.
pub const WINDOW: u32 = 65_535;
pub const LARGEST_WINDOW: i64 = (1 << 31) - 1;
/// The frame size that everyone has to take, and the only one that is announced here.
pub const FRAME_SIZE: usize = 16_384;
pub const LARGEST_FRAME_SIZE: u32 = (1 << 24) - 1;
pub const LAST_STREAM: u32 = (1 << 31) - 1;
/// A header block spread over frames.
pub const LONGEST_BLOCK: usize = 64 * 1024;

/// Error codes, by number; RFC 9113 section 7.
const CODES: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];
pub const NO_ERROR: u32 = 0;
pub const PROTOCOL_ERROR: u32 = 1;
pub const FLOW_CONTROL_ERROR: u32 = 3;
pub const CANCEL: u32 = 8;

pub fn code_name(code: u32) -> &'static str {
    CODES.get(code as usize).copied().unwrap_or("unknown code")
}

/// What came is not HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

/// A whole frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The frame at the start of `input` and its whole length; `None` if it is not all there.
    ///
    /// # Errors
    /// It is longer than [`FRAME_SIZE`].
    #[inline]
    pub fn parse(input: &'a [u8]) -> Result<Option<(Self, usize)>, Malformed> {
        let Some((header, rest)) = input.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
        if length > FRAME_SIZE {
            return Err(Malformed("a frame that is longer than announced"));
        }
        let Some(payload) = rest.get(..length) else {
            return Ok(None);
        };
        let stream = u32::from_be_bytes([header[5], header[6], header[7], header[8]]);
        let frame = Self {
            kind: header[3],
            flags: header[4],
            stream: stream & LAST_STREAM,
            payload,
        };
        Ok(Some((frame, HEADER + length)))
    }

    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The payload without padding and priority (DATA and HEADERS).
    #[inline]
    pub fn content(&self) -> Result<&'a [u8], Malformed> {
        const WRONG: Malformed = Malformed("a frame with more padding than it is long");
        let mut content = self.payload;
        if self.has(PADDED) {
            let (&padding, rest) = content.split_first().ok_or(WRONG)?;
            content = rest
                .get(..rest.len().wrapping_sub(usize::from(padding)))
                .ok_or(WRONG)?;
        }
        if self.kind == HEADERS && self.has(WITH_PRIORITY) {
            content = content.get(5..).ok_or(WRONG)?;
        }
        Ok(content)
    }

    /// The one number of RST_STREAM and WINDOW_UPDATE.
    pub fn number(&self) -> Result<u32, Malformed> {
        let bytes: [u8; 4] = self
            .payload
            .try_into()
            .map_err(|_| Malformed("a frame of a wrong length"))?;
        Ok(u32::from_be_bytes(bytes))
    }

    /// The settings, by number.
    pub fn settings(&self) -> Result<impl Iterator<Item = (u16, u32)> + 'a, Malformed> {
        if self.stream != 0 || self.payload.len() % 6 != 0 {
            return Err(Malformed("SETTINGS of a wrong form"));
        }
        Ok(self.payload.chunks_exact(6).map(|entry| {
            let value = u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]);
            (u16::from_be_bytes([entry[0], entry[1]]), value)
        }))
    }
}

/// Appends a frame's header.
#[inline]
pub fn push_header(length: usize, kind: u8, flags: u8, stream: u32, output: &mut Vec<u8>) {
    let [_, a, b, c] = (length as u32).to_be_bytes();
    let [d, e, f, g] = stream.to_be_bytes();
    output.extend_from_slice(&[a, b, c, kind, flags, d, e, f, g]);
}

/// Appends a whole frame.
#[inline]
pub fn push(kind: u8, flags: u8, stream: u32, payload: &[u8], output: &mut Vec<u8>) {
    push_header(payload.len(), kind, flags, stream, output);
    output.extend_from_slice(payload);
}

pub fn push_settings(settings: &[(u16, u32)], output: &mut Vec<u8>) {
    push_header(settings.len() * 6, SETTINGS, 0, 0, output);
    for (number, value) in settings {
        output.extend_from_slice(&number.to_be_bytes());
        output.extend_from_slice(&value.to_be_bytes());
    }
}

pub fn push_window_update(stream: u32, more: u32, output: &mut Vec<u8>) {
    push(WINDOW_UPDATE, 0, stream, &more.to_be_bytes(), output);
}

pub fn push_reset(stream: u32, code: u32, output: &mut Vec<u8>) {
    push(RST_STREAM, 0, stream, &code.to_be_bytes(), output);
}

/// Appends a header block as HEADERS and as many CONTINUATIONs as it takes.
pub fn push_block(block: &[u8], flags: u8, stream: u32, output: &mut Vec<u8>) {
    let mut pieces = block.chunks(FRAME_SIZE).peekable();
    let mut kind = HEADERS;
    let mut flags = flags;
    loop {
        let piece = pieces.next().unwrap_or_default();
        if pieces.peek().is_none() {
            return push(kind, flags | END_HEADERS, stream, piece, output);
        }
        push(kind, flags, stream, piece, output);
        (kind, flags) = (CONTINUATION, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_there_and_back() {
        let mut bytes = Vec::new();
        push(DATA, END_STREAM, 7, b"hello", &mut bytes);
        for cut in 0..bytes.len() {
            assert_eq!(Frame::parse(&bytes[..cut]), Ok(None));
        }
        let (frame, used) = Frame::parse(&bytes).unwrap().unwrap();
        assert_eq!((frame.kind, frame.stream, used), (DATA, 7, 14));
        assert_eq!(frame.content(), Ok(b"hello".as_slice()));
    }

    #[test]
    fn padding_and_priority_are_left_out() {
        let frame = |kind, flags, payload| Frame {
            kind,
            flags,
            stream: 1,
            payload,
        };
        let padded = frame(DATA, PADDED, b"\x02ab\0\0");
        assert_eq!(padded.content(), Ok(b"ab".as_slice()));
        let both = frame(HEADERS, PADDED | WITH_PRIORITY, b"\x01\0\0\0\0\x10ab\0");
        assert_eq!(both.content(), Ok(b"ab".as_slice()));
        for wrong in [b"".as_slice(), b"\x01", b"\x05abcd"] {
            assert!(frame(DATA, PADDED, wrong).content().is_err());
        }
        assert!(frame(HEADERS, WITH_PRIORITY, b"\0\0\0\0")
            .content()
            .is_err());
    }

    #[test]
    fn a_long_block_continues() {
        let mut bytes = Vec::new();
        push_block(&[7; 40_000], END_STREAM, 3, &mut bytes);
        let mut kinds = Vec::new();
        let mut rest = bytes.as_slice();
        while let Ok(Some((frame, used))) = Frame::parse(rest) {
            kinds.push((frame.kind, frame.flags, frame.payload.len()));
            rest = &rest[used..];
        }
        let expected = [
            (HEADERS, 1, 16_384),
            (CONTINUATION, 0, 16_384),
            (CONTINUATION, 4, 7_232),
        ];
        assert_eq!(kinds, expected);
    }
}
