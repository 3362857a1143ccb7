//! Templates in which lengths stand before what they count: RESP, HPACK strings, protobuf.
//!
//! The digits of `{seq}` vary in number, and with them every length around them. Whatever does
//! not vary is rendered once; writing allocates nothing.

use super::{digits, push_decimal, SEQUENCE};

/// How a length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Decimal digits and a line end, as in RESP.
    Line,
    /// Seven bits a byte, the lowest first, as in protobuf.
    Varint,
    /// An integer behind one bit, RFC 7541 section 5.1: the length of a plain string.
    Hpack,
    /// Four bytes, the highest first, as before a gRPC message.
    Word,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Sequence,
    /// Its length, then itself.
    Counted(Length, Nested),
    /// The length of something as decimal digits, without it (content-length).
    LengthOf(Nested),
}

/// Bytes with zero or more places for a sequence number, some of them counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nested {
    parts: Vec<Part>,
    places: usize,
}

impl Nested {
    /// A text whose token is in place.
    pub fn text(text: &str) -> Self {
        let mut nested = Self::default();
        nested.push_text(text.as_bytes());
        nested
    }

    pub fn bytes(bytes: &[u8]) -> Self {
        let mut nested = Self::default();
        nested.push(bytes);
        nested
    }

    /// Adds bytes as they are.
    pub fn push(&mut self, bytes: &[u8]) {
        match self.parts.last_mut() {
            _ if bytes.is_empty() => {}
            Some(Part::Bytes(last)) => last.extend_from_slice(bytes),
            _ => self.parts.push(Part::Bytes(bytes.to_vec())),
        }
    }

    /// Adds a text with a place for every `{seq}` in it.
    pub fn push_text(&mut self, mut text: &[u8]) {
        let sequence = SEQUENCE.as_bytes();
        while let Some(at) = memchr::memmem::find(text, sequence) {
            self.push(&text[..at]);
            self.parts.push(Part::Sequence);
            self.places += 1;
            text = &text[at + sequence.len()..];
        }
        self.push(text);
    }

    /// Adds all of another.
    pub fn append(&mut self, other: Self) {
        self.places += other.places;
        for part in other.parts {
            match part {
                Part::Bytes(bytes) => self.push(&bytes),
                part => self.parts.push(part),
            }
        }
    }

    /// Adds another with its length before it.
    pub fn push_counted(&mut self, form: Length, counted: Self) {
        match counted.constant() {
            Some(bytes) => {
                let mut length = Vec::new();
                form.write(bytes.len(), &mut length);
                self.push(&length);
                self.push(bytes);
            }
            None => {
                self.places += counted.places;
                self.parts.push(Part::Counted(form, counted));
            }
        }
    }

    /// Adds the length of another as decimal digits.
    pub fn push_length_of(&mut self, other: &Self) {
        match other.constant() {
            Some(bytes) => self.push(bytes.len().to_string().as_bytes()),
            None => self.parts.push(Part::LengthOf(other.clone())),
        }
    }

    /// Places for the sequence number.
    pub fn places(&self) -> usize {
        self.places
    }

    /// The bytes if they are the same for every request.
    #[inline]
    pub fn constant(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [] => Some(&[]),
            [Part::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// The bytes of one request, in `scratch` if they vary.
    #[inline]
    pub fn rendered<'a>(&'a self, sequence: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        match self.constant() {
            Some(bytes) => bytes,
            None => {
                scratch.clear();
                self.write(sequence, scratch);
                scratch
            }
        }
    }

    /// Length of what [`Nested::write`] appends.
    #[inline]
    pub fn len(&self, sequence: u64) -> usize {
        let length = |part: &Part| match part {
            Part::Bytes(bytes) => bytes.len(),
            Part::Sequence => digits(sequence),
            Part::Counted(form, counted) => {
                let length = counted.len(sequence);
                form.len(length) + length
            }
            Part::LengthOf(other) => digits(other.len(sequence) as u64),
        };
        self.parts.iter().map(length).sum()
    }

    /// Appends the bytes with `sequence` in every place.
    #[inline]
    pub fn write(&self, sequence: u64, output: &mut Vec<u8>) {
        for part in &self.parts {
            match part {
                Part::Bytes(bytes) => output.extend_from_slice(bytes),
                Part::Sequence => push_decimal(output, sequence),
                Part::Counted(form, counted) => {
                    form.write(counted.len(sequence), output);
                    counted.write(sequence, output);
                }
                Part::LengthOf(other) => push_decimal(output, other.len(sequence) as u64),
            }
        }
    }
}

impl Length {
    /// Bytes that a length takes.
    fn len(self, length: usize) -> usize {
        let sevens = |number: usize| number.checked_ilog2().map_or(1, |log| log as usize / 7 + 1);
        match self {
            Self::Line => digits(length as u64) + 2,
            Self::Varint => sevens(length),
            Self::Hpack => length.checked_sub(0x7f).map_or(1, |rest| 1 + sevens(rest)),
            Self::Word => 4,
        }
    }

    fn write(self, length: usize, output: &mut Vec<u8>) {
        let mut rest = length;
        match self {
            Self::Line => {
                push_decimal(output, length as u64);
                return output.extend_from_slice(b"\r\n");
            }
            Self::Word => return output.extend_from_slice(&(length as u32).to_be_bytes()),
            Self::Hpack if length < 0x7f => return output.push(length as u8),
            Self::Hpack => {
                output.push(0x7f);
                rest -= 0x7f;
            }
            Self::Varint => {}
        }
        while rest >= 0x80 {
            output.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        output.push(rest as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A template and what it is for one sequence number.
    fn made(depth: u32) -> BoxedStrategy<(Nested, u64, Vec<u8>)> {
        (any::<u64>(), 0_u32..64)
            .prop_flat_map(move |(number, shift)| {
                let sequence = number >> shift;
                shape(depth, sequence).prop_map(move |(nested, bytes)| (nested, sequence, bytes))
            })
            .boxed()
    }

    fn shape(depth: u32, sequence: u64) -> BoxedStrategy<(Nested, Vec<u8>)> {
        let text = prop::collection::vec("[a-z]{0,70}", 1..4).prop_map(move |parts| {
            let text = parts.join(SEQUENCE);
            let bytes = text.replace(SEQUENCE, &sequence.to_string()).into_bytes();
            (Nested::text(&text), bytes)
        });
        if depth == 0 {
            return text.boxed();
        }
        let form = prop_oneof![
            Just(Length::Line),
            Just(Length::Varint),
            Just(Length::Hpack),
            Just(Length::Word),
        ];
        let counted = (form, shape(depth - 1, sequence), text).prop_map(|(form, inner, behind)| {
            let mut nested = Nested::default();
            nested.push_length_of(&inner.0);
            nested.push_counted(form, inner.0);
            nested.append(behind.0);
            let mut bytes = inner.1.len().to_string().into_bytes();
            form.write(inner.1.len(), &mut bytes);
            bytes.extend(inner.1);
            bytes.extend(behind.1);
            (nested, bytes)
        });
        counted.boxed()
    }

    proptest! {
        #[test]
        fn lengths_are_those_of_what_follows((nested, sequence, bytes) in made(3)) {
            let mut written = Vec::new();
            nested.write(sequence, &mut written);
            prop_assert_eq!(nested.len(sequence), written.len());
            prop_assert_eq!(nested.constant().is_some(), nested.places() == 0);
            let mut scratch = Vec::new();
            prop_assert_eq!(nested.rendered(sequence, &mut scratch), bytes.as_slice());
            prop_assert_eq!(written, bytes);
        }

        #[test]
        fn a_length_is_as_long_as_it_says(length in 0_usize..1 << 28) {
            for form in [Length::Line, Length::Varint, Length::Hpack, Length::Word] {
                let mut bytes = Vec::new();
                form.write(length, &mut bytes);
                prop_assert_eq!(bytes.len(), form.len(length));
            }
        }
    }

    #[test]
    fn forms() {
        let written = |form: Length, length| {
            let mut bytes = Vec::new();
            form.write(length, &mut bytes);
            bytes
        };
        assert_eq!(written(Length::Line, 12), b"12\r\n");
        assert_eq!(written(Length::Varint, 300), [0xac, 0x02]);
        assert_eq!(written(Length::Hpack, 126), [126]);
        assert_eq!(written(Length::Hpack, 127), [0x7f, 0]);
        assert_eq!(written(Length::Hpack, 1337), [0x7f, 0xba, 0x09]);
        assert_eq!(written(Length::Word, 258), [0, 0, 1, 2]);
    }
}
