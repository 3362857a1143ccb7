//! A reply's canonical form, compared with the one expected as it comes; none of it is kept.

use std::io::Write;

/// Every null in canonical form.
pub const NULL: &[u8] = b"_\r\n";
/// Bytes of a wrong reply that are kept for the message.
const SHOWN: usize = 120;
/// A sign, the digits of a length, a line end.
const LONGEST_HEADER: usize = 24;

/// What a complete reply was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    Right,
    /// An error reply, with its text.
    Error(String),
    /// Another reply than the one expected: the beginning of what came, in canonical form.
    Different(String),
}

#[derive(Debug, Default)]
pub struct Comparison {
    /// How far the reply is the one expected.
    at: usize,
    different: bool,
    /// The beginning of a wrong reply.
    shown: Vec<u8>,
    /// Text of the first error in the reply.
    error: Option<Vec<u8>>,
}

impl Comparison {
    pub fn reset(&mut self) {
        self.at = 0;
        self.different = false;
        self.shown.clear();
        self.error = None;
    }

    /// The next piece.
    pub fn take(&mut self, piece: &[u8], expected: Option<&[u8]>) {
        let Some(expected) = expected else { return };
        if !self.different {
            if expected[self.at..].starts_with(piece) {
                self.at += piece.len();
                return;
            }
            self.different = true;
            extend_to(&mut self.shown, &expected[..self.at]);
        }
        extend_to(&mut self.shown, piece);
    }

    /// The header of a string or an array of this length.
    pub fn take_header(&mut self, sign: u8, length: usize, expected: Option<&[u8]>) {
        let mut header = [0; LONGEST_HEADER];
        let mut rest = &mut header[..];
        let written = write!(rest, "{}{length}\r\n", char::from(sign));
        written.expect("there is room for every length");
        let left = rest.len();
        self.take(&header[..LONGEST_HEADER - left], expected);
    }

    pub fn begin_error(&mut self) {
        self.error.get_or_insert_default();
    }

    pub fn extend_error(&mut self, piece: &[u8]) {
        if let Some(error) = &mut self.error {
            extend_to(error, piece);
        }
    }

    /// What the reply was, now that it is complete.
    pub fn judged(&self, expected: Option<&[u8]>) -> Judged {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let right = match expected {
            Some(expected) => !self.different && self.at == expected.len(),
            None => self.error.is_none(),
        };
        match &self.error {
            _ if right => Judged::Right,
            Some(error) => Judged::Error(text(error)),
            None => Judged::Different(text(&self.shown)),
        }
    }
}

fn extend_to(shown: &mut Vec<u8>, piece: &[u8]) {
    let room = SHOWN.saturating_sub(shown.len());
    shown.extend_from_slice(&piece[..piece.len().min(room)]);
}
