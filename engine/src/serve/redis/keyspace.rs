//! Keys and values. An entry, once made, keeps its place, so that a command which comes again
//! need not be looked up again.

use std::collections::HashMap;
use std::fmt::Write;

/// A place in the keyspace.
pub type Entry = usize;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    #[default]
    Missing,
    Text(Vec<u8>),
    Integer(i64),
}

/// Why a number could not be changed; Redis's own words.
#[derive(Debug, PartialEq, Eq)]
pub struct NotChanged(pub &'static str);

#[derive(Debug, Default)]
pub struct Keyspace {
    places: HashMap<(u32, Vec<u8>), Entry>,
    values: Vec<Value>,
}

impl Keyspace {
    /// The entry of a key, made if there is none.
    pub fn entry(&mut self, database: u32, key: &[u8]) -> Entry {
        let next = self.values.len();
        let entry = *self.places.entry((database, key.to_vec())).or_insert(next);
        if entry == next {
            self.values.push(Value::Missing);
        }
        entry
    }

    #[inline]
    pub fn get(&self, entry: Entry) -> &Value {
        &self.values[entry]
    }

    #[inline]
    pub fn set(&mut self, entry: Entry, text: &[u8]) {
        match &mut self.values[entry] {
            Value::Text(old) => {
                old.clear();
                old.extend_from_slice(text);
            }
            other => *other = Value::Text(text.to_vec()),
        }
    }

    /// Whether there was anything to delete.
    #[inline]
    pub fn delete(&mut self, entry: Entry) -> bool {
        std::mem::take(&mut self.values[entry]) != Value::Missing
    }

    /// Adds to a number; a missing one is 0.
    #[inline]
    pub fn add(&mut self, entry: Entry, by: i64) -> Result<i64, NotChanged> {
        let value = &mut self.values[entry];
        let number = match value {
            Value::Missing => 0,
            Value::Integer(number) => *number,
            Value::Text(text) => {
                integer(text).ok_or(NotChanged("value is not an integer or out of range"))?
            }
        };
        let sum = number
            .checked_add(by)
            .ok_or(NotChanged("increment or decrement would overflow"))?;
        *value = Value::Integer(sum);
        Ok(sum)
    }

    /// Every key is gone; entries stay what they were.
    pub fn clear(&mut self) {
        self.values.fill(Value::Missing);
    }
}

/// A number as Redis takes it: no sign but a minus, no leading zeros, no blanks.
pub fn integer(text: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let mut again = String::new();
    write!(again, "{number}").ok()?;
    (again.as_bytes() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_up_and_say_what_is_wrong() {
        let mut keys = Keyspace::default();
        let a = keys.entry(0, b"a");
        assert_ne!(a, keys.entry(1, b"a"));
        assert_eq!(a, keys.entry(0, b"a"));
        assert_eq!(keys.add(a, 1), Ok(1));
        assert_eq!(keys.add(a, 2), Ok(3));
        assert!(keys.delete(a) && !keys.delete(a));
        keys.set(a, b"41");
        assert_eq!(keys.add(a, 1), Ok(42));
        assert!(keys.add(a, i64::MAX).is_err());
        for text in ["bar", "+1", "01", " 1", ""] {
            keys.set(a, text.as_bytes());
            assert!(keys.add(a, 1).is_err(), "{text:?}");
        }
    }
}
