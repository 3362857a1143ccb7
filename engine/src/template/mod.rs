//! Texts with `{token}` and `{seq}` in them, rendered once as far as they can be.
//!
//! The token is the same for a whole run and is put in once, when the run begins. The sequence
//! number is each request's own and is put in as the request is written. Its digits vary in
//! number, and with them every length that stands before what it counts (RESP, HPACK strings,
//! protobuf, content-length). Whatever does not vary is rendered once; writing allocates nothing.

mod body;
mod length;
mod rows;
mod varying;

pub use self::body::Body;
pub use self::length::{push_decimal, LengthPrefix};
pub use self::rows::Rows;
pub use self::varying::Values;

use self::length::digits;
use self::varying::Varying;

const SEQUENCE: &str = "{seq}";

/// Puts the run's token in place of every `{token}`.
pub fn with_token(template: &str, token: &str) -> String {
    template.replace("{token}", token)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Sequence,
    Varying(Varying),
    /// Its length, then itself.
    Counted(LengthPrefix, Template),
    /// The length of something as decimal digits, without it (content-length).
    LengthOf(Template),
}

/// Bytes with zero or more places for a sequence number, some of them counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    places: usize,
}

impl Template {
    /// A text whose token is in place.
    pub fn text(text: &str) -> Self {
        let mut template = Self::default();
        template.push_text(text.as_bytes());
        template
    }

    /// A text with all that may stand in braces: `{token}`, `{seq}`, `{uuid}`, `{rand:1:1000}`, and
    /// the columns of a file.
    ///
    /// # Errors
    /// What is wrong in one of the braces.
    pub fn of(text: &str, values: &Values<'_>) -> Result<Self, String> {
        let text = with_token(text, values.token);
        let template = std::cell::RefCell::new(Self::default());
        let place = |varying: Option<Varying>| {
            let mut template = template.borrow_mut();
            template.places += 1;
            template.parts.push(match varying {
                Some(varying) => Part::Varying(varying),
                None => Part::Sequence,
            });
        };
        values.split(&text, |same| template.borrow_mut().push(same), place)?;
        Ok(template.into_inner())
    }

    pub fn bytes(bytes: &[u8]) -> Self {
        let mut template = Self::default();
        template.push(bytes);
        template
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
    pub fn push_counted(&mut self, form: LengthPrefix, counted: Self) {
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

    /// Length of what [`Template::write`] appends.
    #[inline]
    pub fn len(&self, sequence: u64) -> usize {
        let length = |part: &Part| match part {
            Part::Bytes(bytes) => bytes.len(),
            Part::Sequence => digits(sequence),
            Part::Varying(varying) => varying.len(sequence),
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
                Part::Varying(varying) => varying.write(sequence, output),
                Part::Counted(form, counted) => {
                    form.write(counted.len(sequence), output);
                    counted.write(sequence, output);
                }
                Part::LengthOf(other) => push_decimal(output, other.len(sequence) as u64),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A template and what it is for one sequence number.
    fn made(depth: u32) -> BoxedStrategy<(Template, u64, Vec<u8>)> {
        (any::<u64>(), 0_u32..64)
            .prop_flat_map(move |(number, shift)| {
                let sequence = number >> shift;
                shape(depth, sequence)
                    .prop_map(move |(template, bytes)| (template, sequence, bytes))
            })
            .boxed()
    }

    fn shape(depth: u32, sequence: u64) -> BoxedStrategy<(Template, Vec<u8>)> {
        let text = prop::collection::vec("[a-z]{0,70}", 1..4).prop_map(move |parts| {
            let text = parts.join(SEQUENCE);
            let bytes = text.replace(SEQUENCE, &sequence.to_string()).into_bytes();
            (Template::text(&text), bytes)
        });
        if depth == 0 {
            return text.boxed();
        }
        let form = prop_oneof![
            Just(LengthPrefix::Line),
            Just(LengthPrefix::Varint),
            Just(LengthPrefix::Hpack),
            Just(LengthPrefix::Word),
            Just(LengthPrefix::HexLine),
        ];
        let counted = (form, shape(depth - 1, sequence), text).prop_map(|(form, inner, behind)| {
            let mut template = Template::default();
            template.push_length_of(&inner.0);
            template.push_counted(form, inner.0);
            template.append(behind.0);
            let mut bytes = inner.1.len().to_string().into_bytes();
            form.write(inner.1.len(), &mut bytes);
            bytes.extend(inner.1);
            bytes.extend(behind.1);
            (template, bytes)
        });
        counted.boxed()
    }

    proptest! {
        #[test]
        fn lengths_are_those_of_what_follows((template, sequence, bytes) in made(3)) {
            let mut written = Vec::new();
            template.write(sequence, &mut written);
            prop_assert_eq!(template.len(sequence), written.len());
            prop_assert_eq!(template.constant().is_some(), template.places() == 0);
            let mut scratch = Vec::new();
            prop_assert_eq!(template.rendered(sequence, &mut scratch), bytes.as_slice());
            prop_assert_eq!(written, bytes);
        }
    }

    proptest! {
        #[test]
        fn a_text_is_what_replacing_gives(
            parts in prop::collection::vec("[a-z]{0,5}", 1..5),
            sequence in any::<u64>(),
        ) {
            let text = parts.join(SEQUENCE);
            let expected = text.replace(SEQUENCE, &sequence.to_string());
            let template = Template::text(&text);
            let mut written = Vec::new();
            template.write(sequence, &mut written);
            prop_assert_eq!(template.len(sequence), written.len());
            prop_assert_eq!(String::from_utf8(written).unwrap(), expected);
            prop_assert_eq!(template.constant().is_some(), parts.len() == 1);
        }
    }
}
