//! The head of an HTTP/1.x reply: a pure function from bytes to what they say.

use crate::protocol::http::content::Coding;
use memchr::memchr;

/// A longer head is refused: no server needs it, and a buffer must have an end.
pub const LONGEST_HEAD: usize = 64 * 1024;

/// How the end of the body is found (RFC 9112, section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// What the head of a reply says, as far as a load generator has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// Bytes of the head, its empty line included.
    pub len: usize,
    pub status: u16,
    /// Framing that the headers state; a reply to HEAD, 1xx, 204 and 304 has no body anyhow.
    pub framing: Framing,
    pub keep_alive: bool,
    pub coding: Coding,
}

/// Why these bytes are no HTTP/1.x reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

/// Reads one head from the start of `input`: `Ok(None)` if it is not all there yet.
///
/// # Errors
/// [`Malformed`] as soon as the bytes cannot become a reply, whatever follows.
pub fn parse(input: &[u8]) -> Result<Option<ResponseHead>, Malformed> {
    match parse_lines(input) {
        Ok(None) if input.len() >= LONGEST_HEAD => Err(Malformed("a header block over 64 KiB")),
        Ok(Some(head)) if head.len > LONGEST_HEAD => Err(Malformed("a header block over 64 KiB")),
        other => other,
    }
}

fn parse_lines(input: &[u8]) -> Result<Option<ResponseHead>, Malformed> {
    let Some((line, mut at)) = next_line(input, 0)? else {
        return check_start(input).map(|()| None);
    };
    let (minor, status) = parse_status_line(line)?;
    let mut length = None;
    // The last transfer coding, if there is any: whether it is chunked.
    let mut coding = None;
    let mut connection = ConnectionOptions::default();
    let mut content_coding = Coding::None;
    loop {
        let Some((line, next)) = next_line(input, at)? else {
            return Ok(None);
        };
        at = next;
        if line.is_empty() {
            break;
        }
        let (name, value) = split_header(line)?;
        // Looked at by length first: almost every header is none of these.
        match name.len() {
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let value = parse_length(value)?;
                if length.is_some_and(|before| before != value) {
                    return Err(Malformed("two different Content-Length headers"));
                }
                length = Some(value);
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                coding = Some(last_coding(value, coding)?);
            }
            16 if name.eq_ignore_ascii_case(b"content-encoding") => {
                content_coding = Coding::of(value);
            }
            10 if name.eq_ignore_ascii_case(b"connection") => {
                connection.take(value);
            }
            _ => {}
        }
    }
    let framing = match (coding, length) {
        // RFC 9112, sections 6.1 and 6.3: whoever sends these may smuggle a reply.
        (Some(_), Some(_)) => {
            return Err(Malformed("both Transfer-Encoding and Content-Length"));
        }
        (Some(_), None) if minor == 0 => {
            return Err(Malformed("a Transfer-Encoding in HTTP/1.0"));
        }
        (Some(true), None) => Framing::Chunked,
        (None, Some(length)) => Framing::Length(length),
        (Some(false) | None, None) => Framing::UntilClose,
    };
    let keep_alive = !connection.close && (minor >= 1 || connection.keep_alive);
    Ok(Some(ResponseHead {
        len: at,
        status,
        framing,
        keep_alive,
        coding: content_coding,
    }))
}

/// The line that starts at `at`, without its CRLF, and where the next one starts.
#[inline]
fn next_line(input: &[u8], at: usize) -> Result<Option<(&[u8], usize)>, Malformed> {
    let rest = &input[at..];
    match memchr(b'\n', rest) {
        None => Ok(None),
        Some(0) => Err(Malformed("a line that ends in LF without CR")),
        Some(end) if rest[end - 1] == b'\r' => Ok(Some((&rest[..end - 1], at + end + 1))),
        Some(_) => Err(Malformed("a line that ends in LF without CR")),
    }
}

const NOT_HTTP: Malformed = Malformed("not an HTTP/1.x reply");

/// Refuses at once what can never become a status line.
fn check_start(input: &[u8]) -> Result<(), Malformed> {
    let known = b"HTTP/1.";
    let n = input.len().min(known.len());
    if input[..n] == known[..n] {
        Ok(())
    } else {
        Err(NOT_HTTP)
    }
}

/// `HTTP/1.1 200 OK`: the minor version and the status.
fn parse_status_line(line: &[u8]) -> Result<(u8, u16), Malformed> {
    check_start(line)?;
    let [_, _, _, _, _, _, _, minor @ (b'0' | b'1'), b' ', a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', rest @ ..] =
        line
    else {
        return Err(NOT_HTTP);
    };
    if !(rest.is_empty() || rest[0] == b' ') {
        return Err(NOT_HTTP);
    }
    let digit = |byte: u8| u16::from(byte - b'0');
    Ok((minor - b'0', digit(*a) * 100 + digit(*b) * 10 + digit(*c)))
}

/// A line of a head that was parsed, and where it stands in it.
pub(super) struct Line<'a> {
    pub name: &'a [u8],
    /// Behind the colon.
    pub value_at: usize,
    /// Behind the LF.
    pub end: usize,
}

/// The header lines of a head that was parsed.
pub(super) fn lines(head: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut at = memchr(b'\n', head).map_or(head.len(), |lf| lf + 1);
    std::iter::from_fn(move || {
        let end = at + memchr(b'\n', &head[at..])? + 1;
        let colon = memchr(b':', &head[at..end])?;
        let line = Line {
            name: &head[at..at + colon],
            value_at: at + colon + 1,
            end,
        };
        at = end;
        Some(line)
    })
}

#[inline]
fn split_header(line: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let colon = memchr(b':', line).ok_or(Malformed("a header line without a colon"))?;
    let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
    if name.is_empty() || name.iter().any(|byte| byte.is_ascii_whitespace()) {
        return Err(Malformed("a header name that is empty or has a space"));
    }
    Ok((name, value))
}

pub(super) fn parse_length(value: &[u8]) -> Result<u64, Malformed> {
    // 18 digits are more than any disk holds, and cannot overflow.
    if value.is_empty() || value.len() > 18 || !value.iter().all(u8::is_ascii_digit) {
        return Err(Malformed("a Content-Length that is no length"));
    }
    Ok(value
        .iter()
        .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// Whether the last of the codings in `value`, behind those before it, is chunked.
fn last_coding(value: &[u8], before: Option<bool>) -> Result<bool, Malformed> {
    let mut last = before.unwrap_or(false);
    let mut chunked = u32::from(last);
    for word in words(value) {
        last = word.eq_ignore_ascii_case(b"chunked");
        chunked += u32::from(last);
    }
    match chunked {
        0 | 1 => Ok(last),
        _ => Err(Malformed("a body that is chunked twice")),
    }
}

/// What the `Connection` headers say; `close` counts wherever it stands (RFC 9112, section 9.3).
#[derive(Default)]
struct ConnectionOptions {
    close: bool,
    keep_alive: bool,
}

impl ConnectionOptions {
    fn take(&mut self, value: &[u8]) {
        for word in words(value) {
            self.close |= word.eq_ignore_ascii_case(b"close");
            self.keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
        }
    }
}

/// The elements of a list that are not empty.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(headers: &str) -> Result<Framing, Malformed> {
        let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
        parse(head.as_bytes()).map(|head| head.expect("complete").framing)
    }

    #[test]
    fn a_plain_reply() {
        let input = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        let head = parse(input).unwrap().unwrap();
        assert_eq!((head.status, head.len), (200, input.len() - 5));
        assert_eq!(head.framing, Framing::Length(5));
        assert!(head.keep_alive);
    }

    #[test]
    fn framing_follows_the_headers() {
        assert_eq!(framing("content-LENGTH:  7 \r\n"), Ok(Framing::Length(7)));
        assert_eq!(
            framing("Transfer-Encoding: Chunked\r\n"),
            Ok(Framing::Chunked)
        );
        assert_eq!(framing(""), Ok(Framing::UntilClose));
        assert_eq!(
            framing("Content-Length: 1\r\nContent-Length: 1\r\n"),
            Ok(Framing::Length(1))
        );
    }

    #[test]
    fn lengths_that_are_none() {
        for value in ["-1", "12345678901234567890", "0x10", "", "1 2", "+1"] {
            assert!(
                framing(&format!("Content-Length: {value}\r\n")).is_err(),
                "{value}"
            );
        }
        assert!(framing("Content-Length: 1\r\nContent-Length: 2\r\n").is_err());
    }

    #[test]
    fn transfer_codings() {
        for (headers, expected) in [
            ("Transfer-Encoding: gzip, chunked\r\n", Framing::Chunked),
            (
                "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
                Framing::Chunked,
            ),
            ("Transfer-Encoding: gzip\r\n", Framing::UntilClose),
            ("Transfer-Encoding: chunked, gzip\r\n", Framing::UntilClose),
            ("Transfer-Encoding: xchunked\r\n", Framing::UntilClose),
        ] {
            assert_eq!(framing(headers), Ok(expected), "{headers}");
        }
        assert!(framing("Transfer-Encoding: chunked, chunked\r\n").is_err());
        let both = "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n";
        assert!(framing(both).is_err());
        let old = b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert!(parse(old).is_err());
    }

    #[test]
    fn connection_headers() {
        let keep = |line: &str| parse(line.as_bytes()).unwrap().unwrap().keep_alive;
        assert!(!keep("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"));
        assert!(!keep("HTTP/1.0 200 OK\r\n\r\n"));
        assert!(keep("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n"));
        for options in ["upgrade, Close", "close, keep-alive", "keep-alive,,close"] {
            let head = format!("HTTP/1.1 200 OK\r\nConnection: {options}\r\n\r\n");
            assert!(!keep(&head), "{options}");
        }
        assert!(!keep(
            "HTTP/1.0 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n"
        ));
    }

    #[test]
    fn what_is_not_http_is_refused_at_once() {
        for input in [
            &b"S"[..],
            b"HTTP/2",
            b"HTTP/1.1 20 OK\r\n",
            b"HTTP/1.1 2000 OK\r\n",
            b"HTTP/1.1 200 OK\n\n",
            b"HTTP/1.1 200 OK\r\nno colon\r\n",
            b"HTTP/1.1 200 OK\r\n: x\r\n",
            b"HTTP/1.1 200 OK\r\n folded: x\r\n",
        ] {
            assert!(parse(input).is_err(), "{}", String::from_utf8_lossy(input));
        }
    }

    #[test]
    fn an_endless_head_is_refused() {
        let mut input = b"HTTP/1.1 200 OK\r\n".to_vec();
        input.resize(LONGEST_HEAD, b'a');
        assert!(parse(&input[..LONGEST_HEAD - 1]).unwrap().is_none());
        assert!(parse(&input).is_err());
    }
}
