//! Integers that begin in the lower bits of a byte (RFC 7541, section 5.1).

use super::varint;

/// Appends `value` behind the bits `form` of its first byte, which leave it `prefix_bits`.
#[inline]
pub fn write(form: u8, prefix_bits: u32, value: usize, output: &mut Vec<u8>) {
    let most = (1_usize << prefix_bits) - 1;
    if value < most {
        return output.push(form | value as u8);
    }
    output.push(form | most as u8);
    varint::write(value - most, output);
}

/// Bytes that [`write`] appends.
#[inline]
pub fn len(prefix_bits: u32, value: usize) -> usize {
    let most = (1_usize << prefix_bits) - 1;
    value
        .checked_sub(most)
        .map_or(1, |rest| 1 + varint::len(rest))
}
