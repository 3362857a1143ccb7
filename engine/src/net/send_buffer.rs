//! Bytes on their way to a socket that takes some of them at a time.

/// What a socket would not take yet.
#[derive(Debug, Default)]
pub struct SendBuffer {
    bytes: Vec<u8>,
    /// So many of them have been taken since.
    sent: usize,
}

impl SendBuffer {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes that wait.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.sent
    }

    pub fn pending(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Adds bytes behind those that wait.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The socket took the first `n` bytes of [`Self::pending`].
    pub fn advance(&mut self, n: usize) {
        self.sent += n;
        // What is sent is dropped when it is most of it: each byte moves once at most.
        if self.sent * 2 >= self.bytes.len() {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.sent = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out_once_and_in_order(
            steps in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..50), 0_usize..60), 0..50),
        ) {
            let mut buffer = SendBuffer::default();
            let (mut pushed, mut taken) = (Vec::new(), Vec::new());
            for (bytes, n) in steps {
                buffer.push(&bytes);
                pushed.extend(bytes);
                let n = n.min(buffer.len());
                taken.extend_from_slice(&buffer.pending()[..n]);
                buffer.advance(n);
                prop_assert_eq!(buffer.is_empty(), pushed.len() == taken.len());
                prop_assert_eq!(buffer.len(), pushed.len() - taken.len());
            }
            taken.extend_from_slice(buffer.pending());
            prop_assert_eq!(taken, pushed);
        }
    }
}
