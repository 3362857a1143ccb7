//! Replies, counted where they lie; made values of only for the digest.

use crate::digest::Digest;

/// Counts the whole replies at the start of `bytes`; returns how many, and their bytes.
/// `limit` is the number of replies due: bytes behind them are an error of the server.
pub fn scan(bytes: &[u8], limit: usize, mut digest: Option<&mut Digest>) -> Result<(usize, usize), String> {
    let mut replies = 0;
    let mut used = 0;
    while replies < limit {
        let rest = &bytes[used..];
        let Some(line) = rest.iter().position(|byte| *byte == b'\n') else {
            break;
        };
        let text = rest[..line]
            .strip_suffix(b"\r")
            .ok_or("a line does not end in CR LF")?;
        let mut length = line + 1;
        let mut reply = text.get(1..).ok_or("an empty line where a reply should start")?;
        match text[0] {
            b'+' | b':' => {}
            b'$' if reply == b"-1" => {}
            b'$' => {
                let size: usize = std::str::from_utf8(reply)
                    .ok()
                    .and_then(|size| size.parse().ok())
                    .filter(|size| *size <= 512 * 1024 * 1024)
                    .ok_or("a string of an impossible length")?;
                length += size + 2;
                if rest.len() < length {
                    break;
                }
                if &rest[length - 2..length] != b"\r\n" {
                    return Err("a string that no CR LF follows".to_owned());
                }
                reply = &rest[length - 2 - size..length - 2];
            }
            b'-' => return Err(String::from_utf8_lossy(reply).into_owned()),
            _ => return Err("a reply that the workload does not have".to_owned()),
        }
        if let Some(digest) = &mut digest {
            match text {
                b"$-1" => digest.nil(),
                [b':', number @ ..] => digest.number(number),
                _ => digest.text(reply),
            }
        }
        replies += 1;
        used += length;
    }
    Ok((replies, used))
}
