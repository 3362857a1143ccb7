//! The messages of one reply, compared as they come in.

use super::expected::Wanted;
use super::framing::PREFIX;
use crate::encoding::gzip;
use crate::protocol::Slot;

/// Servers and clients of gRPC agree on 4 MiB where nobody says anything else.
const LONGEST_MESSAGE: u32 = 4 << 20;

#[derive(Debug, Default)]
pub struct Body {
    prefix: [u8; PREFIX],
    /// Bytes of the prefix that have come.
    have: usize,
    /// Bytes of the message that are still to come.
    left: u32,
    /// How far the message is the one expected; from then on it is collected in `got`.
    at: usize,
    collecting: bool,
    /// The message is compressed.
    is_packed: bool,
    /// The message that is different, or of which that is not known yet.
    got: Vec<u8>,
    pub messages: u32,
    pub is_different: bool,
    /// Where messages are timed: whose they are, and how many of them the loop has heard of.
    pub slot: Slot,
    pub timed: u32,
}

impl Body {
    /// Ready for another reply; memory is kept.
    pub fn reset(&mut self) {
        self.have = 0;
        self.left = 0;
        self.at = 0;
        self.collecting = false;
        self.got.clear();
        self.messages = 0;
        self.is_different = false;
        self.timed = 0;
    }

    /// Messages that the loop has not heard of yet.
    pub fn new_messages(&mut self) -> u32 {
        self.messages - std::mem::replace(&mut self.timed, self.messages)
    }

    /// The last message is complete.
    pub fn is_whole(&self) -> bool {
        self.have == 0
    }

    /// The first message that is not the one expected.
    pub fn got(&self) -> &[u8] {
        &self.got
    }

    /// How many bytes at the beginning of `data` belong to the message in hand; at least 1 where
    /// there are any.
    pub fn of_this_message(&self, data: &[u8]) -> usize {
        let missing = PREFIX - self.have;
        if missing == 0 {
            return data.len().min(self.left as usize);
        }
        let Some(rest) = data.len().checked_sub(missing) else {
            return data.len();
        };
        let mut prefix = self.prefix;
        prefix[self.have..].copy_from_slice(&data[..missing]);
        let [_, length @ ..] = prefix;
        missing + rest.min(u32::from_be_bytes(length) as usize)
    }

    /// `gzip`: compressed messages are welcome.
    ///
    /// # Errors
    /// What the call is to fail with.
    #[inline]
    pub fn take(
        &mut self,
        mut data: &[u8],
        expected: Option<&Wanted>,
        gzip: bool,
    ) -> Result<(), &'static str> {
        if let (Some(expected), true) = (expected, self.is_whole()) {
            while let Some(rest) = expected.strip(data) {
                self.messages += 1;
                data = rest;
            }
        }
        if data.is_empty() {
            return Ok(());
        }
        self.take_slowly(data, expected, gzip)
    }

    fn take_slowly(
        &mut self,
        mut data: &[u8],
        expected: Option<&Wanted>,
        gzip: bool,
    ) -> Result<(), &'static str> {
        loop {
            if self.have < PREFIX {
                let here = data.len().min(PREFIX - self.have);
                self.prefix[self.have..self.have + here].copy_from_slice(&data[..here]);
                self.have += here;
                data = &data[here..];
                if self.have < PREFIX {
                    return Ok(());
                }
                self.begin(gzip)?;
            }
            let here = data.len().min(self.left as usize);
            let (piece, rest) = data.split_at(here);
            self.piece(piece, expected);
            self.left -= here as u32;
            data = rest;
            if self.left > 0 {
                return Ok(());
            }
            self.end(expected)?;
            if data.is_empty() {
                return Ok(());
            }
        }
    }

    fn begin(&mut self, gzip: bool) -> Result<(), &'static str> {
        let [flag, length @ ..] = self.prefix;
        self.left = u32::from_be_bytes(length);
        self.at = 0;
        self.is_packed = flag == 1;
        self.collecting = self.is_packed;
        if self.is_packed && !self.is_different {
            self.got.clear();
        }
        match flag {
            _ if self.left > LONGEST_MESSAGE => Err("a message of over 4 MiB"),
            0 => Ok(()),
            1 if gzip => Ok(()),
            1 => Err("a compressed reply that nobody asked for"),
            _ => Err("no gRPC message: its first byte is neither 0 nor 1"),
        }
    }

    fn piece(&mut self, piece: &[u8], expected: Option<&Wanted>) {
        let Some(expected) = expected else { return };
        let message = expected.message();
        if self.is_different {
            // One wrong message is enough to tell.
        } else if self.collecting {
            self.got.extend_from_slice(piece);
        } else if message[self.at..].starts_with(piece) {
            self.at += piece.len();
        } else {
            self.collecting = true;
            self.got.clear();
            self.got.extend_from_slice(&message[..self.at]);
            self.got.extend_from_slice(piece);
        }
    }

    fn end(&mut self, expected: Option<&Wanted>) -> Result<(), &'static str> {
        self.have = 0;
        self.messages += 1;
        let Some(expected) = expected else {
            return Ok(());
        };
        let message = expected.message();
        if self.is_different || (!self.collecting && self.at == message.len()) {
            return Ok(());
        }
        if self.is_packed {
            let message = gzip::unpack(&self.got, LONGEST_MESSAGE as usize);
            let message = message.map_err(|_| "a compressed message that cannot be unpacked")?;
            let packed = std::mem::replace(&mut self.got, message);
            if expected.is(&self.got) {
                expected.is_also(&packed);
                return Ok(());
            }
        } else if !self.collecting {
            self.got.clear();
            self.got.extend_from_slice(&message[..self.at]);
        }
        self.is_different = !expected.is(&self.got);
        Ok(())
    }
}
