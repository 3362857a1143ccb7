//! Commands, rendered into a fixed buffer that leaves when it is full.

use crate::wire::Wire;
use crate::Error;

const BUFFER_BYTES: usize = 64 * 1024;
/// `$`, up to twenty digits, CR LF.
const HEADER_BYTES: usize = 23;
/// A part whose length is one digit.
const SHORT_BYTES: usize = 9;

pub struct Output {
    buffer: Box<[u8; BUFFER_BYTES]>,
    length: usize,
}

impl Output {
    pub fn new() -> Self {
        Output {
            buffer: Box::new([0; BUFFER_BYTES]),
            length: 0,
        }
    }
}

/// Takes the commands of a pipeline. Its methods fail only where the connection does.
pub struct Pipeline<'a> {
    wire: &'a mut Wire,
    output: &'a mut Output,
    commands: usize,
}

impl<'a> Pipeline<'a> {
    pub(crate) fn new(wire: &'a mut Wire, output: &'a mut Output) -> Self {
        // What an earlier pipeline left unsent, when it broke off, is not to be sent now.
        output.length = 0;
        Pipeline {
            wire,
            output,
            commands: 0,
        }
    }

    /// Any command, as its parts.
    pub fn command<P: AsRef<[u8]>>(&mut self, parts: &[P]) -> Result<(), Error> {
        self.header(b'*', parts.len())?;
        for part in parts {
            self.part(part.as_ref())?;
        }
        self.commands += 1;
        Ok(())
    }

    /// A command of a known number of parts, with one look at the room left where they are short.
    #[inline]
    fn fixed<const N: usize>(&mut self, parts: [&[u8]; N]) -> Result<(), Error> {
        if N > 9 || parts.iter().any(|part| part.len() > SHORT_BYTES) {
            return self.command(&parts);
        }
        self.reserve(4 + N * (SHORT_BYTES + 6))?;
        let mut room = &mut self.output.buffer[self.output.length..];
        let before = room.len();
        room = put(room, &[b'*', b'0' + N as u8, b'\r', b'\n']);
        for part in parts {
            room = put(room, &[b'$', b'0' + part.len() as u8, b'\r', b'\n']);
            room = put(room, part);
            room = put(room, b"\r\n");
        }
        self.output.length += before - room.len();
        self.commands += 1;
        Ok(())
    }

    #[inline]
    pub fn get(&mut self, key: impl AsRef<[u8]>) -> Result<(), Error> {
        self.fixed([b"GET", key.as_ref()])
    }

    #[inline]
    pub fn set(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<(), Error> {
        self.fixed([b"SET", key.as_ref(), value.as_ref()])
    }

    #[inline]
    pub fn incr(&mut self, key: impl AsRef<[u8]>) -> Result<(), Error> {
        self.fixed([b"INCR", key.as_ref()])
    }

    #[inline]
    pub fn del(&mut self, key: impl AsRef<[u8]>) -> Result<(), Error> {
        self.fixed([b"DEL", key.as_ref()])
    }

    /// Sends what is left; returns the number of replies due.
    pub(crate) fn finish(self) -> Result<usize, Error> {
        let length = std::mem::take(&mut self.output.length);
        self.wire.send(&self.output.buffer[..length])?;
        Ok(self.commands)
    }

    #[inline]
    fn part(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.header(b'$', bytes.len())?;
        if bytes.len() + 2 > BUFFER_BYTES {
            self.flush()?;
            self.wire.send(bytes)?;
            self.push(b"\r\n");
            return Ok(());
        }
        self.reserve(bytes.len() + 2)?;
        self.push(bytes);
        self.push(b"\r\n");
        Ok(())
    }

    #[inline]
    fn header(&mut self, kind: u8, number: usize) -> Result<(), Error> {
        self.reserve(HEADER_BYTES)?;
        if number < 10 {
            self.push(&[kind, b'0' + number as u8, b'\r', b'\n']);
        } else {
            self.long_header(kind, number);
        }
        Ok(())
    }

    #[cold]
    fn long_header(&mut self, kind: u8, mut number: usize) {
        let mut digits = [0; 20];
        let mut start = digits.len();
        while number > 0 {
            start -= 1;
            digits[start] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        self.push(&[kind]);
        self.push(&digits[start..]);
        self.push(b"\r\n");
    }

    #[inline]
    fn push(&mut self, bytes: &[u8]) {
        let end = self.output.length + bytes.len();
        self.output.buffer[self.output.length..end].copy_from_slice(bytes);
        self.output.length = end;
    }

    #[inline]
    fn reserve(&mut self, bytes: usize) -> Result<(), Error> {
        if self.output.length + bytes > BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    #[cold]
    fn flush(&mut self) -> Result<(), Error> {
        let length = std::mem::take(&mut self.output.length);
        self.wire.send(&self.output.buffer[..length])
    }
}

/// Writes to the start of `room`; what is left of it.
#[inline]
fn put<'a>(room: &'a mut [u8], bytes: &[u8]) -> &'a mut [u8] {
    let (start, rest) = room.split_at_mut(bytes.len());
    start.copy_from_slice(bytes);
    rest
}
