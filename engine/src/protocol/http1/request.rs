//! What is asked, and what is expected.

use crate::error::{Error, Result};
use crate::protocol::{ErrorKind, Failure};
use crate::template::{push_decimal, with_token, Pieces};
use serde::Deserialize;

/// One HTTP request and the reply it should get; one line of a `--requests` file.
/// Path, header values and bodies may hold `{token}` and `{seq}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    #[serde(default = "get")]
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pub expect: Expect,
    /// Share of this request among several; without any they are sent in turn.
    #[serde(default)]
    pub weight: Option<f64>,
}

fn get() -> String {
    "GET".into()
}

/// What a reply must be; `None` is not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    pub status: Option<u16>,
    pub body: Option<String>,
    /// Where no status is expected: whether 400 and above are errors.
    pub success: bool,
}

impl Expect {
    #[inline]
    pub fn accepts(&self, status: u16) -> bool {
        match self.status {
            Some(expected) => expected == status,
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

impl Request {
    pub fn get(path: &str) -> Self {
        Self {
            method: get(),
            path: path.into(),
            headers: Vec::new(),
            body: None,
            expect: Expect::default(),
            weight: None,
        }
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
        if self
            .weight
            .is_some_and(|weight| !(weight > 0.0 && weight.is_finite()))
        {
            return Err(Error::usage(format!("{}: a weight is above 0", self.path)));
        }
        Ok(())
    }

    pub(super) fn render(&self, host: &str, keep_alive: bool, token: &str) -> Wire {
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name))
        };
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !has("host") {
            head += &format!("Host: {host}\r\n");
        }
        if !keep_alive && !has("connection") {
            head += "Connection: close\r\n";
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let mut head = Pieces::new(&with_token(&head, token));
        let body = self
            .body
            .as_ref()
            .map(|body| Pieces::new(&with_token(body, token)));
        let mut length_varies = false;
        match &body {
            Some(body) if has("content-length") || body.is_constant() => {
                if !has("content-length") {
                    head.push(&format!("Content-Length: {}\r\n", body.len(0)));
                }
                head.push("\r\n");
            }
            Some(_) => length_varies = true,
            None => head.push("\r\n"),
        }
        Wire {
            head,
            body,
            length_varies,
        }
    }
}

/// A request as it goes over the wire, but for its sequence number.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    head: Pieces,
    body: Option<Pieces>,
    /// The body's length depends on the sequence number, so its header is still to be written.
    length_varies: bool,
}

impl Wire {
    /// The same bytes whatever the sequence number.
    pub fn is_constant(&self) -> bool {
        self.head.is_constant() && self.body.as_ref().is_none_or(Pieces::is_constant)
    }

    #[inline]
    pub fn write(&self, sequence: u64, output: &mut Vec<u8>) {
        self.head.write(sequence, output);
        if let Some(body) = &self.body {
            if self.length_varies {
                output.extend_from_slice(b"Content-Length: ");
                push_decimal(output, body.len(sequence) as u64);
                output.extend_from_slice(b"\r\n\r\n");
            }
            body.write(sequence, output);
        }
    }
}

/// RFC 9110, section 5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(request: &Request, sequence: u64) -> String {
        let mut output = Vec::new();
        request
            .render("h:80", true, "ab")
            .write(sequence, &mut output);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn rendered_with_token_and_length() {
        let mut request = Request::get("/{token}");
        request.method = "POST".into();
        request.headers = vec![("X-A".into(), "{token}".into())];
        request.body = Some("<{token}>".into());
        assert_eq!(
            written(&request, 0),
            "POST /ab HTTP/1.1\r\nHost: h:80\r\nX-A: ab\r\nContent-Length: 4\r\n\r\n<ab>"
        );
    }

    #[test]
    fn the_sequence_number_changes_the_length_of_the_body() {
        let mut request = Request::get("/{seq}");
        request.body = Some("{seq}{token}{seq}".into());
        for (sequence, length) in [(7, 4), (123, 8)] {
            assert_eq!(
                written(&request, sequence),
                format!("GET /{sequence} HTTP/1.1\r\nHost: h:80\r\nContent-Length: {length}\r\n\r\n{sequence}ab{sequence}")
            );
        }
    }

    #[test]
    fn headers_of_ones_own_replace_ours() {
        let mut request = Request::get("/");
        request.headers = vec![
            ("HOST".into(), "x".into()),
            ("connection".into(), "y".into()),
        ];
        let mut output = Vec::new();
        request.render("h", false, "").write(0, &mut output);
        let text = String::from_utf8(output).unwrap();
        assert_eq!(text, "GET / HTTP/1.1\r\nHOST: x\r\nconnection: y\r\n\r\n");
    }

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
    }
}
