//! HPACK, RFC 7541: a decoder with bounds, and the few encodings that are sent here.

mod encode;
mod huffman;
mod table;

pub use encode::{indexed, literal, literal_indexed, size_update};
use table::Table;

/// What both sides may assume before any SETTINGS.
pub const TABLE_SIZE: usize = 4096;
/// All names and values of one block. A few bytes can stand for many: beyond this it is a bomb.
const LONGEST_LIST: usize = 64 * 1024;

/// Why a header block cannot be decoded. The connection's table is lost with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecodable(pub &'static str);

/// Decodes the header blocks of one direction of one connection.
#[derive(Debug)]
pub struct Decoder {
    table: Table,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            table: Table::new(TABLE_SIZE),
            name: Vec::new(),
            value: Vec::new(),
        }
    }
}

impl Decoder {
    /// While this stays the same, the same bytes are the same headers.
    pub fn version(&self) -> u64 {
        self.table.version()
    }

    /// Gives every field of a whole header block to `take`.
    ///
    /// # Errors
    /// The block is not HPACK, or its fields are over 64 KiB together.
    pub fn decode(
        &mut self,
        mut block: &[u8],
        mut take: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), Undecodable> {
        let mut size = 0;
        let mut fields = 0;
        while let Some(&first) = block.first() {
            if first & 0xe0 == 0x20 {
                if fields > 0 {
                    return Err(Undecodable("a table size in the middle of a header block"));
                }
                let max_size = integer(&mut block, 5)?;
                self.table
                    .resize(max_size)
                    .ok_or(Undecodable("a header table beyond its limit"))?;
                continue;
            }
            fields += 1;
            if first & 0x80 != 0 {
                let (name, value) = field(&self.table, integer(&mut block, 7)?)?;
                size += name.len() + value.len();
                check(size)?;
                take(name, value);
                continue;
            }
            let insert = first & 0x40 != 0;
            let index = integer(&mut block, if insert { 6 } else { 4 })?;
            self.name.clear();
            self.value.clear();
            match index {
                0 => string(&mut block, &mut self.name)?,
                index => self.name.extend_from_slice(field(&self.table, index)?.0),
            }
            string(&mut block, &mut self.value)?;
            size += self.name.len() + self.value.len();
            check(size)?;
            take(&self.name, &self.value);
            if insert {
                self.table.insert((self.name.clone(), self.value.clone()));
            }
        }
        Ok(())
    }
}

fn check(size: usize) -> Result<(), Undecodable> {
    if size > LONGEST_LIST {
        return Err(Undecodable("headers of over 64 KiB"));
    }
    Ok(())
}

fn field(table: &Table, index: usize) -> Result<(&[u8], &[u8]), Undecodable> {
    table
        .get(index)
        .ok_or(Undecodable("a header index that is none"))
}

/// An integer behind the bits of its first byte, RFC 7541 section 5.1.
fn integer(block: &mut &[u8], prefix_bits: u32) -> Result<usize, Undecodable> {
    const CUT: Undecodable = Undecodable("a header block that ends in the middle");
    let (&first, mut rest) = block.split_first().ok_or(CUT)?;
    let most = (1_usize << prefix_bits) - 1;
    let mut value = usize::from(first) & most;
    if value == most {
        let mut shift = 0;
        loop {
            let (&byte, after) = rest.split_first().ok_or(CUT)?;
            rest = after;
            value += usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
            if shift > 21 {
                return Err(Undecodable("an integer without end in a header block"));
            }
        }
    }
    *block = rest;
    Ok(value)
}

fn string(block: &mut &[u8], output: &mut Vec<u8>) -> Result<(), Undecodable> {
    let is_huffman = block.first().is_some_and(|first| first & 0x80 != 0);
    let length = integer(block, 7)?;
    if length > block.len() {
        return Err(Undecodable("a header block that ends in the middle"));
    }
    let (text, rest) = block.split_at(length);
    *block = rest;
    if is_huffman {
        huffman::decode(text, output).ok_or(Undecodable("a wrong Huffman code"))
    } else {
        output.extend_from_slice(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let hex: String = hex.split_whitespace().collect();
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    }

    fn decoded(decoder: &mut Decoder, block: &[u8]) -> Result<String, Undecodable> {
        let mut text = String::new();
        decoder.decode(block, |name, value| {
            for part in [name, b"=", value, b";"] {
                text += &String::from_utf8_lossy(part);
            }
        })?;
        Ok(text)
    }

    #[test]
    fn requests_of_the_rfc_with_huffman() {
        // RFC 7541, C.4: three requests on one connection.
        let mut decoder = Decoder::default();
        let first = bytes("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff");
        let expected = ":method=GET;:scheme=http;:path=/;:authority=www.example.com;";
        assert_eq!(decoded(&mut decoder, &first).unwrap(), expected);
        let second = bytes("8286 84be 5886 a8eb 1064 9cbf");
        let expected = expected.to_owned() + "cache-control=no-cache;";
        assert_eq!(decoded(&mut decoder, &second).unwrap(), expected);
        let third = bytes("8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf");
        let version = decoder.version();
        let text = decoded(&mut decoder, &third).unwrap();
        assert!(
            text.ends_with(":authority=www.example.com;custom-key=custom-value;"),
            "{text}"
        );
        assert_ne!(decoder.version(), version);
        let again = bytes("8287 85c0 be");
        assert_eq!(decoded(&mut decoder, &again).unwrap(), text);
    }

    #[test]
    fn bombs_and_nonsense() {
        let mut decoder = Decoder::default();
        let big = [literal_indexed(b"x", &[b'y'; 3000]), vec![0xbe; 100]].concat();
        let bomb = decoded(&mut decoder, &big).unwrap_err();
        assert_eq!(bomb, Undecodable("headers of over 64 KiB"));
        for wrong in [
            "80",
            "ff ff ff ff ff 0f",
            "7f ff ff ff 0f",
            "00",
            "00 05 61",
            "40 01 61",
            "3f e2 1f",
            "82 20",
            "ff 80 80 80 80 80",
            "00 81 ff 00",
        ] {
            let mut decoder = Decoder::default();
            assert!(decoded(&mut decoder, &bytes(wrong)).is_err(), "{wrong}");
        }
        let mut decoder = Decoder::default();
        assert!(decoded(&mut decoder, &bytes("20 3f e1 1f 82")).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            name in "[a-z:-]{1,200}", value in "[ -~]{0,300}", twice in any::<bool>(),
        ) {
            let mut block = literal(name.as_bytes(), value.as_bytes());
            if twice {
                block = literal_indexed(name.as_bytes(), value.as_bytes());
                block.extend(indexed(62));
            }
            let mut fields = 0;
            Decoder::default().decode(&block, |n, v| {
                assert_eq!((n, v), (name.as_bytes(), value.as_bytes()));
                fields += 1;
            }).unwrap();
            prop_assert_eq!(fields, 1 + u32::from(twice));
        }

        #[test]
        fn any_bytes_never_panic(blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..4)) {
            let mut decoder = Decoder::default();
            for block in blocks {
                let _ = decoder.decode(&block, |_, _| {});
            }
        }
    }
}
