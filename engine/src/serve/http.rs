//! HTTP/1.1: `GET /{token}` is answered with `Hello from {token}!`, keep-alive and pipelining.

use super::{Manner, Refused, Responder, Service};
use crate::template::push_decimal;
use memchr::memmem;

pub(super) const BAD_REQUEST: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const LONGEST_HEAD: usize = 64 * 1024;

/// The service; says the path of each request, or always the same.
#[derive(Clone, Debug, Default)]
pub struct Hello {
    /// Body of every reply; `None`: `Hello from {path without its slash}!`.
    pub body: Option<String>,
}

impl Service for Hello {
    type Client = ();

    fn client(&mut self, _responder: &mut Responder) {}

    fn answer(
        &mut self,
        (): &mut (),
        input: &[u8],
        responder: &mut Responder,
    ) -> Result<usize, Refused> {
        answer_each(input, responder, |path, responder| {
            self.reply(path, responder);
        })
    }
}

impl Hello {
    fn reply(&self, path: &[u8], responder: &mut Responder) {
        let manner = responder.begin();
        let (before, middle, after): (&[u8], &[u8], &[u8]) = match &self.body {
            Some(body) => (body.as_bytes(), b"", b""),
            None => (b"Hello from ", &path[1..], b"!"),
        };
        let bytes = &mut responder.bytes;
        bytes.extend_from_slice(match manner {
            Manner::Fail => b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: ",
            _ => b"HTTP/1.1 200 OK\r\nContent-Length: ".as_slice(),
        });
        push_decimal(bytes, (before.len() + middle.len() + after.len()) as u64);
        bytes.extend_from_slice(b"\r\n\r\n");
        bytes.extend_from_slice(before);
        bytes.extend_from_slice(middle);
        bytes.extend_from_slice(after);
        if let (Manner::WrongBody, Some(last)) = (manner, bytes.last_mut()) {
            *last = b'?';
        }
        responder.end();
    }
}

/// Has `reply` answer the path of every complete request at the start of `input`: [`Service::answer`].
#[inline]
pub(super) fn answer_each(
    input: &[u8],
    responder: &mut Responder,
    mut reply: impl FnMut(&[u8], &mut Responder),
) -> Result<usize, Refused> {
    let mut at = 0;
    while !responder.hung_up() {
        match request(&input[at..]) {
            Ok(Some((path, length))) => {
                reply(path, responder);
                at += length;
            }
            Ok(None) => break,
            Err(Refused) => {
                responder.bytes.extend_from_slice(BAD_REQUEST);
                return Err(Refused);
            }
        }
    }
    Ok(at)
}

/// Path and whole length of the request at the start of `input`; `None` if it is not complete.
pub(super) fn request(input: &[u8]) -> Result<Option<(&[u8], usize)>, Refused> {
    let Some(end) = memmem::find(input, b"\r\n\r\n") else {
        return if input.len() > LONGEST_HEAD {
            Err(Refused)
        } else {
            Ok(None)
        };
    };
    let head = &input[..end];
    let mut words = head.split(|&byte| byte == b' ' || byte == b'\r');
    let method = words.next().ok_or(Refused)?;
    let path = words
        .next()
        .filter(|path| path.starts_with(b"/"))
        .ok_or(Refused)?;
    let body = if method == b"GET" {
        0
    } else {
        body_length(head)?
    };
    let length = (end + 4).checked_add(body).ok_or(Refused)?;
    Ok((length <= input.len()).then_some((path, length)))
}

fn body_length(head: &[u8]) -> Result<usize, Refused> {
    for line in head.split(|&byte| byte == b'\n').skip(1) {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else {
            return Err(Refused);
        };
        if line[..colon].eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(line[colon + 1..].trim_ascii()).map_err(|_| Refused)?;
            return value.parse().map_err(|_| Refused);
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::Faults;

    fn answers(input: &str) -> (String, Option<usize>) {
        let mut responder = Responder::new(Faults::default());
        let used = Hello::default().answer(&mut (), input.as_bytes(), &mut responder);
        let text = String::from_utf8(responder.bytes).expect("text");
        (text, used.ok())
    }

    #[test]
    fn pipelined_requests_are_answered_in_order() {
        let (text, used) =
            answers("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\n\r\nGET /c");
        assert_eq!(used, Some(46));
        assert_eq!(
            text,
            "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello from a!\
             HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello from !"
        );
    }

    #[test]
    fn bodies_are_passed_over() {
        let (text, used) = answers("POST /a HTTP/1.1\r\ncontent-length: 3\r\n\r\nxyz");
        assert!(text.ends_with("Hello from a!"));
        assert_eq!(used, Some(42));
        assert_eq!(
            answers("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nxy").1,
            Some(0)
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for input in [
            "\r\n\r\n",
            "GET\r\n\r\n",
            "POST /a HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        ] {
            let (text, used) = answers(input);
            assert!(text.starts_with("HTTP/1.1 400 "), "{text}");
            assert_eq!(used, None);
        }
    }
}
