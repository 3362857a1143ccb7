//! Which fields a reply may have, RFC 9113 sections 8.2 and 8.3.

/// What is wrong with the fields of a block, if anything is.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldRules {
    has_status: bool,
    has_regular: bool,
    wrong: Option<&'static str>,
}

/// Headers of a connection, RFC 9113 section 8.2.2; HTTP/2 has frames for what they say.
const OF_A_CONNECTION: [&[u8]; 5] = [
    b"connection",
    b"keep-alive",
    b"proxy-connection",
    b"transfer-encoding",
    b"upgrade",
];

impl FieldRules {
    #[inline]
    pub fn take(&mut self, name: &[u8], value: &[u8]) {
        let wrong = if name.first() == Some(&b':') {
            self.pseudo(name, value)
        } else {
            self.has_regular = true;
            regular(name, value)
        };
        self.wrong = self.wrong.or(wrong);
    }

    /// Why this is no head of a reply.
    pub fn wrong_head(&self) -> Option<&'static str> {
        self.wrong
    }

    /// Why these are no trailers.
    pub fn wrong_trailers(&self) -> Option<&'static str> {
        let status = self.has_status.then_some("a :status in trailers");
        self.wrong.or(status)
    }

    fn pseudo(&mut self, name: &[u8], value: &[u8]) -> Option<&'static str> {
        if name != b":status" {
            return Some("a pseudo-header that no reply has");
        }
        if self.has_regular {
            return Some("a :status behind other headers");
        }
        if std::mem::replace(&mut self.has_status, true) {
            return Some("two :status headers");
        }
        status(value).is_none().then_some("a :status that is none")
    }
}

fn regular(name: &[u8], value: &[u8]) -> Option<&'static str> {
    let is_of_names = |&byte: &u8| matches!(byte, b'!'..=b'9' | b';'..=b'@' | b'['..=b'~');
    if name.is_empty() || !name.iter().all(is_of_names) {
        return Some("a header name that is none, or not in lower case");
    }
    let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    if memchr::memchr3(0, b'\r', b'\n', value).is_some()
        || is_space(value.first())
        || is_space(value.last())
    {
        return Some("a header value that is none");
    }
    let is_of_a_connection = OF_A_CONNECTION.contains(&name);
    is_of_a_connection.then_some("a header that HTTP/2 has no place for")
}

/// A status of three digits from 100 on.
pub fn status(value: &[u8]) -> Option<u16> {
    match value {
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
            let digit = |byte: &u8| u16::from(byte - b'0');
            Some(digit(a) * 100 + digit(b) * 10 + digit(c))
        }
        _ => None,
    }
}
