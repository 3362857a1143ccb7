//! Lines out of pieces: each ends with LF, CR or CR LF, wherever the pieces were cut.

use memchr::memchr2;

#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The beginning of a line that goes on.
    partial: Vec<u8>,
    /// The last byte was CR: an LF that follows belongs to it.
    after_cr: bool,
}

impl Lines {
    pub fn clear(&mut self) {
        self.partial.clear();
        self.after_cr = false;
    }

    /// Bytes of the line that goes on.
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    /// Gives each line that is complete to `each`, without its end.
    pub fn take(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(at) = memchr2(b'\n', b'\r', bytes) {
            if self.partial.is_empty() {
                each(&bytes[..at]);
            } else {
                self.partial.extend_from_slice(&bytes[..at]);
                each(&self.partial);
                self.partial.clear();
            }
            let is_cr = bytes[at] == b'\r';
            bytes = &bytes[at + 1..];
            if is_cr {
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
        }
        self.partial.extend_from_slice(bytes);
    }

    /// Nothing more comes: the last line, if it has no end.
    pub fn end(&mut self, mut each: impl FnMut(&[u8])) {
        if !self.partial.is_empty() {
            each(&self.partial);
            self.partial.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(pieces: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        let mut keep = |line: &[u8]| found.push(String::from_utf8(line.to_vec()).unwrap());
        pieces.iter().for_each(|piece| lines.take(piece, &mut keep));
        lines.end(keep);
        found
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(text in "[a\r\n]{0,30}", at in any::<prop::sample::Index>()) {
            let bytes = text.as_bytes();
            let at = at.index(bytes.len() + 1);
            let whole = split(&[bytes]);
            prop_assert_eq!(split(&[&bytes[..at], &bytes[at..]]), whole.clone());
            let bytewise: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(split(&bytewise), whole.clone());
            let unix = text.replace("\r\n", "\n").replace('\r', "\n");
            let expected: Vec<&str> = unix.split('\n').collect();
            let ends = usize::from(expected.last() == Some(&""));
            prop_assert_eq!(whole, &expected[..expected.len() - ends]);
        }
    }
}
