//! What is asked, and what is expected.

use crate::error::{Error, Result};
use crate::template::with_token;

/// One HTTP request; path, header values and body may hold `{token}`.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// For the Host header, unless `headers` has one.
    pub host: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
}

/// What a reply must be; `None` is not compared.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    pub status: Option<u16>,
    pub body: Option<String>,
    /// Where no status is expected: whether 400 and above are errors.
    pub success: bool,
}

impl Request {
    /// Refuses what would not be one request on the wire.
    ///
    /// # Errors
    /// A usage error that names the part.
    pub fn check(&self) -> Result<()> {
        let is_name = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
        if !is_name(&self.method) {
            return Err(Error::usage(format!("{:?} is no HTTP method", self.method)));
        }
        if !self.path.starts_with('/') || self.path.bytes().any(|b| b <= b' ' || b == 0x7f) {
            return Err(Error::usage(format!("{:?} is no path", self.path)));
        }
        for (name, value) in &self.headers {
            if !is_name(name) || value.bytes().any(|b| (b < b' ' && b != b'\t') || b == 0x7f) {
                return Err(Error::usage(format!("\"{name}: {value}\" is no header")));
            }
        }
        Ok(())
    }

    /// The request as it goes over the wire.
    pub fn render(&self, token: &str) -> Vec<u8> {
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name))
        };
        let mut wire = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !has("host") {
            wire += &format!("Host: {}\r\n", self.host);
        }
        for (name, value) in &self.headers {
            wire += &format!("{name}: {value}\r\n");
        }
        let mut wire = with_token(&wire, token).into_bytes();
        if let Some(body) = &self.body {
            let body = with_token(body, token);
            if !has("content-length") {
                wire.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
            }
            wire.extend_from_slice(b"\r\n");
            wire.extend_from_slice(body.as_bytes());
        } else {
            wire.extend_from_slice(b"\r\n");
        }
        wire
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
    fn rendered_with_token_and_length() {
        let request = Request {
            method: "POST".into(),
            path: "/{token}".into(),
            host: "127.0.0.1:80".into(),
            headers: vec![("X-A".into(), "{token}".into())],
            body: Some("<{token}>".into()),
        };
        assert_eq!(
            String::from_utf8(request.render("ab")).unwrap(),
            "POST /ab HTTP/1.1\r\nHost: 127.0.0.1:80\r\nX-A: ab\r\nContent-Length: 4\r\n\r\n<ab>"
        );
    }
}
