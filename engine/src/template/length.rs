//! Lengths and numbers as they are written into requests.

use crate::encoding::{prefixed, varint};

/// How a length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthPrefix {
    /// Decimal digits and a line end, as in RESP.
    Line,
    /// Seven bits a byte, the lowest first, as in protobuf.
    Varint,
    /// An integer behind one bit, RFC 7541 section 5.1: the length of a plain string.
    Hpack,
    /// Four bytes, the highest first, as before a gRPC message.
    Word,
    /// Hexadecimal digits and a line end, as before a chunk of HTTP/1.1.
    HexLine,
}

impl LengthPrefix {
    /// Bytes that a length takes.
    pub(super) fn len(self, length: usize) -> usize {
        match self {
            Self::Line => digits(length as u64) + 2,
            Self::Varint => varint::len(length),
            Self::Hpack => prefixed::len(7, length),
            Self::Word => 4,
            Self::HexLine => (length.max(1).ilog2() / 4) as usize + 1 + 2,
        }
    }

    pub(super) fn write(self, length: usize, output: &mut Vec<u8>) {
        match self {
            Self::Line => {
                push_decimal(output, length as u64);
                output.extend_from_slice(b"\r\n");
            }
            Self::Varint => varint::write(length, output),
            Self::Hpack => prefixed::write(0, 7, length, output),
            Self::Word => output.extend_from_slice(&(length as u32).to_be_bytes()),
            Self::HexLine => {
                push_hexadecimal(output, length);
                output.extend_from_slice(b"\r\n");
            }
        }
    }
}

pub(super) fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Appends a number in decimal. `write!` costs several times as much.
#[inline]
pub fn push_decimal(output: &mut Vec<u8>, mut number: u64) {
    let mut text = [0; 20];
    let mut at = text.len();
    loop {
        at -= 1;
        text[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    output.extend_from_slice(&text[at..]);
}

fn push_hexadecimal(output: &mut Vec<u8>, number: usize) {
    let digits = number.max(1).ilog2() / 4;
    for digit in (0..=digits).rev() {
        output.push(b"0123456789abcdef"[(number >> (4 * digit)) & 0xf]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMS: [LengthPrefix; 5] = [
        LengthPrefix::Line,
        LengthPrefix::Varint,
        LengthPrefix::Hpack,
        LengthPrefix::Word,
        LengthPrefix::HexLine,
    ];

    proptest! {
        #[test]
        fn a_length_is_as_long_as_it_says(length in 0_usize..1 << 28) {
            for form in FORMS {
                let mut bytes = Vec::new();
                form.write(length, &mut bytes);
                prop_assert_eq!(bytes.len(), form.len(length));
            }
        }

        #[test]
        fn decimals(number in any::<u64>()) {
            let mut text = Vec::new();
            push_decimal(&mut text, number);
            prop_assert_eq!(String::from_utf8(text).unwrap(), number.to_string());
        }
    }

    #[test]
    fn zero_has_one_digit() {
        assert_eq!(digits(0), 1);
    }

    #[test]
    fn forms() {
        let written = |form: LengthPrefix, length| {
            let mut bytes = Vec::new();
            form.write(length, &mut bytes);
            bytes
        };
        assert_eq!(written(LengthPrefix::Line, 12), b"12\r\n");
        assert_eq!(written(LengthPrefix::Varint, 300), [0xac, 0x02]);
        assert_eq!(written(LengthPrefix::Hpack, 126), [126]);
        assert_eq!(written(LengthPrefix::Hpack, 127), [0x7f, 0]);
        assert_eq!(written(LengthPrefix::Hpack, 1337), [0x7f, 0xba, 0x09]);
        assert_eq!(written(LengthPrefix::Word, 258), [0, 0, 1, 2]);
        assert_eq!(written(LengthPrefix::HexLine, 0), b"0\r\n");
        assert_eq!(written(LengthPrefix::HexLine, 16), b"10\r\n");
        assert_eq!(written(LengthPrefix::HexLine, 43_981), b"abcd\r\n");
    }
}
