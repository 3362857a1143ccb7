//! Values that differ from request to request, each made from the request's number alone: the same
//! for the same seed, and the same wherever they stand in one request and in what is expected of
//! its reply.

use super::length::{digits, push_decimal};
use super::rows::Rows;
use crate::fnv::Fnv1a;
use crate::random::SplitMix64;
use std::sync::Arc;

/// Longer than any place that has a meaning.
const LONGEST: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Varying {
    /// A number from `low` on, below `low + span`.
    Random { low: u64, span: u64, salt: u64 },
    /// Version 4 of RFC 9562.
    Uuid { salt: u64 },
    /// Of a row of a file.
    Column {
        rows: Arc<Rows>,
        column: usize,
        seed: u64,
    },
}

/// What stands in braces.
enum Place {
    Sequence,
    Varying(Varying),
}

/// What the values of one run are made from.
#[derive(Clone, Copy, Default)]
pub struct Values<'a> {
    pub token: &'a str,
    pub seed: u64,
    pub rows: Option<&'a Arc<Rows>>,
}

impl Values<'_> {
    /// What stands between two braces, where it means anything.
    ///
    /// # Errors
    /// What is wrong with it.
    fn place(&self, inside: &str) -> Result<Option<Place>, String> {
        let salt = Fnv1a::of(inside.as_bytes()) ^ self.seed;
        let (name, rest) = match inside.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (inside, None),
        };
        let varying = match (name, rest) {
            ("seq", None) => return Ok(Some(Place::Sequence)),
            ("uuid", _) => Varying::Uuid { salt },
            ("rand", Some(rest)) => {
                let (low, span) = range(rest).ok_or_else(|| {
                    format!("{{{inside}}}: {{rand:1:1000}} is a number from 1 to 1000")
                })?;
                Varying::Random { low, span, salt }
            }
            _ => {
                let column = self.rows.and_then(|rows| rows.column(inside));
                let (Some(rows), Some(column)) = (self.rows, column) else {
                    return Ok(None);
                };
                Varying::Column {
                    rows: Arc::clone(rows),
                    column,
                    seed: self.seed,
                }
            }
        };
        Ok(Some(Place::Varying(varying)))
    }

    /// Splits a text into what is the same each time and what is not.
    ///
    /// # Errors
    /// A place that is wrong.
    pub fn split(
        &self,
        text: &str,
        mut same: impl FnMut(&[u8]),
        mut place: impl FnMut(Option<Varying>),
    ) -> Result<(), String> {
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let behind = &rest[open + 1..];
            let end = behind.find(['{', '}']).filter(|end| *end <= LONGEST);
            let inside = end.filter(|end| behind[*end..].starts_with('}'));
            let found = match inside {
                Some(end) => self.place(&behind[..end])?.map(|place| (end, place)),
                None => None,
            };
            match found {
                Some((end, found)) => {
                    same(&rest.as_bytes()[..open]);
                    match found {
                        Place::Sequence => place(None),
                        Place::Varying(varying) => place(Some(varying)),
                    }
                    rest = &behind[end + 1..];
                }
                None => {
                    same(&rest.as_bytes()[..=open]);
                    rest = behind;
                }
            }
        }
        same(rest.as_bytes());
        Ok(())
    }
}

/// `1:1000`, and a name behind it that keeps two numbers of a request apart.
fn range(text: &str) -> Option<(u64, u64)> {
    let mut parts = text.splitn(3, ':');
    let low: u64 = parts.next()?.parse().ok()?;
    let high: u64 = parts.next()?.parse().ok()?;
    let span = high.checked_sub(low)?.checked_add(1)?;
    Some((low, span))
}

/// Neighbouring numbers give unrelated values.
fn drawn(salt: u64, sequence: u64) -> SplitMix64 {
    SplitMix64::new(SplitMix64::new(salt).next_u64() ^ sequence)
}

fn number(low: u64, span: u64, salt: u64, sequence: u64) -> u64 {
    let drawn = u128::from(drawn(salt, sequence).next_u64());
    low + ((drawn * u128::from(span)) >> 64) as u64
}

const UUID_LENGTH: usize = 36;

impl Varying {
    /// Length of what [`Self::write`] appends.
    pub fn len(&self, sequence: u64) -> usize {
        match self {
            Self::Random { low, span, salt } => digits(number(*low, *span, *salt, sequence)),
            Self::Uuid { .. } => UUID_LENGTH,
            Self::Column { rows, column, seed } => rows.value(*column, sequence, *seed).len(),
        }
    }

    pub fn write(&self, sequence: u64, output: &mut Vec<u8>) {
        match self {
            Self::Random { low, span, salt } => {
                push_decimal(output, number(*low, *span, *salt, sequence));
            }
            Self::Uuid { salt } => {
                let mut random = drawn(*salt, sequence);
                let high = random.next_u64() & !0xf000 | 0x4000;
                let low = (random.next_u64() & !(0b11 << 62)) | (0b10 << 62);
                push_hexadecimal(high >> 32, 8, output);
                for (group, digits) in [(high >> 16, 4), (high, 4), (low >> 48, 4), (low, 12)] {
                    output.push(b'-');
                    push_hexadecimal(group, digits, output);
                }
            }
            Self::Column { rows, column, seed } => {
                output.extend_from_slice(rows.value(*column, sequence, *seed).as_bytes());
            }
        }
    }
}

/// The last digits of a number.
fn push_hexadecimal(number: u64, digits: u32, output: &mut Vec<u8>) {
    for digit in (0..digits).rev() {
        output.push(b"0123456789abcdef"[(number >> (4 * digit)) as usize & 0xf]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Template;
    use super::*;

    fn written(text: &str, values: &Values<'_>, sequence: u64) -> String {
        let template = Template::of(text, values).expect(text);
        let mut output = Vec::new();
        template.write(sequence, &mut output);
        assert_eq!(output.len(), template.len(sequence), "{text}");
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn numbers_are_in_their_range_all_of_it_and_by_the_seed() {
        let values = Values::default();
        let drawn = |values: &Values<'_>| -> Vec<u64> {
            let text = |sequence| written("{rand:7:16}", values, sequence);
            (0..1_000)
                .map(|sequence| text(sequence).parse().unwrap())
                .collect()
        };
        let numbers = drawn(&values);
        for number in 7..=16 {
            // 100 each; standard deviation 9.5.
            let count = numbers.iter().filter(|found| **found == number).count();
            assert!((50..150).contains(&count), "{number}: {count}");
        }
        assert_eq!(
            numbers
                .iter()
                .filter(|found| !(7..=16).contains(*found))
                .count(),
            0
        );
        assert_eq!(numbers, drawn(&values));
        assert_ne!(numbers, drawn(&Values { seed: 1, ..values }));
        // The same place is the same value; another name makes another.
        let text = written(
            "{rand:0:999999} {rand:0:999999} {rand:0:999999:b}",
            &values,
            5,
        );
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!(words[0], words[1]);
        assert_ne!(words[0], words[2]);
    }

    #[test]
    fn identifiers_are_of_their_version_and_all_different() {
        let mut seen = std::collections::HashSet::new();
        for sequence in 0..1_000 {
            let uuid = written("{uuid}", &Values::default(), sequence);
            let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
            assert_eq!(groups, [8, 4, 4, 4, 12], "{uuid}");
            assert_eq!(&uuid[14..15], "4", "{uuid}");
            assert!("89ab".contains(&uuid[19..20]), "{uuid}");
            assert!(seen.insert(uuid));
        }
    }

    #[test]
    fn columns_and_other_braces() {
        let rows = Arc::new(Rows::csv("user,city\nann,Ulm\nbob,Rom\n").unwrap());
        let values = Values {
            rows: Some(&rows),
            ..Values::default()
        };
        let text = "{\"u\": \"{user}\", \"n\": {seq}, \"x\": {nobody}, {city}{";
        assert_eq!(
            written(text, &values, 1),
            "{\"u\": \"bob\", \"n\": 1, \"x\": {nobody}, Rom{"
        );
        assert_eq!(written("{user}", &values, 2), "ann");
        for wrong in ["{rand:5:1}", "{rand:1}", "{rand:a:b}"] {
            assert!(Template::of(wrong, &values).is_err(), "{wrong}");
        }
    }
}
