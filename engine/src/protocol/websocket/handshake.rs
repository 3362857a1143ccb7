//! The upgrade from HTTP/1.1 to WebSocket (RFC 6455, section 4).

use crate::error::{Error, Result};
use crate::protocol::http::Request;
use crate::protocol::http1::head;
use crate::protocol::{ErrorKind, Failure};
use crate::template::Template;
use base64::prelude::{Engine, BASE64_STANDARD};
use ring::digest::{digest, SHA1_FOR_LEGACY_USE_ONLY};

const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Headers that the upgrade has itself, or that would make it something else.
const OWN: [&str; 7] = [
    "connection",
    "content-length",
    "sec-websocket-extensions",
    "sec-websocket-key",
    "sec-websocket-version",
    "transfer-encoding",
    "upgrade",
];

/// What a server answers a key with.
pub fn accept(key: &str) -> String {
    let text = [key.as_bytes(), GUID].concat();
    BASE64_STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, &text))
}

/// A key for one connection, from random numbers.
pub fn key(random: [u64; 2]) -> String {
    BASE64_STANDARD.encode([random[0].to_ne_bytes(), random[1].to_ne_bytes()].concat())
}

/// The upgrade of a connection up to its key, which is the last of its headers.
///
/// # Errors
/// A header that has no place in it.
pub fn request(request: &Request, host: &str) -> Result<Template> {
    let names = || request.headers.iter().map(|(name, _)| name);
    if let Some(name) = names().find(|name| OWN.iter().any(|own| name.eq_ignore_ascii_case(own))) {
        let message = format!("-H '{name}: ...' has no place in the upgrade to WebSocket");
        return Err(Error::usage(message));
    }
    let mut head = format!("GET {} HTTP/1.1\r\n", request.path);
    if !names().any(|name| name.eq_ignore_ascii_case("host")) {
        head += &format!("Host: {host}\r\n");
    }
    for (name, value) in &request.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
    head += "Sec-WebSocket-Key: ";
    Ok(request.template(&head, "", 0))
}

/// The subprotocols that a request asks for.
pub fn subprotocols(request: &Request) -> Vec<String> {
    let headers = request.headers.iter();
    headers
        .filter(|(name, _)| name.eq_ignore_ascii_case("sec-websocket-protocol"))
        .flat_map(|(_, value)| value.split(','))
        .map(|name| name.trim().to_owned())
        .collect()
}

/// The server's answer at the start of `input`: its length, or `None` if it is not all there.
///
/// # Errors
/// It is no upgrade to WebSocket, or not the one that was asked for.
pub fn answer(
    input: &[u8],
    accept: &str,
    subprotocols: &[String],
) -> std::result::Result<Option<usize>, Failure> {
    let mut at = 0;
    let head = loop {
        let head = head::parse(&input[at..]).map_err(|why| Failure::protocol(why.0))?;
        let Some(head) = head else {
            return Ok(None);
        };
        match head.status {
            // Early hints and the like may come before it.
            100 | 102..=199 => at += head.len,
            101 => break head,
            status => {
                let message = format!("refused the upgrade: status {status}");
                return Err(Failure::new(ErrorKind::Status, message));
            }
        }
    };
    let lines = input[at..at + head.len].split(|&byte| byte == b'\n');
    let headers: Vec<(&[u8], &[u8])> = lines
        .skip(1)
        .filter_map(|line| {
            let colon = memchr::memchr(b':', line)?;
            Some((&line[..colon], line[colon + 1..].trim_ascii()))
        })
        .collect();
    let values = |name: &'static str| {
        let named = move |(other, _): &&(&[u8], &[u8])| other.eq_ignore_ascii_case(name.as_bytes());
        headers.iter().filter(named).map(|(_, value)| *value)
    };
    let has = |name, word: &[u8]| {
        let mut words = values(name).flat_map(|value| value.split(|&byte| byte == b','));
        words.any(|other| other.trim_ascii().eq_ignore_ascii_case(word))
    };
    let is_asked_for = |name: &[u8]| subprotocols.iter().any(|asked| asked.as_bytes() == name);
    let wrong = if !has("upgrade", b"websocket") || !has("connection", b"upgrade") {
        "without Upgrade: websocket and Connection: Upgrade"
    } else if !values("sec-websocket-accept").eq([accept.as_bytes()]) {
        "with another Sec-WebSocket-Accept than the key has"
    } else if values("sec-websocket-extensions").next().is_some() {
        "with an extension that was not asked for"
    } else if !values("sec-websocket-protocol").all(is_asked_for) {
        "with a subprotocol that was not asked for"
    } else {
        return Ok(Some(at + head.len));
    };
    Err(Failure::protocol(format!("an upgrade {wrong}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc() {
        // Section 1.3.
        assert_eq!(
            accept("dGhlIHNhbXBsZSBub25jZQ=="),
            "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        );
        assert_eq!(key([0, 0]), "AAAAAAAAAAAAAAAAAAAAAA==");
    }

    #[test]
    fn answers() {
        let of = |headers: &str| {
            let head = format!("HTTP/1.1 101 Switching Protocols\r\n{headers}\r\n");
            let behind = head.clone() + "\u{1}";
            let found = answer(behind.as_bytes(), "abc=", &["chat".into()]);
            found.map(|used| assert_eq!(used, Some(head.len())))
        };
        let right = "upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept:abc=\r\n";
        assert!(of(right).is_ok());
        assert!(of(&format!("{right}Sec-WebSocket-Protocol: chat\r\n")).is_ok());
        for wrong in [
            String::new(),
            right.replace("abc", "abd"),
            right.replace("WebSocket\r", "h2c\r"),
            right.replace("Upgrade\r", "close\r"),
            format!("{right}Sec-WebSocket-Protocol: other\r\n"),
            format!("{right}Sec-WebSocket-Extensions: permessage-deflate\r\n"),
        ] {
            assert_eq!(of(&wrong).unwrap_err().kind, ErrorKind::Protocol, "{wrong}");
        }
        let refused = answer(b"HTTP/1.1 404 Not Found\r\n\r\n", "", &[]).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Status);
        assert_eq!(answer(b"HTTP/1.1 101 S", "", &[]), Ok(None));
        let early = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 403 Forbidden\r\n\r\n";
        assert!(answer(early, "", &[])
            .unwrap_err()
            .details
            .message
            .contains("403"));
    }

    #[test]
    fn headers_that_would_make_it_something_else_are_refused() {
        let mut asked = Request::get("/chat");
        asked.headers = vec![("Sec-WebSocket-Protocol".into(), "a, b".into())];
        assert!(request(&asked, "h").is_ok());
        assert_eq!(subprotocols(&asked), ["a", "b"]);
        for name in OWN {
            asked.headers = vec![(name.to_uppercase(), "x".into())];
            assert!(request(&asked, "h").is_err(), "{name}");
        }
    }
}
