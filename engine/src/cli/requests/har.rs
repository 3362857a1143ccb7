//! HTTP Archives, as browsers save what they have loaded.

use super::{is_taken_over, place_at, Placed};
use deadheat_load::address::Url;
use deadheat_load::protocol::http::Request;
use deadheat_load::template::Body;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Har {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    request: Asked,
    response: Option<Answered>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct PostData {
    text: Option<String>,
    /// Of bytes that are no text, as of the bodies of replies: base64.
    encoding: Option<String>,
}

impl PostData {
    fn body(self) -> Result<Body, String> {
        let text = self
            .text
            .ok_or("a body that the archive does not have as text")?;
        match self.encoding.as_deref() {
            None | Some("") => Ok(text.into()),
            Some("base64") => Body::base64(&text),
            Some(other) => Err(format!("a body in the encoding {other:?}")),
        }
    }
}

#[derive(Deserialize)]
struct Answered {
    status: u16,
}

/// `None` for what is no archive.
pub fn parse(text: &str) -> Option<Har> {
    text.trim_start().starts_with('{').then_some(())?;
    serde_json::from_str(text).ok()
}

impl Har {
    pub fn entries(&self) -> usize {
        self.log.entries.len()
    }

    /// Those to the host of `url`, with the status that each had.
    pub fn requests(self, url: &Url) -> Placed {
        let mut requests = Vec::new();
        for (number, entry) in (1..).zip(self.log.entries) {
            let place = format!(" entry {number}");
            let Ok((None, path)) = place_at(&entry.request.url, url) else {
                continue;
            };
            match entry.request(&path) {
                Ok(request) => requests.push((place, request)),
                Err(why) => return Err((place, why)),
            }
        }
        Ok(requests)
    }
}

impl Entry {
    fn request(self, path: &str) -> Result<Request, String> {
        let asked = self.request;
        let headers = asked.headers.into_iter();
        let body = asked.post_data.map(PostData::body).transpose()?;
        let mut request = Request {
            method: asked.method,
            headers: headers
                .filter(|header| is_taken_over(&header.name))
                .filter(|header| !header.name.eq_ignore_ascii_case("host"))
                .map(|header| (header.name, header.value))
                .collect(),
            body,
            ..Request::get(path)
        };
        // 0: it had none.
        let status = self.response.map(|response| response.status);
        let status = status.filter(|status| *status >= 100);
        request.expect.status = status.map(Into::into);
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_one_host_with_their_statuses() {
        let text = r#"{"log": {"version": "1.2", "entries": [
            {"request": {"method": "GET", "url": "https://a.test/x?y=1", "headers": [
                {"name": ":authority", "value": "a.test"}, {"name": "Host", "value": "a.test"},
                {"name": "Cookie", "value": "c=1"}, {"name": "Connection", "value": "keep-alive"}]},
             "response": {"status": 304}},
            {"request": {"method": "GET", "url": "https://cdn.test/z", "headers": []}},
            {"request": {"method": "GET", "url": "data:image/png,x", "headers": []}},
            {"request": {"method": "POST", "url": "https://a.test/", "headers": [],
                "postData": {"mimeType": "text/plain", "text": "b"}}, "response": {"status": 0}}]}}"#;
        let url = Url::parse("https://a.test/").unwrap();
        let har = parse(text).unwrap();
        assert_eq!(har.entries(), 4);
        let requests = har.requests(&url).unwrap();
        assert_eq!(requests.len(), 2);
        let (place, first) = &requests[0];
        assert_eq!(place, " entry 1");
        assert_eq!(
            (first.path.as_str(), first.expect.status),
            ("/x?y=1", Some(304.into()))
        );
        assert_eq!(first.headers, [("Cookie".to_owned(), "c=1".to_owned())]);
        let (place, second) = &requests[1];
        assert_eq!(place, " entry 4");
        assert_eq!(
            (&second.body, second.expect.status),
            (&Some("b".into()), None)
        );
        assert!(parse(r#"{"path": "/"}"#).is_none());
    }

    #[test]
    fn bodies_that_are_no_texts_stand_in_base64() {
        let read = |data: &str| {
            let text = format!(
                r#"{{"log": {{"entries": [{{"request":
                    {{"method": "POST", "url": "http://a.test/", "postData": {data}}}}}]}}}}"#
            );
            let url = Url::parse("http://a.test/").unwrap();
            parse(&text).unwrap().requests(&url)
        };
        let read_body = |data| read(data).unwrap().remove(0).1.body;
        assert_eq!(
            read_body(r#"{"text": "AP/+", "encoding": "base64"}"#),
            Some(Body::binary(&[0, 255, 254]))
        );
        assert_eq!(read_body(r#"{"text": "AP/+"}"#), Some("AP/+".into()));
        for (data, why) in [
            (r#"{"text": "!", "encoding": "base64"}"#, "no base64"),
            (r#"{"text": "a", "encoding": "gzip"}"#, "encoding \"gzip\""),
            (r#"{"params": []}"#, "does not have as text"),
        ] {
            let (place, said) = read(data).expect_err(data);
            assert_eq!(place, " entry 1");
            assert!(said.contains(why), "{said}");
        }
    }
}
