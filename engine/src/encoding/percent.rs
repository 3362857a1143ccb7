//! Percent-decoding (RFC 3986, section 2.1).

/// What one percent sign stands for.
fn octet(digits: Option<&[u8]>) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match digits? {
        &[high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
        _ => None,
    }
}

/// `text` without its percent signs; those that stand for nothing stay.
pub fn decode_lossy(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    push_decoded(&mut bytes, text);
    bytes
}

/// `text` without its percent signs; `None` where one stands for nothing.
pub fn decode_strict(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    push_decoded(&mut bytes, text).then_some(bytes)
}

/// Pushes what [`decode_lossy`] gives; whether every percent sign stands for a byte.
pub fn push_decoded(bytes: &mut Vec<u8>, text: &[u8]) -> bool {
    let mut is_right = true;
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first == b'%' {
            if let Some(octet) = octet(behind.get(..2)) {
                bytes.push(octet);
                rest = &behind[2..];
                continue;
            }
            is_right = false;
        }
        bytes.push(first);
    }
    is_right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_that_stand_for_nothing() {
        for (text, decoded) in [
            ("%", "%"),
            ("%4", "%4"),
            ("%4g%", "%4g%"),
            ("a%+1b", "a%+1b"),
        ] {
            assert_eq!(decode_lossy(text.as_bytes()), decoded.as_bytes());
            assert_eq!(decode_strict(text.as_bytes()), None);
        }
        assert_eq!(decode_lossy(b"%41%%42"), b"A%B");
        assert_eq!(
            decode_strict(b"a%20%c3%A9").as_deref(),
            Some("a é".as_bytes())
        );
    }
}
