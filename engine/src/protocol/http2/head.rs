//! What is of interest in the header block of a reply.

use crate::protocol::h2::known;

#[derive(Clone, Debug, Default)]
pub struct Head {
    /// `:status`; trailers have none.
    pub status: Option<u16>,
    pub content_length: Option<Length>,
}

/// What `content-length` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Bytes(u64),
    /// No number, or two different ones.
    Wrong,
}

impl known::Head for Head {
    fn take(&mut self, name: &[u8], value: &[u8]) {
        let text = || std::str::from_utf8(value).ok();
        match name {
            b":status" => {
                let status = text().and_then(|text| text.parse().ok());
                self.status = status.filter(|status| (100..1000).contains(status));
            }
            b"content-length" => {
                let is_digits = value.iter().all(u8::is_ascii_digit);
                let number = text()
                    .filter(|_| is_digits)
                    .and_then(|text| text.parse().ok());
                let length = number.map_or(Length::Wrong, Length::Bytes);
                self.content_length = match self.content_length {
                    Some(before) if before != length => Some(Length::Wrong),
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
