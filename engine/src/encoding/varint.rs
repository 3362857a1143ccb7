//! Integers of seven bits a byte, the lowest first (Protocol Buffers, "Encoding").

/// Takes an integer off the front of `bytes`; `None` if it does not end there, or is too long.
#[inline]
pub fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[inline]
pub fn write(mut value: usize, output: &mut Vec<u8>) {
    while value >= 0x80 {
        output.push(value as u8 | 0x80);
        value >>= 7;
    }
    output.push(value as u8);
}

/// Bytes that [`write`] appends.
#[inline]
pub fn len(value: usize) -> usize {
    value.checked_ilog2().map_or(1, |log| log as usize / 7 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(value in any::<usize>(), shift in 0_u32..64) {
            let value = value >> shift;
            let mut bytes = Vec::new();
            write(value, &mut bytes);
            prop_assert_eq!(bytes.len(), len(value));
            let mut rest = bytes.as_slice();
            prop_assert_eq!(read(&mut rest), Some(value as u64));
            prop_assert!(rest.is_empty());
            let mut cut = &bytes[..bytes.len() - 1];
            prop_assert_eq!(read(&mut cut), None);
        }
    }
}
