//! Frames of HTTP/2.

use crate::protocol::h2::frame::{self, Frame};

/// The same frame however much stands behind it, none from less, and its parts without a panic.
pub fn frames(mut bytes: &[u8]) {
    while let Ok(Some((frame, used))) = Frame::parse(bytes) {
        assert_eq!(used, frame::HEADER + frame.payload.len());
        assert_eq!(Frame::parse(&bytes[..used]), Ok(Some((frame, used))));
        assert_eq!(Frame::parse(&bytes[..used - 1]), Ok(None));
        if let Ok(content) = frame.content() {
            assert!(content.len() <= frame.payload.len());
        }
        let _ = frame.number();
        if let Ok(settings) = frame.settings() {
            assert_eq!(settings.count() * 6, frame.payload.len());
        }
        bytes = &bytes[used..];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_short_run(pieces in prop::collection::vec(super::super::http2::piece(), 0..12)) {
            super::frames(&pieces.concat());
        }
    }
}
