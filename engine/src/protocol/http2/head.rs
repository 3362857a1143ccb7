//! What is of interest in the header block of a reply.

use crate::protocol::h2::cached_block::HeaderFields;
use crate::protocol::h2::field_rules::status;
use crate::protocol::http::content::Coding;

#[derive(Clone, Debug, Default)]
pub struct ReplyFields {
    /// `:status`; trailers have none.
    pub status: Option<u16>,
    pub content_length: Option<ContentLength>,
    pub coding: Coding,
}

/// What `content-length` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentLength {
    Bytes(u64),
    /// No number, or two different ones.
    Wrong,
}

impl HeaderFields for ReplyFields {
    fn take(&mut self, name: &[u8], value: &[u8]) {
        let text = || std::str::from_utf8(value).ok();
        match name {
            b":status" => self.status = status(value),
            b"content-encoding" => self.coding = Coding::of(value),
            b"content-length" => {
                let is_digits = value.iter().all(u8::is_ascii_digit);
                let number = text()
                    .filter(|_| is_digits)
                    .and_then(|text| text.parse().ok());
                let length = number.map_or(ContentLength::Wrong, ContentLength::Bytes);
                self.content_length = match self.content_length {
                    Some(before) if before != length => Some(ContentLength::Wrong),
                    _ => Some(length),
                };
            }
            _ => {}
        }
    }

    fn http_status(&self) -> Option<u16> {
        self.status
    }
}
