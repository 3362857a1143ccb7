//! RESP2 and RESP3 replies, read from any pieces of the stream and judged on the way.
//!
//! No reply is ever built up: it is compared, piece by piece, with the canonical form of the
//! one expected (simple strings, bulk strings and verbatim strings all as bulk strings; sets
//! and maps as arrays; every null as `_`). So a reply of 500 MB needs no memory, and what is
//! left unread is at most one line.
//! Source: the Redis serialization protocol specification, redis.io/docs/reference/protocol-spec.

use crate::template::push_decimal;
use memchr::memchr;

/// Longest line, be it a header, a simple string or an error.
const LONGEST_LINE: usize = 64 * 1024;
const TOO_LONG: Malformed = Malformed("a line of more than 64 KiB");
/// Redis's own limit, `proto-max-bulk-len`.
const LONGEST_BULK: u64 = 512 << 20;
/// Elements of one array; Redis's own limit.
const MOST_ELEMENTS: u64 = i32::MAX as u64;
const DEEPEST: usize = 32;
/// Bytes of a wrong reply that are kept for the message.
const SHOWN: usize = 120;

/// What came is not RESP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A reply ends after so many bytes; [`Reader::judged`] says what it was.
    Done(usize),
    /// A message that answers nothing (a push) ends there.
    Aside(usize),
    /// So many bytes are used up, and the reply goes on.
    More(usize),
}

/// What a complete reply was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    Right,
    /// An error reply, with its text.
    Error(String),
    /// Another reply than the one expected: the beginning of what came, in canonical form.
    Different(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Array,
    /// An attribute: it stands before a value and is none.
    Attribute,
    /// A push: it stands between replies and is none.
    Push,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Elements still to come.
    left: u64,
    kind: Kind,
}

/// What one step through the input found.
enum Step {
    /// Nothing that can be used before more has come.
    Wait,
    /// So many bytes, but no value ended with them.
    Part(usize),
    /// The last so many bytes of a value.
    Value(usize),
}

/// One reply on its way in.
#[derive(Debug, Default)]
pub struct Reader {
    frames: Vec<Frame>,
    /// Frames that are no arrays: what is in them is not compared.
    asides: usize,
    /// Bytes still to come of a bulk string, its line end not counted.
    bulk: Option<u64>,
    /// That bulk string is an error.
    bulk_is_error: bool,
    begun: bool,
    /// How far the reply is the one expected.
    at: usize,
    different: bool,
    /// The beginning of a wrong reply.
    shown: Vec<u8>,
    /// Text of the first error in the reply.
    error: Option<Vec<u8>>,
}

impl Reader {
    /// Whether a part of a reply has been used up already.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Takes what there is of one reply. `expected` is in canonical form; `None` is not compared.
    ///
    /// # Errors
    /// What came is not RESP, or breaks one of its limits. The reader is of no use afterwards.
    pub fn read(&mut self, input: &[u8], expected: Option<&[u8]>) -> Result<Progress, Malformed> {
        if !self.begun {
            self.reset();
        }
        let mut at = 0;
        loop {
            let rest = &input[at..];
            let step = match self.bulk {
                Some(left) => self.bulk(rest, left, expected)?,
                None => self.line(rest, expected)?,
            };
            match step {
                Step::Wait => return Ok(Progress::More(at)),
                Step::Part(used) => at += used,
                Step::Value(used) => {
                    at += used;
                    if let Some(kind) = self.value_ended() {
                        self.begun = false;
                        return Ok(match kind {
                            Kind::Push => Progress::Aside(at),
                            Kind::Array | Kind::Attribute => Progress::Done(at),
                        });
                    }
                }
            }
            self.begun = true;
        }
    }

    /// What the reply that is done was; `expected` as it was while reading.
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

    fn reset(&mut self) {
        self.frames.clear();
        self.asides = 0;
        self.bulk = None;
        self.bulk_is_error = false;
        self.at = 0;
        self.different = false;
        self.shown.clear();
        self.error = None;
    }

    /// A value is complete, and with it perhaps those around it. Tells what the outermost is.
    fn value_ended(&mut self) -> Option<Kind> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Some(Kind::Array);
            };
            frame.left -= 1;
            if frame.left > 0 {
                return None;
            }
            let kind = frame.kind;
            self.frames.pop();
            match kind {
                Kind::Array => {}
                Kind::Attribute => {
                    self.asides -= 1;
                    return None;
                }
                Kind::Push => return Some(Kind::Push),
            }
        }
    }

    fn bulk(
        &mut self,
        input: &[u8],
        left: u64,
        expected: Option<&[u8]>,
    ) -> Result<Step, Malformed> {
        if left > 0 {
            let here = input.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if here == 0 {
                return Ok(Step::Wait);
            }
            self.emit(&input[..here], expected);
            if self.bulk_is_error {
                self.extend_error(&input[..here]);
            }
            self.bulk = Some(left - here as u64);
            return Ok(Step::Part(here));
        }
        match input {
            [b'\r', b'\n', ..] => {
                self.emit(b"\r\n", expected);
                self.bulk = None;
                self.bulk_is_error = false;
                Ok(Step::Value(2))
            }
            [] | [b'\r'] => Ok(Step::Wait),
            _ => Err(Malformed("a bulk string that is longer than it said")),
        }
    }

    /// The line at the start of `input`: a header or a whole value.
    fn line(&mut self, input: &[u8], expected: Option<&[u8]>) -> Result<Step, Malformed> {
        let Some(end) = memchr(b'\r', input) else {
            return if input.len() > LONGEST_LINE {
                Err(TOO_LONG)
            } else {
                Ok(Step::Wait)
            };
        };
        if end > LONGEST_LINE {
            return Err(TOO_LONG);
        }
        match input.get(end + 1) {
            None => return Ok(Step::Wait),
            Some(b'\n') if end > 0 => {}
            Some(_) => return Err(Malformed("a line that ends wrongly")),
        }
        let (line, used) = (&input[..end], end + 2);
        let text = &line[1..];
        match line[0] {
            b'+' => {
                self.emit_header(b'$', text.len(), expected);
                self.emit(text, expected);
                self.emit(b"\r\n", expected);
            }
            b'-' => {
                self.emit(&input[..used], expected);
                self.begin_error();
                self.extend_error(text);
            }
            b':' => {
                integer(text)?;
                self.emit(&input[..used], expected);
            }
            b'_' if text.is_empty() => self.emit(NULL, expected),
            b'#' if matches!(text, b"t" | b"f") => self.emit(&input[..used], expected),
            b',' | b'(' if !text.is_empty() => self.emit(&input[..used], expected),
            b'$' | b'=' | b'!' => return self.open_bulk(line[0], text, used, expected),
            b'*' | b'~' | b'%' | b'|' | b'>' => {
                return self.open_frame(line[0], text, used, expected)
            }
            _ => return Err(Malformed("not a RESP reply")),
        }
        Ok(Step::Value(used))
    }

    fn open_bulk(
        &mut self,
        kind: u8,
        text: &[u8],
        used: usize,
        expected: Option<&[u8]>,
    ) -> Result<Step, Malformed> {
        if text == b"-1" && kind == b'$' {
            self.emit(NULL, expected);
            return Ok(Step::Value(used));
        }
        let length = length(text, LONGEST_BULK)?;
        self.bulk_is_error = kind == b'!';
        if self.bulk_is_error {
            self.begin_error();
        }
        self.emit_header(b'$', length as usize, expected);
        self.bulk = Some(length);
        Ok(Step::Part(used))
    }

    fn open_frame(
        &mut self,
        sign: u8,
        text: &[u8],
        used: usize,
        expected: Option<&[u8]>,
    ) -> Result<Step, Malformed> {
        if text == b"-1" && sign == b'*' {
            self.emit(NULL, expected);
            return Ok(Step::Value(used));
        }
        let pairs = matches!(sign, b'%' | b'|');
        let left = length(text, MOST_ELEMENTS)? * if pairs { 2 } else { 1 };
        let kind = match sign {
            b'|' => Kind::Attribute,
            b'>' if !self.frames.is_empty() || self.begun => {
                return Err(Malformed("a push inside a reply"))
            }
            b'>' => Kind::Push,
            _ => Kind::Array,
        };
        match kind {
            Kind::Array => self.emit_header(b'*', left as usize, expected),
            Kind::Attribute if left == 0 => return Ok(Step::Part(used)),
            Kind::Push if left == 0 => return Err(Malformed("an empty push")),
            Kind::Attribute | Kind::Push => self.asides += 1,
        }
        if left == 0 {
            return Ok(Step::Value(used));
        }
        if self.frames.len() == DEEPEST {
            return Err(Malformed("arrays in arrays, 32 deep"));
        }
        self.frames.push(Frame { left, kind });
        Ok(Step::Part(used))
    }

    fn emit_header(&mut self, sign: u8, length: usize, expected: Option<&[u8]>) {
        let mut header = Vec::with_capacity(24);
        header.push(sign);
        push_decimal(&mut header, length as u64);
        header.extend_from_slice(b"\r\n");
        self.emit(&header, expected);
    }

    /// Compares the next piece of the reply's canonical form with the one expected.
    fn emit(&mut self, piece: &[u8], expected: Option<&[u8]>) {
        let Some(expected) = expected else { return };
        if self.asides > 0 {
            return;
        }
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

    fn begin_error(&mut self) {
        if self.asides == 0 && self.error.is_none() {
            self.error = Some(Vec::new());
        }
    }

    fn extend_error(&mut self, piece: &[u8]) {
        if let (0, Some(error)) = (self.asides, &mut self.error) {
            extend_to(error, piece);
        }
    }
}

/// Every null in canonical form.
pub const NULL: &[u8] = b"_\r\n";

fn extend_to(shown: &mut Vec<u8>, piece: &[u8]) {
    let room = SHOWN.saturating_sub(shown.len());
    shown.extend_from_slice(&piece[..piece.len().min(room)]);
}

fn length(digits: &[u8], most: u64) -> Result<u64, Malformed> {
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Malformed("a length that is none"));
    }
    // Ten digits fit.
    let length = digits
        .iter()
        .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    if length > most {
        return Err(Malformed("a length beyond every limit"));
    }
    Ok(length)
}

fn integer(text: &[u8]) -> Result<i64, Malformed> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or(Malformed("an integer that is none"))
}
