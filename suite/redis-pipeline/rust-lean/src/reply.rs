//! RESP2 replies, parsed where they lie.

use crate::Error;

/// Redis's own limit of a string (proto-max-bulk-len).
const MAX_TEXT_BYTES: i64 = 512 * 1024 * 1024;
const MAX_LINE_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 128;

/// One reply, borrowed from the buffer that it was read into.
#[derive(Debug, PartialEq)]
pub enum Reply<'a> {
    Nil,
    Integer(i64),
    /// A status, such as `OK`.
    Status(&'a [u8]),
    Text(&'a [u8]),
    Error(&'a [u8]),
    List(Vec<Reply<'a>>),
}

/// One reply that owns what it holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Nil,
    Okay,
    Integer(i64),
    Status(String),
    Text(Vec<u8>),
    Error(String),
    List(Vec<Value>),
}

impl Reply<'_> {
    pub fn to_value(&self) -> Value {
        match self {
            Reply::Nil => Value::Nil,
            Reply::Integer(number) => Value::Integer(*number),
            Reply::Status(b"OK") => Value::Okay,
            Reply::Status(text) => Value::Status(String::from_utf8_lossy(text).into_owned()),
            Reply::Text(text) => Value::Text(text.to_vec()),
            Reply::Error(text) => Value::Error(String::from_utf8_lossy(text).into_owned()),
            Reply::List(items) => Value::List(items.iter().map(Reply::to_value).collect()),
        }
    }
}

/// Where the parts of a reply lie, found before anything is borrowed from the buffer: so that a caller who
/// finds a reply incomplete can read on.
#[derive(Clone, Copy)]
pub struct Shape {
    kind: Kind,
    /// Bytes of the whole reply.
    pub length: usize,
}

#[derive(Clone, Copy)]
enum Kind {
    Nil,
    Integer(i64),
    /// The bytes of the line, without its first.
    Status,
    Error,
    /// The bytes from here to the last line end.
    Text {
        start: usize,
    },
    /// The items start here.
    List {
        items: usize,
        start: usize,
    },
}

impl Shape {
    /// The shape of the reply at the start of `bytes`; `None` if it is not there in full yet.
    #[inline]
    pub fn find(bytes: &[u8]) -> Result<Option<Shape>, Error> {
        Shape::find_nested(bytes, 0)
    }

    #[inline]
    fn find_nested(bytes: &[u8], depth: usize) -> Result<Option<Shape>, Error> {
        let Some(line_bytes) = line_length(bytes)? else {
            return Ok(None);
        };
        let (first, line) = (bytes[0], &bytes[1..line_bytes]);
        let length = line_bytes + 2;
        let kind = match first {
            b'+' => Kind::Status,
            b':' => Kind::Integer(integer(line)?),
            b'-' => Kind::Error,
            b'$' => return text(bytes, integer(line)?, length),
            b'*' => return list(bytes, integer(line)?, length, depth),
            _ => return Err(Error::Protocol("a reply cannot start like this")),
        };
        Ok(Some(Shape { kind, length }))
    }

    /// The reply of this shape; `bytes` are those that it was found in.
    #[inline]
    pub fn reply(self, bytes: &[u8]) -> Result<Reply<'_>, Error> {
        let line = || &bytes[1..self.length - 2];
        Ok(match self.kind {
            Kind::Nil => Reply::Nil,
            Kind::Integer(number) => Reply::Integer(number),
            Kind::Status => Reply::Status(line()),
            Kind::Error => Reply::Error(line()),
            Kind::Text { start } => Reply::Text(&bytes[start..self.length - 2]),
            Kind::List { items, start } => Reply::List(list_items(bytes, items, start)?),
        })
    }
}

/// Bytes of the first line before its CR LF.
#[inline]
fn line_length(bytes: &[u8]) -> Result<Option<usize>, Error> {
    // Lines are short: a plain loop beats a vectorised search.
    match bytes.iter().position(|byte| *byte == b'\n') {
        // However much of it has come: what is refused must not depend on that.
        Some(end) if end > MAX_LINE_BYTES => Err(Error::Protocol("a line without an end")),
        Some(end) if end >= 2 && bytes[end - 1] == b'\r' => Ok(Some(end - 1)),
        Some(_) => Err(Error::Protocol("a line that is empty or does not end in CR LF")),
        None if bytes.len() > MAX_LINE_BYTES => Err(Error::Protocol("a line without an end")),
        None => Ok(None),
    }
}

#[inline]
fn text(bytes: &[u8], size: i64, start: usize) -> Result<Option<Shape>, Error> {
    if size == -1 {
        return Ok(Some(Shape {
            kind: Kind::Nil,
            length: start,
        }));
    }
    if !(0..=MAX_TEXT_BYTES).contains(&size) {
        return Err(Error::Protocol("a string of an impossible length"));
    }
    let end = start + size as usize;
    match bytes.get(end..end + 2) {
        None => Ok(None),
        Some(b"\r\n") => Ok(Some(Shape {
            kind: Kind::Text { start },
            length: end + 2,
        })),
        Some(_) => Err(Error::Protocol("a string that no CR LF follows")),
    }
}

#[cold]
fn list(bytes: &[u8], items: i64, start: usize, depth: usize) -> Result<Option<Shape>, Error> {
    if items == -1 {
        return Ok(Some(Shape {
            kind: Kind::Nil,
            length: start,
        }));
    }
    if !(0..=i64::from(i32::MAX)).contains(&items) {
        return Err(Error::Protocol("a list of an impossible length"));
    }
    if depth == MAX_DEPTH {
        return Err(Error::Protocol("lists are nested too deep"));
    }
    let items = items as usize;
    let mut length = start;
    for _ in 0..items {
        match Shape::find_nested(&bytes[length..], depth + 1)? {
            None => return Ok(None),
            Some(item) => length += item.length,
        }
    }
    Ok(Some(Shape {
        kind: Kind::List { items, start },
        length,
    }))
}

fn list_items(bytes: &[u8], count: usize, start: usize) -> Result<Vec<Reply<'_>>, Error> {
    let mut items = Vec::with_capacity(count);
    let mut rest = &bytes[start..];
    for _ in 0..count {
        let shape = Shape::find(rest)?.ok_or(Error::Protocol("a list that ends early"))?;
        items.push(shape.reply(rest)?);
        rest = &rest[shape.length..];
    }
    Ok(items)
}

/// The reply at the start of `bytes` and its length; `None` if it is not there in full yet.
pub fn parse(bytes: &[u8]) -> Result<Option<(Reply<'_>, usize)>, Error> {
    match Shape::find(bytes)? {
        None => Ok(None),
        Some(shape) => Ok(Some((shape.reply(bytes)?, shape.length))),
    }
}

/// A signed decimal number of 64 bits.
#[inline]
fn integer(digits: &[u8]) -> Result<i64, Error> {
    let wrong = || Error::Protocol("a number that is none, or too large");
    let (negative, digits) = match digits {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, digits),
    };
    if digits.is_empty() || digits.len() > 19 {
        return Err(wrong());
    }
    // Nineteen digits always fit an unsigned number.
    let mut number = 0_u64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return Err(wrong());
        }
        number = number * 10 + u64::from(digit);
    }
    if negative {
        0_i64.checked_sub_unsigned(number).ok_or_else(wrong)
    } else {
        i64::try_from(number).map_err(|_| wrong())
    }
}
