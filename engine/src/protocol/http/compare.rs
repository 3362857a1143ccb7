//! A body that is compared as it comes, whatever pieces it comes in; none of it is kept.

/// Bytes of a body that a message shows.
const SHOWN: usize = 60;

/// How much of a body has come, and whether it was right so far.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// Bytes so far.
    seen: u64,
    /// Every byte so far was the expected one.
    right: bool,
}

impl Default for Compared {
    fn default() -> Self {
        Self {
            seen: 0,
            right: true,
        }
    }
}

impl Compared {
    #[inline]
    pub fn take(&mut self, bytes: &[u8], expected: Option<&[u8]>) {
        if let Some(expected) = expected {
            // A body longer than expected runs past its end: `get` is then `None`.
            let from = self.seen as usize;
            self.right = self.right && expected.get(from..from + bytes.len()) == Some(bytes);
        }
        self.seen += bytes.len() as u64;
    }

    /// Whether the body, now complete, is `expected`.
    #[inline]
    pub fn is(&self, expected: &[u8]) -> bool {
        self.right && self.seen == expected.len() as u64
    }

    /// Bytes so far.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    pub fn explain(&self, expected: &[u8]) -> String {
        let shown = shown(&expected[..expected.len().min(SHOWN)]);
        let (came, wanted) = (self.seen, expected.len());
        if came == wanted as u64 {
            format!("a body of the right length ({wanted} bytes) but not {shown}")
        } else {
            format!("a body of {came} bytes, expected {wanted}: {shown}")
        }
    }
}

/// The beginning of a body in quotes: bytes that are no text as escapes.
fn shown(start: &[u8]) -> String {
    let is_text = match std::str::from_utf8(start) {
        Ok(_) => true,
        // The last character is cut off.
        Err(error) => error.error_len().is_none(),
    };
    match is_text {
        true => format!("{:?}", String::from_utf8_lossy(start)),
        false => format!("\"{}\"", start.escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_bytes_are_shown_so_that_they_can_be_read() {
        let explained = |expected: &[u8]| Compared::default().explain(expected);
        assert!(explained("häß\n".as_bytes()).ends_with("expected 6: \"häß\\n\""));
        assert!(explained(b"\x89PNG\r\n\0").ends_with(r#"expected 7: "\x89PNG\r\n\x00""#));
        let long = format!("{}é", "x".repeat(SHOWN - 1));
        assert!(explained(long.as_bytes()).ends_with("x\u{fffd}\""));
    }
}
