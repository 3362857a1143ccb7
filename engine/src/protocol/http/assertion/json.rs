//! A JSON path (RFC 9535), and the value that is expected there.

use serde_json::{Number, Value};
use serde_json_path::{JsonPath, NodeList};
use std::fmt;
use std::str::FromStr;

/// A JSON path as it was written, and understood.
#[derive(Clone, Debug)]
pub struct Path {
    text: String,
    query: JsonPath,
}

impl Path {
    /// What stands there.
    pub fn query<'a>(&self, json: &'a Value) -> NodeList<'a> {
        self.query.query(json)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Something has to stand at a path, or this value.
#[derive(Clone, Debug)]
pub struct JsonAssertion {
    pub path: Path,
    /// JSON, or else a text as it stands; `{token}`, `{seq}` and other values may stand in it.
    pub value: Option<String>,
}

impl FromStr for JsonAssertion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, value) = match end_of_path(text) {
            Some(at) => (&text[..at], Some(text[at + 1..].trim().to_owned())),
            None => (text, None),
        };
        let path = path.trim();
        let query =
            JsonPath::parse(path).map_err(|error| format!("{path:?} is no JSON path: {error}"))?;
        let path = Path {
            text: path.to_owned(),
            query,
        };
        Ok(Self { path, value })
    }
}

impl fmt::Display for JsonAssertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.path),
            None => write!(f, "{}", self.path),
        }
    }
}

/// Where the `=` behind the path stands: those in its brackets belong to it.
fn end_of_path(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'[') => depth += 1,
            (None, b']') => depth -= 1,
            (None, b'=') if depth == 0 => return Some(at),
            (None, _) => {}
        }
    }
    None
}

/// What a text says: JSON, or else the text itself.
pub fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Whether two values are the same in JSON, where 1 is 1.0.
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(name, value)| other.get(name).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}

fn is_same_number(one: &Number, other: &Number) -> bool {
    let is_whole = |number: &Number| !number.is_f64();
    match is_whole(one) && is_whole(other) {
        true => one == other,
        false => one.as_f64() == other.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_value_are_told_apart() {
        let read = |text: &str| {
            let assertion: JsonAssertion = text.parse().unwrap();
            (assertion.path.to_string(), assertion.value)
        };
        assert_eq!(read("$.a.b"), ("$.a.b".into(), None));
        assert_eq!(read("$.a = 7"), ("$.a".into(), Some("7".into())));
        assert_eq!(read("$.a=b=c"), ("$.a".into(), Some("b=c".into())));
        let (_, value) = read("$.a[?@.b == 'x]=']['c=d']=[1]");
        assert_eq!(value, Some("[1]".into()));
        assert!("a.b=1".parse::<JsonAssertion>().is_err());
    }

    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        let same = |one: &str, other: &str| is_same(&value_of(one), &value_of(other));
        assert!(same("1", "1.0"));
        assert!(same("[1, {\"a\": 2.0}]", "[1.0, {\"a\": 2}]"));
        assert!(!same("1", "\"1\""));
        assert!(!same("[1]", "[1, 2]"));
        // As whole numbers, which a double cannot tell apart.
        assert!(!same("9007199254740993", "9007199254740992"));
        assert_eq!(value_of("ann"), Value::String("ann".into()));
    }
}
