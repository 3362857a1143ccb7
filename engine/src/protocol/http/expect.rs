//! What a reply is held against.

use super::assertion::{Assertion, Texts};
use super::statuses::Statuses;
use crate::protocol::{ErrorKind, Failure};
use crate::template::Body;
use serde::Deserialize;

/// What a reply must be; `None` is not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    pub status: Option<Statuses>,
    pub body: Option<Body>,
    /// What the body must contain.
    pub contains: Texts,
    /// Regular expressions that the body must match.
    #[serde(rename = "match")]
    pub matches: Texts,
    /// JSON paths with something there, or with `=` and what must be there.
    pub json: Texts,
    /// Where no status is expected: whether 400 and above are errors.
    pub success: bool,
}

impl Expect {
    /// What the body must be like, beside [`Self::body`].
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn assertions(&self) -> std::result::Result<Vec<Assertion>, String> {
        let contains = self.contains.0.iter().cloned().map(Assertion::Contains);
        let matches = self.matches.0.iter().map(|text| Assertion::matches(text));
        let json = self.json.0.iter().map(|text| Assertion::json(text));
        contains.map(Ok).chain(matches).chain(json).collect()
    }

    /// Whether there are any.
    pub fn has_assertions(&self) -> bool {
        let all = [&self.contains, &self.matches, &self.json];
        all.iter().any(|texts| !texts.0.is_empty())
    }

    /// Asserts what another asserts too.
    pub fn also_assert(&mut self, other: &Self) {
        self.contains.0.extend_from_slice(&other.contains.0);
        self.matches.0.extend_from_slice(&other.matches.0);
        self.json.0.extend_from_slice(&other.json.0);
    }

    #[inline]
    pub fn accepts(&self, status: u16) -> bool {
        match self.status {
            Some(expected) => expected.contains(status),
            None => !self.success || status < 400,
        }
    }

    /// What is wrong with a status, if anything is.
    #[inline]
    pub fn judge(&self, status: u16) -> Option<Failure> {
        if self.accepts(status) {
            return None;
        }
        let message = match self.status {
            Some(expected) => format!("status {status}, expected {expected}"),
            None => format!("status {status}"),
        };
        Some(Failure::new(ErrorKind::Status, message))
    }
}
