//! Header blocks that come again and again.

use super::field_rules::FieldRules;
use super::hpack::{Decoder, Undecodable};

/// What a protocol keeps of a header block.
pub trait HeaderFields: Default {
    fn take(&mut self, name: &[u8], value: &[u8]);

    /// `:status`; trailers have none.
    fn http_status(&self) -> Option<u16>;
}

/// The last block of its kind, and what it said. Servers send the same block for nearly every
/// reply, so most need a comparison instead of being decoded.
#[derive(Debug)]
pub struct CachedBlock<H> {
    block: Vec<u8>,
    /// Of the header table; a block that changes the table is never known.
    version: u64,
    head: H,
    rules: FieldRules,
}

impl<H: Default> Default for CachedBlock<H> {
    fn default() -> Self {
        Self {
            block: Vec::new(),
            version: u64::MAX,
            head: H::default(),
            rules: FieldRules::default(),
        }
    }
}

impl<H: HeaderFields> CachedBlock<H> {
    /// What `block` says, and whether it may.
    #[inline]
    pub fn head(
        &mut self,
        block: &[u8],
        decoder: &mut Decoder,
    ) -> Result<(&H, &FieldRules), Undecodable> {
        if self.version != decoder.version() || self.block != block {
            self.decode(block, decoder)?;
        }
        Ok((&self.head, &self.rules))
    }

    fn decode(&mut self, block: &[u8], decoder: &mut Decoder) -> Result<(), Undecodable> {
        let before = decoder.version();
        self.version = u64::MAX;
        self.head = H::default();
        self.rules = FieldRules::default();
        let (head, rules) = (&mut self.head, &mut self.rules);
        decoder.decode(block, |name, value| {
            rules.take(name, value);
            head.take(name, value);
        })?;
        if decoder.version() == before {
            self.version = before;
            self.block.clear();
            self.block.extend_from_slice(block);
        }
        Ok(())
    }
}
