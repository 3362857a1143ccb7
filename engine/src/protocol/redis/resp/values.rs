//! The values of a reply: lines, and the bulk strings and aggregates that they open.

use super::compare::NULL;
use super::{Aggregate, Kind, Malformed, Reader, Step};
use memchr::memchr;

/// Longest line, be it a header, a simple string or an error.
const LONGEST_LINE: usize = 64 * 1024;
const TOO_LONG: Malformed = Malformed("a line of more than 64 KiB");
/// Redis's own limit, `proto-max-bulk-len`.
const LONGEST_BULK: u64 = 512 << 20;
/// Elements of one array; Redis's own limit.
const MOST_ELEMENTS: u64 = i32::MAX as u64;
const DEEPEST: usize = 32;

impl Reader {
    pub(super) fn bulk(
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
    pub(super) fn line(
        &mut self,
        input: &[u8],
        expected: Option<&[u8]>,
    ) -> Result<Step, Malformed> {
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
                return self.open_aggregate(line[0], text, used, expected)
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

    fn open_aggregate(
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
            b'>' if !self.aggregates.is_empty() || self.begun => {
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
        if self.aggregates.len() == DEEPEST {
            return Err(Malformed("arrays in arrays, 32 deep"));
        }
        self.aggregates.push(Aggregate { left, kind });
        Ok(Step::Part(used))
    }

    /// The next piece of the reply's canonical form; what is in asides is none.
    fn emit(&mut self, piece: &[u8], expected: Option<&[u8]>) {
        if self.asides == 0 {
            self.comparison.take(piece, expected);
        }
    }

    fn emit_header(&mut self, sign: u8, length: usize, expected: Option<&[u8]>) {
        if self.asides == 0 {
            self.comparison.take_header(sign, length, expected);
        }
    }

    fn begin_error(&mut self) {
        if self.asides == 0 {
            self.comparison.begin_error();
        }
    }

    fn extend_error(&mut self, piece: &[u8]) {
        if self.asides == 0 {
            self.comparison.extend_error(piece);
        }
    }
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
