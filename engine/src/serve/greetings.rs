//! HTTP/1.1 as the workloads of the application ask for it: `/plaintext/{name}` and `/json/{name}`,
//! of a server that says who it is and which second it is.

use super::http::answer_each;
use super::{Manner, Refused, Responder, Service};
use crate::encoding::percent::push_decoded;
use crate::template::push_decimal;
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The service. Head, name and body are made in buffers of its own.
#[derive(Debug, Default)]
pub struct Greetings {
    /// Since 1970, of the `Date` in `head`.
    second: u64,
    /// What all replies say between their status and their type.
    head: Vec<u8>,
    name: Vec<u8>,
    body: Vec<u8>,
}

impl Service for Greetings {
    type Client = ();

    fn client(&mut self, _responder: &mut Responder) {}

    fn answer(
        &mut self,
        (): &mut (),
        input: &[u8],
        responder: &mut Responder,
    ) -> Result<usize, Refused> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        self.say(now.map_or(0, |since| since.as_secs()));
        answer_each(input, responder, |path, responder| {
            self.reply(path, responder);
        })
    }
}

impl Greetings {
    /// From now on this second.
    fn say(&mut self, second: u64) {
        if second != self.second || self.head.is_empty() {
            self.second = second;
            self.head.clear();
            self.head
                .extend_from_slice(b"\r\nServer: deadheat-load\r\nDate: ");
            push_date(&mut self.head, second);
        }
    }

    fn reply(&mut self, path: &[u8], responder: &mut Responder) {
        let manner = responder.begin();
        let kind = self.make(path);
        let status: &[u8] = match (manner, kind) {
            (Manner::Fail, _) => b"HTTP/1.1 500 Internal Server Error",
            (_, Some(_)) => b"HTTP/1.1 200 OK",
            (_, None) => b"HTTP/1.1 404 Not Found",
        };
        let bytes = &mut responder.bytes;
        bytes.extend_from_slice(status);
        bytes.extend_from_slice(&self.head);
        if let Some(kind) = kind {
            bytes.extend_from_slice(b"\r\nContent-Type: ");
            bytes.extend_from_slice(kind);
        }
        bytes.extend_from_slice(b"\r\nContent-Length: ");
        push_decimal(bytes, self.body.len() as u64);
        bytes.extend_from_slice(b"\r\n\r\n");
        bytes.extend_from_slice(&self.body);
        if let (Manner::WrongBody, Some(_), Some(last)) = (manner, kind, bytes.last_mut()) {
            *last = b'?';
        }
        responder.end();
    }

    /// The body of what is asked for, and its type; an empty one of what there is not.
    fn make(&mut self, path: &[u8]) -> Option<&'static [u8]> {
        self.body.clear();
        if let Some(name) = path.strip_prefix(b"/plaintext/") {
            self.body.extend_from_slice(b"Hello, ");
            push_decoded(&mut self.body, name);
            self.body.push(b'!');
            return Some(b"text/plain");
        }
        let name = path.strip_prefix(b"/json/")?;
        self.name.clear();
        push_decoded(&mut self.name, name);
        self.body.extend_from_slice(b"{\"message\":\"Hello, ");
        push_escaped(&mut self.body, &self.name);
        self.body.extend_from_slice(b"!\"}");
        Some(b"application/json")
    }
}

/// As in a string of JSON.
fn push_escaped(bytes: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => bytes.extend_from_slice(&[b'\\', byte]),
            0..0x20 => write!(bytes, "\\u{byte:04x}").expect("memory"),
            _ => bytes.push(byte),
        }
    }
}

/// `Thu, 01 Jan 1970 00:00:00 GMT`, by the calendar that Howard Hinnant's `civil_from_days` has.
fn push_date(bytes: &mut Vec<u8>, second: u64) {
    let (days, of_day) = (second / 86_400, second % 86_400);
    let since_march_0000 = days + 719_468;
    let (era, of_era) = (since_march_0000 / 146_097, since_march_0000 % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12;
    let year = 400 * era + year_of_era + u64::from(month < 2);
    write!(
        bytes,
        "{}, {day:02} {} {year} {:02}:{:02}:{:02} GMT",
        DAYS[(days % 7) as usize],
        MONTHS[month as usize],
        of_day / 3_600,
        of_day / 60 % 60,
        of_day % 60
    )
    .expect("memory");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::Faults;

    fn answers(path: &str) -> String {
        let mut responder = Responder::new(Faults::default());
        let mut greetings = Greetings::default();
        greetings.say(784_111_777);
        greetings.reply(path.as_bytes(), &mut responder);
        String::from_utf8(responder.bytes).expect("text")
    }

    fn body(path: &str) -> String {
        let answer = answers(path);
        answer.split("\r\n\r\n").nth(1).expect("a body").to_owned()
    }

    #[test]
    fn a_reply_is_whole() {
        assert_eq!(
            answers("/plaintext/a"),
            "HTTP/1.1 200 OK\r\nServer: deadheat-load\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
             Content-Type: text/plain\r\nContent-Length: 9\r\n\r\nHello, a!"
        );
        assert!(answers("/json/a").contains("\r\nContent-Type: application/json\r\n"));
        assert_eq!(body("/json/a"), r#"{"message":"Hello, a!"}"#);
    }

    #[test]
    fn names_are_decoded_and_escaped() {
        assert_eq!(
            body("/plaintext/gr%C3%BC%c3%9fe-%22a%20b%22"),
            "Hello, grüße-\"a b\"!"
        );
        assert_eq!(
            body("/json/%22a%5C%22-%C3%BC%0a"),
            r#"{"message":"Hello, \"a\\\"-ü\u000a!"}"#
        );
        assert_eq!(body("/plaintext/100%"), "Hello, 100%!");
        assert_eq!(body("/plaintext/%zz%4"), "Hello, %zz%4!");
    }

    #[test]
    fn nothing_else_is_there() {
        let answer = answers("/a");
        assert!(
            answer.starts_with("HTTP/1.1 404 Not Found\r\nServer: "),
            "{answer}"
        );
        assert!(
            answer.ends_with("\r\nContent-Length: 0\r\n\r\n"),
            "{answer}"
        );
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let said = |second| {
            let mut bytes = Vec::new();
            push_date(&mut bytes, second);
            String::from_utf8(bytes).expect("text")
        };
        assert_eq!(said(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(said(951_782_399), "Mon, 28 Feb 2000 23:59:59 GMT");
        assert_eq!(said(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
        assert_eq!(said(1_798_761_599), "Thu, 31 Dec 2026 23:59:59 GMT");
        assert_eq!(said(4_107_542_400), "Mon, 01 Mar 2100 00:00:00 GMT");
    }
}
