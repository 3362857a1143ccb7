//! A body that is looked into, not only compared as it comes.

use super::stream::{StreamForm, StreamReader};

/// Longer bodies are not kept: a run must not grow without end.
pub const LONGEST_KEPT: usize = 16 << 20;

/// How a body is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coding {
    #[default]
    None,
    Gzip,
    /// Any other, or several.
    Other,
}

impl Coding {
    /// What `Content-Encoding` says.
    pub fn of(value: &[u8]) -> Self {
        let value = value.trim_ascii();
        if value.is_empty() || value.eq_ignore_ascii_case(b"identity") {
            Self::None
        } else if value.eq_ignore_ascii_case(b"gzip") || value.eq_ignore_ascii_case(b"x-gzip") {
            Self::Gzip
        } else {
            Self::Other
        }
    }
}

/// A body as far as it has come.
#[derive(Debug, Default)]
pub struct Kept {
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl Kept {
    /// The next body begins; the memory is kept.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.is_too_long = false;
    }

    pub fn take(&mut self, bytes: &[u8]) {
        if self.bytes.len() + bytes.len() > LONGEST_KEPT {
            self.is_too_long = true;
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The body, now complete; `None` if it was too long.
    pub fn whole(&self) -> Option<&[u8]> {
        (!self.is_too_long).then_some(&self.bytes)
    }
}

/// Who looks into a body as it comes.
#[derive(Debug, Default)]
pub struct Content {
    pub(super) kept: Kept,
    pub(super) is_kept: bool,
    /// In runs of streams.
    pub(super) stream: Option<StreamReader>,
}

impl Content {
    /// The next body begins, maybe of a stream; `is_kept`: assertions are made of it.
    pub(super) fn begin(&mut self, is_kept: bool, stream: Option<StreamForm>) {
        self.kept.clear();
        self.is_kept = is_kept;
        match &mut self.stream {
            Some(stream) => stream.clear(),
            none => *none = stream.map(StreamReader::new),
        }
    }

    pub fn take(&mut self, bytes: &[u8]) {
        if self.is_kept {
            self.kept.take(bytes);
        }
        if let Some(stream) = &mut self.stream {
            stream.take(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings() {
        assert_eq!(Coding::of(b" GZIP "), Coding::Gzip);
        assert_eq!(Coding::of(b"identity"), Coding::None);
        assert_eq!(Coding::of(b"gzip, br"), Coding::Other);
    }

    #[test]
    fn what_is_too_long_is_not_kept() {
        let mut kept = Kept::default();
        kept.take(b"ab");
        kept.take(b"c");
        assert_eq!(kept.whole(), Some(&b"abc"[..]));
        kept.take(&vec![0; LONGEST_KEPT]);
        assert_eq!(kept.whole(), None);
        kept.clear();
        assert_eq!(kept.whole(), Some(&[][..]));
    }
}
