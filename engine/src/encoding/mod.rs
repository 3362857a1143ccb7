//! Encodings that more than one protocol uses, and the servers too.

pub mod gzip;
pub mod percent;
pub mod prefixed;
pub mod varint;
