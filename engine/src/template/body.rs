//! Bodies and messages: texts that may have something in braces, or bytes that go out as they are.

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Text(String),
    /// Braces in it mean nothing.
    Binary(Arc<[u8]>),
}

impl Body {
    /// What stands in a file: a text where it is UTF-8.
    pub fn of_file(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::binary(&error.into_bytes()),
        }
    }

    pub fn binary(bytes: &[u8]) -> Self {
        Self::Binary(bytes.into())
    }

    /// # Errors
    /// It is no base64 (RFC 4648, section 4), and why.
    pub fn base64(text: &str) -> Result<Self, String> {
        let bytes = STANDARD.decode(text);
        let bytes = bytes.map_err(|error| format!("a body that is no base64: {error}"))?;
        Ok(Self::binary(&bytes))
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Binary(_) => None,
        }
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// As JSON has it: JSON has texts only.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a body is a text, or {\"base64\": \"...\"}"
)]
enum Json {
    Text(String),
    Base64 { base64: String },
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Text(text) => Ok(Self::Text(text)),
            Json::Base64 { base64 } => Self::base64(&base64).map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_texts_where_they_are_utf_8() {
        assert_eq!(Body::of_file("aé\0".into()), Body::from("aé\0"));
        assert_eq!(Body::of_file(vec![]), Body::from(""));
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(Body::of_file(all.clone()), Body::binary(&all));
    }

    #[test]
    fn json_has_texts_and_base64() {
        let read = |json: &str| serde_json::from_str::<Body>(json);
        assert_eq!(read("\"a{seq}\"").unwrap(), Body::from("a{seq}"));
        let bytes = read("{\"base64\": \"AP8=\"}").unwrap();
        assert_eq!(bytes, Body::binary(&[0, 255]));
        assert_eq!(bytes.text(), None);
        for (json, why) in [
            ("5", "a body is a text, or"),
            ("{\"base64\": \"AP8=\", \"x\": 1}", "a body is a text, or"),
            ("{\"base64\": \"?\"}", "no base64"),
        ] {
            let said = read(json).expect_err(json).to_string();
            assert!(said.contains(why), "{said}");
        }
    }
}
