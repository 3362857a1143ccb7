//! Chunked bodies (RFC 9112, section 7.1): a pure function over one line at a time.

use super::head::Malformed;
use memchr::memchr;

/// A size line or a trailer line over this is refused.
const LONGEST_LINE: usize = 16 * 1024;

/// Where a chunked body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunks {
    /// The line with the next chunk's size comes next.
    Size,
    /// So many bytes of the chunk are still to come.
    Data(u64),
    /// The line end after a chunk's data.
    DataEnd,
    /// Trailer lines until an empty one; so many bytes of them have come.
    Trailers(usize),
    Done,
}

/// One step through the framing of a chunked body, never through its data.
///
/// Returns the bytes used up and the new state, or `None` if more bytes are needed.
///
/// # Errors
/// [`Malformed`] if this is no chunked body.
pub fn step(state: Chunks, input: &[u8]) -> Result<Option<(usize, Chunks)>, Malformed> {
    match state {
        Chunks::Size => {
            let Some((line, used)) = line(input)? else {
                return Ok(None);
            };
            let next = match parse_size(line)? {
                0 => Chunks::Trailers(0),
                size => Chunks::Data(size),
            };
            Ok(Some((used, next)))
        }
        Chunks::DataEnd => match input {
            [b'\r', b'\n', ..] => Ok(Some((2, Chunks::Size))),
            [] | [b'\r'] => Ok(None),
            _ => Err(Malformed("a chunk longer than its size")),
        },
        Chunks::Trailers(before) => {
            let Some((line, used)) = line(input)? else {
                return Ok(None);
            };
            let total = before + used;
            if total > super::head::LONGEST_HEAD {
                return Err(Malformed("trailers over 64 KiB"));
            }
            let next = if line.is_empty() {
                Chunks::Done
            } else {
                Chunks::Trailers(total)
            };
            Ok(Some((used, next)))
        }
        Chunks::Data(_) | Chunks::Done => Ok(Some((0, state))),
    }
}

fn line(input: &[u8]) -> Result<Option<(&[u8], usize)>, Malformed> {
    match memchr(b'\n', input) {
        Some(end) if end > 0 && input[end - 1] == b'\r' => Ok(Some((&input[..end - 1], end + 1))),
        Some(_) => Err(Malformed("a line that ends in LF without CR")),
        None if input.len() > LONGEST_LINE => Err(Malformed("a chunk's size line over 16 KiB")),
        None => Ok(None),
    }
}

fn parse_size(line: &[u8]) -> Result<u64, Malformed> {
    const WRONG: Malformed = Malformed("a chunk size that is no size");
    let digits = line
        .split(|&byte| byte == b';')
        .next()
        .unwrap_or_default()
        .trim_ascii();
    // 15 hexadecimal digits cannot overflow.
    if digits.is_empty() || digits.len() > 15 {
        return Err(WRONG);
    }
    digits.iter().try_fold(0, |sum, &byte| {
        let digit = char::from(byte).to_digit(16).ok_or(WRONG)?;
        Ok(sum * 16 + u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size(b"1a"), Ok(26));
        assert_eq!(parse_size(b"5;name=value"), Ok(5));
        for wrong in [&b""[..], b"-1", b"g", b"1000000000000000", b";x"] {
            assert!(parse_size(wrong).is_err());
        }
    }

    #[test]
    fn a_chunk_must_end_where_it_said() {
        assert!(step(Chunks::DataEnd, b"x\r\n").is_err());
        assert_eq!(step(Chunks::DataEnd, b"\r"), Ok(None));
        assert_eq!(step(Chunks::DataEnd, b"\r\n5"), Ok(Some((2, Chunks::Size))));
    }

    #[test]
    fn trailers_end_at_the_empty_line() {
        assert_eq!(
            step(Chunks::Trailers(0), b"A: b\r\n\r\n"),
            Ok(Some((6, Chunks::Trailers(6))))
        );
        assert_eq!(
            step(Chunks::Trailers(6), b"\r\n"),
            Ok(Some((2, Chunks::Done)))
        );
    }
}
