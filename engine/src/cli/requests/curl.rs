//! Lines of curl, as browsers copy them ("Copy as cURL").

use super::shell::{self, Command};
use super::{is_taken_over, place_at, read_bytes, Placed};
use base64::Engine as _;
use deadheat_load::address::Url;
use deadheat_load::protocol::http::Request;
use deadheat_load::template::Body;
use std::path::Path;

/// Options that change nothing of a request here: each takes a value, or none.
const IGNORED: [&str; 20] = [
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-v",
    "--verbose",
    "-i",
    "--include",
    "-k",
    "--insecure",
    "-f",
    "--fail",
    "-g",
    "--globoff",
    "-N",
    "--no-buffer",
    "--http1.1",
    "--http2",
    "--path-as-is",
    "--no-progress-meter",
];
const IGNORED_WITH_A_VALUE: [&str; 8] = [
    "-o",
    "--output",
    "-w",
    "--write-out",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
];
/// Those that take a value and are understood; short ones may have it right behind them.
const TAKEN: [&str; 20] = [
    "-X",
    "--request",
    "-H",
    "--header",
    "-d",
    "--data",
    "--data-ascii",
    "--data-raw",
    "--data-binary",
    "--json",
    "-u",
    "--user",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-b",
    "--cookie",
    "--url",
    "--oauth2-bearer",
];

/// Whether the first line that says anything is one of curl.
pub fn is_curl(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.split_whitespace().next() == Some("curl"))
}

/// One request for each command.
pub fn requests(text: &str, url: &Url) -> Placed {
    let commands = shell::commands(text).map_err(|(line, why)| (line.to_string(), why.into()))?;
    let request = |command: &Command| {
        let line = command.line.to_string();
        match request(&command.words, url) {
            Ok(request) => Ok((line, request)),
            Err(why) => Err((line, why)),
        }
    };
    commands.iter().map(request).collect()
}

/// What a command asks for, option by option.
#[derive(Default)]
struct Asked {
    url: Option<String>,
    method: Option<String>,
    headers: Vec<(String, String)>,
    data: Option<Vec<u8>>,
    is_json: bool,
    is_head: bool,
    is_get: bool,
    is_compressed: bool,
}

fn request(words: &[String], url: &Url) -> Result<Request, String> {
    let Some(("curl", rest)) = words
        .split_first()
        .map(|(name, rest)| (name.as_str(), rest))
    else {
        return Err("not a line of curl".into());
    };
    let mut asked = Asked::default();
    let mut words = rest.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            asked.set_url(word)?;
            continue;
        }
        if word.starts_with("--") {
            asked.option(word, || words.next())?;
            continue;
        }
        // Letters in one word: -sS, -XPOST.
        for (at, letter) in word.char_indices().skip(1) {
            let option = format!("-{letter}");
            let behind = &word[at + letter.len_utf8()..];
            let value = || match behind {
                "" => words.next(),
                behind => Some(behind),
            };
            if asked.option(&option, value)? {
                break;
            }
        }
    }
    asked.request(url)
}

fn bytes_or_file(value: &str) -> Result<Vec<u8>, String> {
    match value.strip_prefix('@') {
        Some(path) => read_bytes(Path::new(path)).map_err(|error| error.message),
        None => Ok(value.into()),
    }
}

fn takes_a_value(option: &str) -> bool {
    TAKEN.contains(&option) || IGNORED_WITH_A_VALUE.contains(&option)
}

impl Asked {
    fn set_url(&mut self, url: &str) -> Result<(), String> {
        match self.url.replace(url.to_owned()) {
            None => Ok(()),
            Some(_) => Err("several URLs: a line of curl for each".into()),
        }
    }

    /// One option, and its value if it takes one; whether it does.
    fn option<'a>(
        &mut self,
        option: &str,
        value: impl FnOnce() -> Option<&'a str>,
    ) -> Result<bool, String> {
        if !takes_a_value(option) {
            return self.flag(option).map(|()| false);
        }
        let value = value().ok_or_else(|| format!("{option}: a value is missing"))?;
        self.take(option, value).map(|()| true)
    }

    fn flag(&mut self, option: &str) -> Result<(), String> {
        match option {
            "-I" | "--head" => self.is_head = true,
            "-G" | "--get" => self.is_get = true,
            "--compressed" => self.is_compressed = true,
            "-L" | "--location" => return Err(format!("{option}: redirects are not followed")),
            _ if IGNORED.contains(&option) => {}
            _ => return Err(format!("{option} is not understood")),
        }
        Ok(())
    }

    fn take(&mut self, option: &str, value: &str) -> Result<(), String> {
        match option {
            "-X" | "--request" => self.method = Some(value.into()),
            "-H" | "--header" => self.header(value)?,
            "--data-raw" => self.add(value.into(), "&"),
            "--data-binary" => self.add(bytes_or_file(value)?, "&"),
            "-d" | "--data" | "--data-ascii" => {
                let mut bytes = bytes_or_file(value)?;
                if value.starts_with('@') {
                    bytes.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
                }
                self.add(bytes, "&");
            }
            "--json" => {
                self.is_json = true;
                self.add(bytes_or_file(value)?, "");
            }
            "-u" | "--user" => {
                let encoded = base64::engine::general_purpose::STANDARD.encode(value);
                self.push("Authorization", &format!("Basic {encoded}"));
            }
            "--oauth2-bearer" => self.push("Authorization", &format!("Bearer {value}")),
            "-A" | "--user-agent" => self.push("User-Agent", value),
            "-e" | "--referer" => self.push("Referer", value),
            "-b" | "--cookie" if value.contains('=') => self.push("Cookie", value),
            "-b" | "--cookie" => return Err(format!("{option} {value}: a file of cookies")),
            "--url" => self.set_url(value)?,
            _ => {}
        }
        Ok(())
    }

    /// As curl has it: `Name: value`; `Name:` takes curl's own away, `Name;` is an empty one.
    fn header(&mut self, text: &str) -> Result<(), String> {
        match (text.split_once(':'), text.strip_suffix(';')) {
            (Some((_, value)), _) if value.trim().is_empty() => {}
            (Some((name, value)), _) => self.push(name.trim(), value.trim()),
            (None, Some(name)) => self.push(name, ""),
            (None, None) => return Err(format!("-H {text:?} is no header")),
        }
        Ok(())
    }

    fn push(&mut self, name: &str, value: &str) {
        if is_taken_over(name) {
            self.headers.push((name.into(), value.into()));
        }
    }

    fn add(&mut self, more: Vec<u8>, between: &str) {
        match &mut self.data {
            None => self.data = Some(more),
            Some(data) => *data = [data, between.as_bytes(), &more].concat(),
        }
    }

    /// Unless the command says it itself.
    fn default_header(&mut self, name: &str, value: &str) {
        let mut names = self.headers.iter().map(|(name, _)| name);
        if !names.any(|other| other.eq_ignore_ascii_case(name)) {
            self.headers.push((name.into(), value.into()));
        }
    }

    fn request(mut self, url: &Url) -> Result<Request, String> {
        let text = self.url.take().ok_or("no URL")?;
        let text = match text.contains("://") {
            true => text,
            false => format!("http://{text}"),
        };
        let (origin, mut path) = place_at(&text, url)?;
        let mut body = self.data.take().map(Body::of_file);
        if self.is_get {
            if let Some(query) = body.take() {
                path += if path.contains('?') { "&" } else { "?" };
                path += query.text().ok_or("-G: what stands in a path is text")?;
            }
        }
        if body.is_some() && self.is_json {
            self.default_header("Content-Type", "application/json");
            self.default_header("Accept", "application/json");
        } else if body.is_some() {
            self.default_header("Content-Type", "application/x-www-form-urlencoded");
        }
        if self.is_compressed {
            self.default_header("Accept-Encoding", "deflate, gzip");
        }
        let usual = match (&body, self.is_head) {
            (_, true) => "HEAD",
            (Some(_), _) => "POST",
            (None, _) => "GET",
        };
        Ok(Request {
            method: self.method.unwrap_or_else(|| usual.into()),
            origin,
            headers: self.headers,
            body,
            ..Request::get(&path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Request {
        let url = Url::parse("http://a.test:8080/").unwrap();
        let mut requests = requests(text, &url).expect(text);
        assert_eq!(requests.len(), 1);
        requests.remove(0).1
    }

    fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
        let mut headers = request.headers.iter();
        let found = headers.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    #[test]
    fn methods_bodies_and_headers() {
        let request = read("curl http://a.test:8080/x?y=1 -sS -H 'X-A: 1' --compressed");
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("GET", "/x?y=1")
        );
        assert_eq!(header(&request, "x-a"), Some("1"));
        assert_eq!(header(&request, "accept-encoding"), Some("deflate, gzip"));
        let request = read("curl -sXPUT a.test:8080/x -da=1 --data-raw @b -u me:secret");
        assert_eq!(request.method, "PUT");
        assert_eq!(request.body, Some("a=1&@b".into()));
        assert_eq!(
            header(&request, "content-type"),
            Some("application/x-www-form-urlencoded")
        );
        assert_eq!(
            header(&request, "authorization"),
            Some("Basic bWU6c2VjcmV0")
        );
        let request = read("curl --json '{\"a\":' --json 1} http://a.test:8080/");
        assert_eq!(
            (request.method.as_str(), &request.body),
            ("POST", &Some("{\"a\":1}".into()))
        );
        assert_eq!(header(&request, "content-type"), Some("application/json"));
        let request = read("curl -G -d a=1 -d b=2 http://a.test:8080/x?c=3");
        assert_eq!(
            (request.path.as_str(), request.body),
            ("/x?c=3&a=1&b=2", None)
        );
        assert_eq!(read("curl -I http://a.test:8080/").method, "HEAD");
        assert_eq!(read("curl http://a.test:8080/").origin, None);
        let elsewhere = read("curl https://b.test/x");
        assert_eq!(elsewhere.origin.as_deref(), Some("https://b.test"));
        assert_eq!(elsewhere.path, "/x");
    }

    #[test]
    fn what_cannot_be_kept_is_refused_by_name() {
        let url = Url::parse("http://a.test/").unwrap();
        for (text, why) in [
            ("curl redis://b.test/", "no URL of HTTP"),
            ("curl -L http://a.test/", "redirects"),
            ("curl -F a=b http://a.test/", "-F is not understood"),
            ("curl http://a.test/ http://a.test/2", "several URLs"),
            ("curl -X", "a value is missing"),
            ("wget http://a.test/", "not a line of curl"),
            ("curl -s", "no URL"),
        ] {
            let (line, said) = requests(text, &url).expect_err(text);
            assert_eq!(line, "1");
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
