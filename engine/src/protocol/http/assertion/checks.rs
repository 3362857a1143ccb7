//! Assertions as they are in one run, held against bodies.

use super::json::{is_same, value_of, Path};
use super::{names, Assertion};
use crate::encoding::gzip::{unpack, Packed};
use crate::protocol::asked::Asked;
use crate::protocol::http::content::{Coding, Kept, LONGEST_KEPT};
use crate::protocol::http::Request;
use crate::protocol::{ErrorKind, Failure};
use crate::template::Template;
use memchr::memmem::{self, Finder};
use regex::bytes::Regex;
use serde_json::Value;
use std::borrow::Cow;

const TOO_LONG: &str = "a body of over 16 MiB, too long for assertions";

/// Bytes of a body or a value that a message shows.
const SHOWN: usize = 60;

/// The assertions of each request, with token and values in place.
#[derive(Clone, Default)]
pub struct Checks {
    /// By the request's index.
    of: Vec<Vec<Check>>,
}

#[derive(Clone)]
struct Check {
    /// Its place among the names of all assertions.
    number: u32,
    what: What,
}

#[derive(Clone)]
enum What {
    Contains(Finder<'static>),
    /// Another text for each request.
    ContainsVarying(Template),
    Matches(Regex),
    Has(Path),
    Is(Path, Value),
    IsVarying(Path, Template),
}

impl Checks {
    /// The assertions of these requests, which have been checked to be such.
    pub fn new(requests: &[Request], token: &str, seed: u64) -> Self {
        let names = names(requests);
        let of = requests.iter().map(|request| {
            let assertions = request.expect.assertions().unwrap_or_default();
            let checks = assertions.into_iter().map(|assertion| {
                let name = assertion.name();
                let number = names.iter().position(|other| *other == name);
                Check {
                    number: number.unwrap_or_default() as u32,
                    what: What::new(assertion, |text| request.template(text, token, seed)),
                }
            });
            checks.collect()
        });
        Self { of: of.collect() }
    }

    /// Whether the same body is right for request after request.
    pub fn are_constant(&self, request: u32) -> bool {
        let mut checks = self.of[request as usize].iter();
        !checks.any(|check| matches!(check.what, What::ContainsVarying(_) | What::IsVarying(_, _)))
    }

    /// What is wrong with a body that came in pieces.
    pub fn judge_kept(&self, asked: Asked, coding: Coding, kept: &Kept) -> Option<Failure> {
        match kept.whole() {
            Some(body) => self.judge(asked, coding, body),
            None => {
                let checks = self.of[asked.request as usize].iter();
                let failure = Failure::new(ErrorKind::Body, TOO_LONG);
                Some(failure.of_assertions(checks.map(|check| check.number)))
            }
        }
    }

    /// What is wrong with a body, with every assertion that fails.
    pub fn judge(&self, asked: Asked, coding: Coding, body: &[u8]) -> Option<Failure> {
        let checks = &self.of[asked.request as usize];
        if checks.is_empty() {
            return None;
        }
        let body = match unpacked(coding, body) {
            Ok(body) => body,
            Err(why) => {
                let failed = checks.iter().map(|check| check.number);
                return Some(Failure::new(ErrorKind::Body, why).of_assertions(failed));
            }
        };
        let mut json = None;
        let mut first = None;
        let mut failed = Vec::new();
        for check in checks {
            if let Err(why) = check.what.hold(asked.sequence, &body, &mut json) {
                first = first.or(Some(why));
                failed.push(check.number);
            }
        }
        Some(Failure::new(ErrorKind::Body, first?).of_assertions(failed))
    }
}

/// A body as it was before it was packed.
fn unpacked(coding: Coding, body: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    match coding {
        Coding::None => Ok(Cow::Borrowed(body)),
        Coding::Gzip => unpack(body, LONGEST_KEPT)
            .map(Cow::Owned)
            .map_err(|why| match why {
                Packed::Broken => "a body that is no gzip".into(),
                Packed::TooLong => TOO_LONG.into(),
            }),
        Coding::Other => {
            Err("a body in a coding that assertions cannot read (gzip they can)".into())
        }
    }
}

type Parsed = Option<Result<Value, String>>;

impl What {
    fn new(assertion: Assertion, template: impl Fn(&str) -> Template) -> Self {
        match assertion {
            Assertion::Contains(text) => {
                let template = template(&text);
                match template.constant() {
                    Some(bytes) => Self::Contains(Finder::new(bytes).into_owned()),
                    None => Self::ContainsVarying(template),
                }
            }
            Assertion::Matches(regex) => Self::Matches(regex),
            Assertion::Json(json) => match json.value {
                None => Self::Has(json.path),
                Some(value) => {
                    let template = template(&value);
                    match template.constant() {
                        Some(bytes) => Self::Is(json.path, read(bytes)),
                        None => Self::IsVarying(json.path, template),
                    }
                }
            },
        }
    }

    /// Whether a body is so; if not, why. `json` is the body parsed, once for all assertions.
    fn hold(&self, sequence: u64, body: &[u8], json: &mut Parsed) -> Result<(), String> {
        let rendered = |template: &Template| {
            let mut bytes = Vec::new();
            template.write(sequence, &mut bytes);
            bytes
        };
        match self {
            Self::Contains(finder) => match finder.find(body) {
                Some(_) => Ok(()),
                None => Err(without(finder.needle(), body)),
            },
            Self::ContainsVarying(template) => {
                let text = rendered(template);
                match memmem::find(body, &text) {
                    Some(_) => Ok(()),
                    None => Err(without(&text, body)),
                }
            }
            Self::Matches(regex) => match regex.is_match(body) {
                true => Ok(()),
                false => Err(format!(
                    "a body that does not match {regex}: {}",
                    shown(body)
                )),
            },
            Self::Has(path) => match path.query(parsed(body, json)?).is_empty() {
                false => Ok(()),
                true => Err(format!("a body with nothing at {path}: {}", shown(body))),
            },
            Self::Is(path, expected) => is_at(path, expected, parsed(body, json)?),
            Self::IsVarying(path, template) => {
                is_at(path, &read(&rendered(template)), parsed(body, json)?)
            }
        }
    }
}

fn read(bytes: &[u8]) -> Value {
    value_of(&String::from_utf8_lossy(bytes))
}

fn parsed<'a>(body: &[u8], json: &'a mut Parsed) -> Result<&'a Value, String> {
    let parse = || {
        serde_json::from_slice(body)
            .map_err(|error| format!("a body that is no JSON ({error}): {}", shown(body)))
    };
    json.get_or_insert_with(parse)
        .as_ref()
        .map_err(Clone::clone)
}

/// One of the values at `path` has to be the expected one.
fn is_at(path: &Path, expected: &Value, json: &Value) -> Result<(), String> {
    let found = path.query(json);
    if found.iter().any(|value| is_same(value, expected)) {
        return Ok(());
    }
    Err(match found.iter().next() {
        Some(value) => {
            let value = shown(value.to_string().as_bytes());
            format!("a body with {value} at {path}, expected {expected}")
        }
        None => format!("a body with nothing at {path}, expected {expected}"),
    })
}

fn without(text: &[u8], body: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    format!("a body without {text:?}: {}", shown(body))
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).into_owned();
    match bytes.len() > SHOWN {
        true => text + "...",
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::http::assertion::Texts;
    use flate2::{write::GzEncoder, Compression};
    use std::io::Write;

    fn request(contains: &[&str], matches: &[&str], json: &[&str]) -> Request {
        let texts = |texts: &[&str]| Texts(texts.iter().map(|text| (*text).to_owned()).collect());
        let mut request = Request::get("/");
        request.expect.contains = texts(contains);
        request.expect.matches = texts(matches);
        request.expect.json = texts(json);
        request
    }

    fn judged(request: Request, sequence: u64, body: &str) -> Option<(String, Vec<u32>)> {
        let checks = Checks::new(&[request], "7f3a", 0);
        let asked = Asked {
            request: 0,
            sequence,
        };
        let failure = checks.judge(asked, Coding::None, body.as_bytes())?;
        assert_eq!(failure.kind, ErrorKind::Body);
        Some((failure.details.message, failure.details.assertions))
    }

    #[test]
    fn texts_and_expressions() {
        let one = || request(&["from {token}/{seq}"], &["^Hel+o"], &[]);
        assert_eq!(judged(one(), 9, "Hello from 7f3a/9!"), None);
        let (why, failed) = judged(one(), 9, "Hello from 7f3a/8!").unwrap();
        assert_eq!(why, "a body without \"from 7f3a/9\": Hello from 7f3a/8!");
        assert_eq!(failed, [0]);
        let (why, failed) = judged(one(), 9, "hi").unwrap();
        assert_eq!(why, "a body without \"from 7f3a/9\": hi");
        assert_eq!(failed, [0, 1]);
    }

    #[test]
    fn values_at_a_path() {
        let one = |json: &str| request(&[], &[], &[json]);
        let body = r#"{"id": 9, "users": [{"name": "ann"}, {"name": "bob"}], "none": null}"#;
        for right in [
            "$.id",
            "$.none",
            "$.id=9.0",
            "$.id={seq}",
            "$.users[*].name=bob",
            "$.users[?@.name=='ann'].name=\"ann\"",
            "$.users[1]={\"name\": \"bob\"}",
            "$.none=null",
        ] {
            assert_eq!(judged(one(right), 9, body), None, "{right}");
        }
        let why = |json: &str, body: &str| judged(one(json), 8, body).unwrap().0;
        assert_eq!(why("$.id={seq}", body), "a body with 9 at $.id, expected 8");
        assert_eq!(why("$.x=1", "{}"), "a body with nothing at $.x, expected 1");
        assert_eq!(why("$.x", "{}"), "a body with nothing at $.x: {}");
        assert!(why("$.x", "oops").starts_with("a body that is no JSON ("));
    }

    #[test]
    fn what_is_packed_is_looked_into() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(b"Hello").unwrap();
        let packed = packer.finish().unwrap();
        let checks = Checks::new(&[request(&["Hello"], &[], &[])], "", 0);
        let asked = Asked::default();
        assert_eq!(checks.judge(asked, Coding::Gzip, &packed), None);
        assert!(checks.judge(asked, Coding::Gzip, b"Hello").is_some());
        let other = checks.judge(asked, Coding::Other, b"Hello").unwrap();
        assert_eq!(other.details.assertions, [0]);
    }

    #[test]
    fn those_that_vary_are_not_constant() {
        let constant = |request: Request| Checks::new(&[request], "", 0).are_constant(0);
        assert!(constant(request(&["{token}"], &["x{2}"], &["$.a=1"])));
        assert!(!constant(request(&["{seq}"], &[], &[])));
        assert!(!constant(request(&[], &[], &["$.a={uuid}"])));
    }
}
