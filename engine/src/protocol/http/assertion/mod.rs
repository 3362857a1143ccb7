//! What a body must be like where it need not be one text exactly: contain a text, match a regular
//! expression, have a value at a JSON path.

mod checks;
mod json;

pub use self::checks::Checks;
pub use self::json::{value_of, JsonAssertion, Path};

use super::request::Request;
use regex::bytes::Regex;
use serde::Deserialize;

/// One assertion, as it was asked for and understood.
#[derive(Clone, Debug)]
pub enum Assertion {
    /// `{token}`, `{seq}` and other values may stand in it.
    Contains(String),
    Matches(Regex),
    Json(JsonAssertion),
}

/// One text or a list of them, as they stand in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Written")]
pub struct Texts(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    One(String),
    Many(Vec<String>),
}

impl From<Written> for Texts {
    fn from(written: Written) -> Self {
        Self(match written {
            Written::One(text) => vec![text],
            Written::Many(texts) => texts,
        })
    }
}

impl Assertion {
    /// # Errors
    /// What is wrong with the regular expression.
    pub fn matches(text: &str) -> Result<Self, String> {
        let regex = Regex::new(text);
        // The message of the crate has several lines; the last one says what is wrong.
        let why = |error: regex::Error| {
            let message = error.to_string();
            let last = message.lines().last().unwrap_or_default();
            let last = last.trim_start_matches("error: ");
            format!("{text:?} is no regular expression: {last}")
        };
        regex.map(Self::Matches).map_err(why)
    }

    /// `$.path`, or `$.path=value`.
    ///
    /// # Errors
    /// What is wrong with the path.
    pub fn json(text: &str) -> Result<Self, String> {
        text.parse().map(Self::Json)
    }

    /// What it is called where failures are counted.
    pub fn name(&self) -> String {
        match self {
            Self::Contains(text) => format!("contains {text:?}"),
            Self::Matches(regex) => format!("matches {regex}"),
            Self::Json(json) => format!("json {json}"),
        }
    }
}

/// The names of all assertions of these requests, each once, in their order.
pub fn names(requests: &[Request]) -> Vec<String> {
    let mut names = Vec::new();
    let all = requests
        .iter()
        .filter_map(|request| request.expect.assertions().ok());
    for assertion in all.flatten() {
        let name = assertion.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_or_several() {
        let read = |text: &str| serde_json::from_str::<Texts>(text).unwrap().0;
        assert_eq!(read("\"a\""), ["a"]);
        assert_eq!(read("[\"a\", \"b\"]"), ["a", "b"]);
    }

    #[test]
    fn what_is_no_regular_expression_is_said_in_one_line() {
        let why = Assertion::matches("a(b").unwrap_err();
        assert_eq!(why, "\"a(b\" is no regular expression: unclosed group");
    }

    #[test]
    fn assertions_of_one_name_are_one() {
        let mut requests = vec![Request::get("/a"), Request::get("/b")];
        requests[0].expect.contains = Texts(vec!["x".into()]);
        requests[1].expect.contains = Texts(vec!["x".into()]);
        requests[1].expect.matches = Texts(vec!["^y".into()]);
        assert_eq!(names(&requests), ["contains \"x\"", "matches ^y"]);
    }
}
