//! A body that is compared as it comes, whatever pieces it comes in; none of it is kept.

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
        let shown = String::from_utf8_lossy(&expected[..expected.len().min(60)]).into_owned();
        let (came, wanted) = (self.seen, expected.len());
        if came == wanted as u64 {
            format!("a body of the right length ({wanted} bytes) but not {shown:?}")
        } else {
            format!("a body of {came} bytes, expected {wanted}: {shown:?}")
        }
    }
}
