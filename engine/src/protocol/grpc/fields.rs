//! Messages of Protocol Buffers without their contract.

use crate::encoding::varint;

/// One field of a message, if it is one with a length.
pub type Field<'a> = (u64, &'a [u8]);

/// The fields with a length of a message; none if it is no message.
pub fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        match field(&mut bytes) {
            Some(Some(field)) => found.push(field),
            Some(None) => {}
            None => return Vec::new(),
        }
    }
    found
}

/// Takes a field off the front: `Some(None)` if it has no length, `None` if it is no field.
fn field<'a>(bytes: &mut &'a [u8]) -> Option<Option<Field<'a>>> {
    let key = varint::read(bytes)?;
    let length = match key & 7 {
        0 => {
            varint::read(bytes)?;
            return Some(None);
        }
        1 => 8,
        5 => 4,
        2 => usize::try_from(varint::read(bytes)?).ok()?,
        _ => return None,
    };
    let (content, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some((key & 7 == 2).then_some((key >> 3, content)))
}

/// Appends a field with a length.
pub fn push(number: u64, content: &[u8], output: &mut Vec<u8>) {
    varint::write(((number << 3) | 2) as usize, output);
    varint::write(content.len(), output);
    output.extend_from_slice(content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_is_found() {
        let mut message = Vec::new();
        push(1, b"a", &mut message);
        // A number and a fixed one between them.
        message.extend_from_slice(&[0x10, 0x7f, 0x1d, 1, 2, 3, 4]);
        push(100, &[b'x'; 200], &mut message);
        assert_eq!(fields(&message), [(1, &b"a"[..]), (100, &[b'x'; 200])]);
        assert_eq!(fields(&message[..message.len() - 1]), []);
    }
}
