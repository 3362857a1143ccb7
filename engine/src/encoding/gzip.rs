//! Messages that came compressed.

use flate2::read::GzDecoder;
use std::io::Read;

/// Why a message could not be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// It is no gzip, or is cut off.
    Broken,
    /// It is longer than it may be.
    TooLong,
}

/// Unpacks a message of `longest` bytes at most; no more than these are ever kept.
///
/// # Errors
/// It is no such message.
pub fn unpack(packed: &[u8], longest: usize) -> Result<Vec<u8>, Packed> {
    let mut message = Vec::new();
    let mut decoder = GzDecoder::new(packed).take(longest as u64 + 1);
    decoder
        .read_to_end(&mut message)
        .map_err(|_| Packed::Broken)?;
    if message.len() > longest {
        return Err(Packed::TooLong);
    }
    Ok(message)
}
