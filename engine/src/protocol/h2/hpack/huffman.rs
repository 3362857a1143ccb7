//! The Huffman code of HPACK, RFC 7541 section 5.2 and appendix B.
//!
//! The code is canonical: codes of one length are consecutive, in the order of their symbols,
//! so the lengths alone define it. Decoding is bit by bit: it is not on the hot path, where
//! header blocks are compared and not decoded.

/// Bits of the code of each byte; the last is EOS.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28,
    30, 28, 28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8,
    6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
    5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23,
    23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24,
    21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
    20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24,
    26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];

const LONGEST: usize = 30;
const EOS: u16 = 256;

struct Code {
    /// The first code of each length.
    first: [u32; LONGEST + 1],
    /// How many codes there are of each length.
    count: [u32; LONGEST + 1],
    /// Where the symbols of each length begin in `symbols`.
    from: [usize; LONGEST + 1],
    symbols: [u16; 257],
}

static CODE: Code = code();

const fn code() -> Code {
    let mut code = Code {
        first: [0; LONGEST + 1],
        count: [0; LONGEST + 1],
        from: [0; LONGEST + 1],
        symbols: [0; 257],
    };
    let (mut next, mut at, mut length) = (0, 0, 1);
    while length <= LONGEST {
        next <<= 1;
        code.first[length] = next;
        code.from[length] = at;
        let mut symbol = 0;
        while symbol < LENGTHS.len() {
            if LENGTHS[symbol] as usize == length {
                code.symbols[at] = symbol as u16;
                code.count[length] += 1;
                at += 1;
                next += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    code
}

/// Appends what `input` stands for; `None` if it is not such a code.
pub fn decode(input: &[u8], output: &mut Vec<u8>) -> Option<()> {
    let (mut bits, mut length) = (0_u32, 0_usize);
    for byte in input {
        for shift in (0..8).rev() {
            bits = (bits << 1) | u32::from((byte >> shift) & 1);
            length += 1;
            if length > LONGEST {
                return None;
            }
            let offset = bits.wrapping_sub(CODE.first[length]);
            if offset < CODE.count[length] {
                match CODE.symbols[CODE.from[length] + offset as usize] {
                    EOS => return None,
                    symbol => output.push(symbol as u8),
                }
                (bits, length) = (0, 0);
            }
        }
    }
    // The rest is the beginning of EOS: ones, and less than a byte of them.
    (length < 8 && bits == (1 << length) - 1).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_rfc() {
        // RFC 7541, C.4.1, C.4.2, C.4.3, C.6.1.
        for (code, text) in [
            ("f1e3c2e5f23a6ba0ab90f4ff", "www.example.com"),
            ("a8eb10649cbf", "no-cache"),
            ("25a849e95ba97d7f", "custom-key"),
            (
                "d07abe941054d444a8200595040b8166e082a62d1bff",
                "Mon, 21 Oct 2013 20:13:21 GMT",
            ),
            ("640eff", "307"),
        ] {
            let bytes: Vec<u8> = (0..code.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&code[at..at + 2], 16).unwrap())
                .collect();
            let mut decoded = Vec::new();
            assert_eq!(decode(&bytes, &mut decoded), Some(()), "{text}");
            assert_eq!(String::from_utf8(decoded).unwrap(), text);
        }
    }

    #[test]
    fn wrong_endings() {
        assert_eq!(
            decode(&[0xff], &mut Vec::new()),
            None,
            "eight ones are too many"
        );
        assert_eq!(decode(&[0xff; 4], &mut Vec::new()), None, "EOS itself");
        assert_eq!(
            decode(&[0x00], &mut Vec::new()),
            None,
            "00000 is 0, then zeros"
        );
    }
}
