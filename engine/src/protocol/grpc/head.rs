//! Header blocks of replies: initial headers and trailers.

use crate::protocol::h2::hpack::{Decoder, Undecodable};

/// Names of the statuses, by number.
const STATUSES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];
/// Characters of a grpc-message that are told.
const SHOWN: usize = 200;

/// What is of interest in a block.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// `:status`; trailers have none.
    pub http_status: Option<u16>,
    pub is_grpc: bool,
    pub grpc_status: Option<u16>,
    grpc_message: String,
}

impl Head {
    fn take(&mut self, name: &[u8], value: &[u8]) {
        let text = || std::str::from_utf8(value).ok();
        match name {
            b":status" => self.http_status = text().and_then(|text| text.parse().ok()),
            b"content-type" => self.is_grpc = value.starts_with(b"application/grpc"),
            // What is no number is no status anyone asked for.
            b"grpc-status" => {
                self.grpc_status = Some(
                    text()
                        .and_then(|text| text.parse().ok())
                        .unwrap_or(u16::MAX),
                );
            }
            b"grpc-message" => {
                self.grpc_message = text().unwrap_or_default().chars().take(SHOWN).collect();
            }
            _ => {}
        }
    }

    /// The status in words.
    #[cold]
    pub fn status_text(&self) -> String {
        let number = self.grpc_status.unwrap_or(u16::MAX);
        let name = STATUSES.get(usize::from(number)).unwrap_or(&"unknown");
        match self.grpc_message.as_str() {
            "" => format!("grpc-status {number} {name}"),
            message => format!("grpc-status {number} {name}: {message}"),
        }
    }
}

/// The last block of its kind, and what it said. Servers send the same block for nearly every
/// call, so most need a comparison instead of being decoded.
#[derive(Debug)]
pub struct Known {
    block: Vec<u8>,
    /// Of the header table; a block that changes the table is never known.
    version: u64,
    head: Head,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            block: Vec::new(),
            version: u64::MAX,
            head: Head::default(),
        }
    }
}

impl Known {
    /// What `block` says.
    #[inline]
    pub fn head(&mut self, block: &[u8], decoder: &mut Decoder) -> Result<&Head, Undecodable> {
        if self.version != decoder.version() || self.block != block {
            self.decode(block, decoder)?;
        }
        Ok(&self.head)
    }

    fn decode(&mut self, block: &[u8], decoder: &mut Decoder) -> Result<(), Undecodable> {
        let before = decoder.version();
        self.version = u64::MAX;
        self.head = Head::default();
        let head = &mut self.head;
        decoder.decode(block, |name, value| head.take(name, value))?;
        if decoder.version() == before {
            self.version = before;
            self.block.clear();
            self.block.extend_from_slice(block);
        }
        Ok(())
    }
}
