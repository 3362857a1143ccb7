//! What is asked, and what is expected.

use super::expect::Expect;
use crate::error::{Error, Result};
use crate::template::{with_token, Body, Rows, Template, Values};
use serde::Deserialize;
use std::sync::Arc;

/// One HTTP request and the reply it should get; one line of a `--requests` file.
/// Path, header values and bodies may hold `{token}` and `{seq}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    #[serde(default = "get")]
    pub method: String,
    pub path: String,
    /// `http://host:port`, where it goes to another host than the run's URL.
    #[serde(skip)]
    pub origin: Option<String>,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    #[serde(default)]
    pub body: Option<Body>,
    #[serde(default)]
    pub expect: Expect,
    /// What it is called in the summary; its method and path if it has no name.
    #[serde(default)]
    pub name: Option<String>,
    /// Whose columns may stand in braces.
    #[serde(skip)]
    pub rows: Option<Arc<Rows>>,
    /// Share of this request among several; without any they are sent in turn.
    #[serde(default)]
    pub weight: Option<f64>,
    /// Requests of this one a second, in open loop: its weight is its part of all rates.
    #[serde(default)]
    pub rate: Option<f64>,
}

fn get() -> String {
    "GET".into()
}

impl Request {
    pub fn get(path: &str) -> Self {
        Self {
            method: get(),
            path: path.into(),
            origin: None,
            headers: Vec::new(),
            body: None,
            expect: Expect::default(),
            name: None,
            rows: None,
            weight: None,
            rate: None,
        }
    }

    /// Its share of all requests, in the proportion of theirs.
    pub fn share(&self) -> f64 {
        self.weight.or(self.rate).unwrap_or(1.0)
    }

    /// What it is called where requests are counted apart.
    pub fn label(&self) -> String {
        let plain = || format!("{} {}", self.method, self.path);
        self.name.clone().unwrap_or_else(plain)
    }

    /// Whether sending it twice does what sending it once does (RFC 9110, section 9.2.2).
    pub fn is_idempotent(&self) -> bool {
        let method = self.method.as_str();
        matches!(
            method,
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE"
        )
    }

    fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a (String, String)> {
        let headers = self.headers.iter();
        headers.filter(move |(other, _)| other.eq_ignore_ascii_case(name))
    }

    /// All texts that may have something in braces, those of what is expected too.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let values = self.headers.iter().map(|(_, value)| value);
        let bodies = [&self.body, &self.expect.body].into_iter().flatten();
        values
            .chain([&self.path])
            .chain(&self.expect.contains.0)
            .chain(&self.expect.json.0)
            .map(String::as_str)
            .chain(bodies.filter_map(Body::text))
    }

    /// Whether it, or what is expected, is another in each run: by its token or its seed.
    pub fn varies_by_run(&self) -> bool {
        let of_run = ["{token}", "{rand:", "{uuid"];
        let varies = |text: &str| of_run.iter().any(|place| text.contains(place));
        self.rows.is_some() || self.texts().any(varies)
    }

    /// Gives each of them the rows of one worker of several.
    pub fn share_rows(requests: &mut [Self], worker: u64, workers: u64) {
        for rows in requests.iter_mut().filter_map(|one| one.rows.as_mut()) {
            *rows = Arc::new(rows.shared(worker, workers));
        }
    }

    /// One of its texts in a run. What is wrong with it has been refused by [`Self::check`].
    pub fn template(&self, text: &str, token: &str, seed: u64) -> Template {
        let rows = self.rows.as_ref();
        let values = Values { token, seed, rows };
        Template::of(text, &values).unwrap_or_else(|_| Template::text(text))
    }

    /// A body in a run, its own or the one that is expected.
    pub fn body_template(&self, body: &Body, token: &str, seed: u64) -> Template {
        match body {
            Body::Text(text) => self.template(text, token, seed),
            Body::Binary(bytes) => Template::bytes(bytes),
        }
    }

    /// The body that is expected in a run.
    pub fn expected_body(&self, token: &str, seed: u64) -> Option<Template> {
        let body = self.expect.body.as_ref()?;
        Some(self.body_template(body, token, seed))
    }

    /// Refuses braces that mean something and are wrong, and values of a file that would break the
    /// request.
    fn check_values(&self) -> Result<()> {
        let values = Values {
            rows: self.rows.as_ref(),
            ..Values::default()
        };
        for text in self.texts() {
            Template::of(text, &values).map_err(Error::usage)?;
        }
        let Some(rows) = &self.rows else {
            return Ok(());
        };
        let names = rows.names().iter().enumerate();
        let stands_in = |text: &str, name: &str| text.contains(&format!("{{{name}}}"));
        for (column, name) in names {
            let in_path = stands_in(&self.path, name);
            let mut values = self.headers.iter().map(|(_, value)| value);
            let in_header = values.any(|value| stands_in(value, name));
            let breaks = |value: &&String| {
                let is_control = |byte: u8| byte < b' ' || byte == 0x7f;
                (in_path && value.bytes().any(|byte| byte == b' ' || is_control(byte)))
                    || (in_header && value.bytes().any(is_control))
            };
            if let Some(value) = rows.of_column(column).find(breaks) {
                let message = format!("{{{name}}} is {value:?}, which has no place in a path or a header (a space in a path is %20)");
                return Err(Error::usage(message));
            }
        }
        Ok(())
    }

    /// Refuses a token that would make this something else than one request on the wire.
    ///
    /// # Errors
    /// A usage error that names the token.
    pub fn check_token(&self, token: &str) -> Result<()> {
        let headers = self.headers.iter();
        let request = Self {
            method: self.method.clone(),
            headers: headers
                .map(|(name, value)| (name.clone(), with_token(value, token)))
                .collect(),
            weight: self.weight,
            ..Self::get(&with_token(&self.path, token))
        };
        let wrong = |error: Error| Error::usage(format!("token {token:?}: {}", error.message));
        request.check().map_err(wrong)
    }

    /// Refuses what would not be one request on the wire.
    ///
    /// # Errors
    /// A usage error that names the part.
    pub fn check(&self) -> Result<()> {
        let is_name = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
        if !is_name(&self.method) {
            return Err(Error::usage(format!("{:?} is no HTTP method", self.method)));
        }
        if matches!(self.method.as_str(), "CONNECT") {
            return Err(Error::usage("CONNECT is not supported"));
        }
        if !self.path.starts_with('/') || self.path.bytes().any(|b| b <= b' ' || b == 0x7f) {
            return Err(Error::usage(format!("{:?} is no path", self.path)));
        }
        for (name, value) in &self.headers {
            if !is_name(name) || value.bytes().any(|b| (b < b' ' && b != b'\t') || b == 0x7f) {
                return Err(Error::usage(format!("\"{name}: {value}\" is no header")));
            }
        }
        self.check_values()?;
        self.expect.assertions().map_err(Error::usage)?;
        for (_, value) in self.headers_named("transfer-encoding") {
            if !value.trim().eq_ignore_ascii_case("chunked") {
                let message = format!("\"Transfer-Encoding: {value}\": only chunked is supported");
                return Err(Error::usage(message));
            }
            if self.headers_named("content-length").next().is_some() {
                let message = "both Transfer-Encoding and Content-Length: one body has one length";
                return Err(Error::usage(message));
            }
        }
        let is_wrong =
            |share: Option<f64>| share.is_some_and(|share| !(share > 0.0 && share.is_finite()));
        if is_wrong(self.weight) {
            return Err(Error::usage(format!("{}: a weight is above 0", self.path)));
        }
        if is_wrong(self.rate) {
            return Err(Error::usage(format!("{}: a rate is above 0", self.path)));
        }
        Ok(())
    }
}

/// RFC 9110, section 5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_be_one_request_is_refused() {
        let broken = |change: fn(&mut Request)| {
            let mut request = Request::get("/");
            change(&mut request);
            assert!(request.check().is_err(), "{request:?}");
        };
        broken(|request| request.method = "GET /x HTTP/1.1\r\n".into());
        broken(|request| request.method = String::new());
        broken(|request| request.path = "x".into());
        broken(|request| request.path = "/a b".into());
        broken(|request| request.headers = vec![("a b".into(), "c".into())]);
        broken(|request| request.headers = vec![("a".into(), "c\r\nd: e".into())]);
        broken(|request| request.weight = Some(0.0));
        broken(|request| request.headers = vec![("transfer-encoding".into(), "gzip".into())]);
        broken(|request| {
            let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
            request.headers = vec![
                header("Transfer-Encoding", "chunked"),
                header("Content-Length", "3"),
            ];
        });
    }

    #[test]
    fn a_token_that_would_break_the_request_is_refused() {
        let mut request = Request::get("/{token}");
        assert!(request.check_token("7f3a").is_ok());
        assert!(request.check_token("a b").is_err());
        assert!(request.check_token("a HTTP/1.1\r\nx: y").is_err());
        request.path = "/".into();
        request.headers = vec![("a".into(), "{token}".into())];
        assert!(request.check_token("a b").is_ok());
        assert!(request.check_token("a\r\nx: y").is_err());
    }
}
