//! Frames that went out and came in, by type.

use super::frame::{self, Frame};
use serde::Serialize;
use std::collections::BTreeMap;

/// Names of the types, by number; RFC 9113 section 6.
const NAMES: [&str; 11] = [
    "DATA",
    "HEADERS",
    "PRIORITY",
    "RST_STREAM",
    "SETTINGS",
    "PUSH_PROMISE",
    "PING",
    "GOAWAY",
    "WINDOW_UPDATE",
    "CONTINUATION",
    "unknown",
];

/// Frames of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCounts([u64; NAMES.len()]);

impl FrameCounts {
    #[inline]
    pub fn count(&mut self, kind: u8) {
        self.0[usize::from(kind).min(NAMES.len() - 1)] += 1;
    }

    /// FrameCounts whole frames, one behind the other.
    pub fn walk(&mut self, mut bytes: &[u8]) {
        while let Some(&[a, b, c, kind, _, _, _, _, _]) = bytes.first_chunk::<{ frame::HEADER }>() {
            self.count(kind);
            let length = u32::from_be_bytes([0, a, b, c]) as usize;
            bytes = bytes.get(frame::HEADER + length..).unwrap_or_default();
        }
    }

    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }

    pub fn get(&self, kind: u8) -> u64 {
        self.0[usize::from(kind)]
    }
}

impl Serialize for FrameCounts {
    /// By name, and only types that there were.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = NAMES.iter().zip(self.0).filter(|(_, count)| *count > 0);
        named.collect::<BTreeMap<_, _>>().serialize(serializer)
    }
}

/// What went over the connections of a target in one run, but for the opening of those that
/// stood when it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Http2Counts {
    /// Requests that went out, whatever came of them, those sent again included.
    pub requests_sent: u64,
    pub frames_sent: FrameCounts,
    pub frames_received: FrameCounts,
}

impl Http2Counts {
    pub fn add(&mut self, other: &Self) {
        self.requests_sent += other.requests_sent;
        self.frames_sent.add(&other.frames_sent);
        self.frames_received.add(&other.frames_received);
    }

    #[inline]
    pub fn received(&mut self, frame: &Frame) {
        self.frames_received.count(frame.kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_by_name() {
        let mut bytes = Vec::new();
        frame::push(frame::HEADERS, 0, 1, b"abc", &mut bytes);
        frame::push(frame::DATA, 0, 1, &[0; 300], &mut bytes);
        frame::push(frame::DATA, 0, 3, b"", &mut bytes);
        frame::push(77, 0, 0, b"x", &mut bytes);
        let mut counts = FrameCounts::default();
        counts.walk(&bytes);
        assert_eq!(
            serde_json::to_value(counts).unwrap(),
            serde_json::json!({"DATA": 2, "HEADERS": 1, "unknown": 1})
        );
    }
}
