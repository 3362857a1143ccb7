//! Requests as they go over the wire, one after the other; `###` may stand between them.

use super::{is_taken_over, place_at, Placed};
use deadheat_load::address::Url;
use deadheat_load::protocol::http::Request;
use deadheat_load::template::Body;
use memchr::{memchr, memchr_iter};

const BETWEEN: &str = "###";

/// Whether the first line that says anything begins a request.
pub fn is_raw(bytes: &[u8]) -> bool {
    let mut rest = Rest { bytes, line: 0 };
    let says = |line: &str| !line.is_empty() && !line.starts_with(BETWEEN);
    let first = std::iter::from_fn(|| rest.next().ok().flatten()).find(|line| says(line));
    first.is_some_and(|line| request_line(line).is_some())
}

/// `GET /path HTTP/1.1`: its method and its target.
fn request_line(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let is_version = matches!(words.next()?.trim_end(), "HTTP/1.1" | "HTTP/1.0");
    (is_version && words.next().is_none()).then_some((method, target))
}

/// Lines end as they do on the wire, or with a newline alone; a body is as long as its
/// Content-Length.
pub fn requests(bytes: &[u8], url: &Url) -> Placed {
    let mut requests = Vec::new();
    let mut rest = Rest { bytes, line: 0 };
    while let Some(line) = rest.next().map_err(|why| (rest.line.to_string(), why))? {
        let place = rest.line.to_string();
        if line.is_empty() || line.starts_with(BETWEEN) {
            continue;
        }
        match rest.request(line, url) {
            Ok(request) => requests.push((place, request)),
            Err(why) => return Err((rest.line.to_string(), why)),
        }
    }
    Ok(requests)
}

struct Rest<'a> {
    bytes: &'a [u8],
    /// Number of the line that was read last.
    line: usize,
}

impl<'a> Rest<'a> {
    /// The next line; `None` at the end.
    fn next(&mut self) -> Result<Option<&'a str>, String> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let bytes = self.bytes;
        let (line, rest) = match memchr(b'\n', bytes) {
            Some(end) => (&bytes[..end], &bytes[end + 1..]),
            None => (bytes, &bytes[bytes.len()..]),
        };
        self.bytes = rest;
        self.line += 1;
        let line = std::str::from_utf8(line).map_err(|_| "a line that is no text")?;
        Ok(Some(line.strip_suffix('\r').unwrap_or(line)))
    }

    /// The request that begins with this line.
    fn request(&mut self, first: &str, url: &Url) -> Result<Request, String> {
        let (method, target) =
            request_line(first).ok_or_else(|| format!("{first:?} begins no request"))?;
        let (origin, path) = match target.contains("://") {
            true => place_at(target, url)?,
            false => (None, target.to_owned()),
        };
        let mut request = Request {
            method: method.into(),
            origin,
            ..Request::get(&path)
        };
        let mut length = 0;
        while let Some(line) = self.next()?.filter(|line| !line.is_empty()) {
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| format!("{line:?} is no header"))?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                let number = value.parse();
                length = number.map_err(|_| format!("Content-Length: {value:?} is no length"))?;
            }
            if name.eq_ignore_ascii_case("transfer-encoding") {
                return Err(
                    "Transfer-Encoding: give the body plain, with its Content-Length".into(),
                );
            }
            if is_taken_over(name) {
                request.headers.push((name.into(), value.into()));
            }
        }
        if length > 0 {
            let Some((body, rest)) = self.bytes.split_at_checked(length) else {
                return Err(format!("a body of {length} bytes is not there"));
            };
            self.line += memchr_iter(b'\n', body).count();
            self.bytes = rest;
            request.body = Some(Body::of_file(body.to_vec()));
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_the_other() {
        let text = "GET /a HTTP/1.1\r\nHost: a.test\r\nX-A: 1\r\n\r\nPOST /b HTTP/1.1\nContent-Length: 5\n\nx\nyz\n\n### more\nDELETE http://a.test/c HTTP/1.1\n";
        assert!(is_raw(text.as_bytes()));
        let url = Url::parse("http://a.test/").unwrap();
        let requests = requests(text.as_bytes(), &url).unwrap();
        let found: Vec<_> = requests
            .iter()
            .map(|(place, request)| {
                let body = request.body.as_ref().and_then(Body::text);
                (
                    place.as_str(),
                    request.method.as_str(),
                    request.path.as_str(),
                    body,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("1", "GET", "/a", None),
                ("5", "POST", "/b", Some("x\nyz\n")),
                ("12", "DELETE", "/c", None),
            ]
        );
        let names = requests[0].1.headers.iter().map(|(name, _)| name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["Host", "X-A"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let url = Url::parse("http://a.test/").unwrap();
        for (text, line, why) in [
            ("GET /a HTTP/1.1\nnothing\n\n", "2", "no header"),
            ("GET /a HTTP/1.1\n\nhello\n", "3", "begins no request"),
            (
                "POST /a HTTP/1.1\nContent-Length: 9\n\nshort",
                "3",
                "not there",
            ),
            ("GET ftp://b.test/ HTTP/1.1\n\n", "1", "unknown scheme"),
        ] {
            let (place, said) = requests(text.as_bytes(), &url).expect_err(text);
            assert_eq!(place, line, "{text}: {said}");
            assert!(said.contains(why), "{text}: {said}");
        }
        assert!(!is_raw(b"{\"path\": \"/\"}"));
        assert!(!is_raw(b"\xff\nGET /a HTTP/1.1\n\n"));
    }

    #[test]
    fn bodies_are_any_bytes() {
        let body: Vec<u8> = (0..=255).collect();
        let mut file = b"POST /a HTTP/1.1\nContent-Length: 256\n\n".to_vec();
        file.extend(&body);
        file.extend(b"\n###\nGET /b HTTP/1.1\n\n\xff\n");
        assert!(is_raw(&file));
        let url = Url::parse("http://a.test/").unwrap();
        let (place, why) = requests(&file, &url).expect_err("a line of no text");
        assert_eq!(
            (place.as_str(), why.as_str()),
            ("9", "a line that is no text")
        );
        file.truncate(file.len() - 2);
        let requests = requests(&file, &url).unwrap();
        assert_eq!(requests[0].1.body, Some(Body::binary(&body)));
        let (place, second) = &requests[1];
        assert_eq!((place.as_str(), second.path.as_str()), ("7", "/b"));
    }
}
