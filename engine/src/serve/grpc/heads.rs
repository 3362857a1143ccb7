//! Headers of requests: which call, and how long it may take.

use super::answer::Call;
use super::deadline;
use crate::protocol::h2::hpack::Decoder;
use crate::serve::Refused;

/// What is asked for in a header block.
#[derive(Clone, Copy, Default)]
pub struct Head {
    pub call: Call,
    pub timeout_ns: Option<u64>,
}

/// Header blocks of one connection. Most are the same as the last one.
#[derive(Default)]
pub struct Heads {
    decoder: Decoder,
    /// The last header block, if it means the same as long as the decoder has this version.
    known: Option<(u64, Vec<u8>)>,
    head: Head,
}

impl Heads {
    /// `hello`: only the greeter is served.
    ///
    /// # Errors
    /// The block cannot be decoded.
    #[inline]
    pub fn read(&mut self, block: &[u8], hello: bool) -> Result<Head, Refused> {
        let version = self.decoder.version();
        match &self.known {
            Some((at, known)) if *at == version && known == block => Ok(self.head),
            _ => self.decode(block, hello),
        }
    }

    #[cold]
    fn decode(&mut self, block: &[u8], hello: bool) -> Result<Head, Refused> {
        let before = self.decoder.version();
        let mut head = Head {
            call: Call::Unknown,
            timeout_ns: None,
        };
        let take = |name: &[u8], value: &[u8]| match name {
            b":path" => head.call = Call::of(value, hello),
            b"grpc-timeout" => head.timeout_ns = deadline::timeout_ns(value),
            _ => {}
        };
        self.decoder.decode(block, take).map_err(|_| Refused)?;
        let is_lasting = self.decoder.version() == before;
        self.known = is_lasting.then(|| (before, block.to_vec()));
        self.head = head;
        Ok(head)
    }
}
