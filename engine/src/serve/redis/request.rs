//! Commands as they come over the wire: arrays of bulk strings, or one line of words.

use crate::serve::Refused;
use memchr::memchr;
use std::ops::Range;

const LONGEST_LINE: usize = 64 * 1024;
/// Also bounded by what the server reads for one request.
const LONGEST_WORD: usize = 16 << 20;
const MOST_WORDS: usize = 1 << 16;

/// Finds the words of the command at the start of `input` and gives its whole length, or
/// `None` if it is not all there.
pub fn words(input: &[u8], words: &mut Vec<Range<usize>>) -> Result<Option<usize>, Refused> {
    words.clear();
    let Some((line, mut at)) = line(input, 0)? else {
        return Ok(None);
    };
    if input[0] != b'*' {
        let mut from = 0;
        for word in input[line.clone()].split(|&byte| byte == b' ') {
            if !word.is_empty() {
                words.push(from..from + word.len());
            }
            from += word.len() + 1;
        }
        return Ok(Some(at));
    }
    let count = number(&input[line.start + 1..line.end], MOST_WORDS)?;
    for _ in 0..count {
        let Some((header, from)) = self::line(input, at)? else {
            return Ok(None);
        };
        if input[header.start] != b'$' {
            return Err(Refused);
        }
        let until = from + number(&input[header.start + 1..header.end], LONGEST_WORD)?;
        match input.get(until..until + 2) {
            None => return Ok(None),
            Some(b"\r\n") => {}
            Some(_) => return Err(Refused),
        }
        words.push(from..until);
        at = until + 2;
    }
    Ok(Some(at))
}

/// The line that begins at `from`, never empty, and where the next one begins.
fn line(input: &[u8], from: usize) -> Result<Option<(Range<usize>, usize)>, Refused> {
    let rest = &input[from..];
    match memchr(b'\n', rest) {
        None if rest.len() > LONGEST_LINE => Err(Refused),
        None => Ok(None),
        Some(end) if end > 1 && rest[end - 1] == b'\r' => {
            Ok(Some((from..from + end - 1, from + end + 1)))
        }
        Some(_) => Err(Refused),
    }
}

fn number(digits: &[u8], most: usize) -> Result<usize, Refused> {
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Refused);
    }
    let number = digits
        .iter()
        .fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    if number > most {
        return Err(Refused);
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(input: &[u8]) -> Result<Option<(Vec<String>, usize)>, ()> {
        let mut ranges = Vec::new();
        let length = words(input, &mut ranges).map_err(|Refused| ())?;
        let text = |range: &Range<usize>| String::from_utf8(input[range.clone()].to_vec());
        let texts = ranges.iter().map(|range| text(range).unwrap()).collect();
        Ok(length.map(|length| (texts, length)))
    }

    #[test]
    fn commands() {
        let bytes = b"*2\r\n$3\r\nGET\r\n$0\r\n\r\n*1";
        let expected = (vec!["GET".to_owned(), String::new()], 19);
        assert_eq!(texts(bytes), Ok(Some(expected)));
        for cut in 0..19 {
            assert_eq!(texts(&bytes[..cut]), Ok(None), "cut at {cut}");
        }
        let inline = (vec!["PING".to_owned(), "x".to_owned()], 9);
        assert_eq!(texts(b"PING  x\r\n"), Ok(Some(inline)));
        for wrong in [
            "\r\n",
            "*x\r\n",
            "*-1\r\n",
            "*1\r\n:1\r\n",
            "*1\r\n$1\r\nabc",
            "*99999999999\r\n",
        ] {
            assert_eq!(texts(wrong.as_bytes()), Err(()), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in "[*$0-9\r\nGET -]{0,60}") {
            let _ = texts(bytes.as_bytes());
        }
    }
}
