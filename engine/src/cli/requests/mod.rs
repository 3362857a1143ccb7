//! Requests from files.

mod curl;
mod har;
mod json;
mod messages;
mod raw;
mod shell;

use self::json::json_with_files;
use super::choices::RowsArg;
use super::options::LoadOptions;
use deadheat_load::address::Url;
use deadheat_load::error::{Error, Result};
use deadheat_load::protocol::http::{Expect, Request};
use deadheat_load::template::{Body, Rows};
use std::path::Path;
use std::sync::Arc;

/// A request and where in its file it stands, or what is wrong there.
type Placed = std::result::Result<Vec<(String, Request)>, (String, String)>;

/// Headers that belong to a connection, or that are made anew for each body.
const NOT_TAKEN_OVER: [&str; 7] = [
    "connection",
    "content-length",
    "keep-alive",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

impl LoadOptions {
    /// `--data` or `--data-binary`.
    pub(super) fn body(&self) -> Result<Option<Body>> {
        let data = self.data.as_deref().map(text_or_file);
        let as_it_is = |data: &str| match data.strip_prefix('@') {
            Some(path) => Ok(Body::binary(&read_bytes(Path::new(path))?)),
            None => Ok(Body::binary(data.as_bytes())),
        };
        let binary = self.data_binary.as_deref().map(as_it_is);
        data.or(binary).transpose()
    }

    /// The requests of HTTP.
    pub(super) fn http_requests(&self, url: &str) -> Result<Vec<Request>> {
        let expect = self.expect.expect()?;
        let url = Url::parse(url)?;
        let rows = self.values.as_deref();
        let rows = rows.map(|path| values(path, self.rows)).transpose()?;
        if let Some(path) = &self.requests {
            self.check_file_alone()?;
            let mut requests = requests_file(path, &url, &expect)?;
            for request in &mut requests {
                request.rows.clone_from(&rows);
                request.check()?;
            }
            let mut each = requests.iter();
            each.try_for_each(|request| request.check_token(&self.token))?;
            return Ok(requests);
        }
        let mut request = Request::get(&url.path);
        request.headers.clone_from(&self.headers);
        request.expect = expect;
        request.rows = rows;
        request.body = self.body()?;
        if request.body.is_some() {
            request.method = "POST".into();
        }
        if let Some(method) = &self.method {
            request.method.clone_from(method);
        }
        let others = self.urls[1..].iter();
        let others = others.map(|text| elsewhere(&request, text, &url));
        let mut requests = vec![request.clone()];
        requests.extend(others.collect::<Result<Vec<Request>>>()?);
        name_with_hosts(&mut requests, &url);
        let mut each = requests.iter();
        each.try_for_each(|request| request.check_token(&self.token))?;
        Ok(requests)
    }
}

/// What neither a request nor a file says is as the command line has it.
fn expect_also(request: &mut Request, expect: &Expect) {
    if request.expect.body.is_none() {
        request.expect.body.clone_from(&expect.body);
    }
    request.expect.also_assert(expect);
}

/// The same request to another URL.
fn elsewhere(request: &Request, text: &str, url: &Url) -> Result<Request> {
    let (origin, path) = place_at(text, url).map_err(Error::usage)?;
    Ok(Request {
        origin,
        path,
        ..request.clone()
    })
}

/// `--requests`, in whichever form: what one of them does not expect itself is expected as on the
/// command line.
fn requests_file(path: &Path, url: &Url, expect: &Expect) -> Result<Vec<Request>> {
    let bytes = read_bytes(path)?;
    let shown = path.display();
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // Bodies of raw requests are whatever they are.
        Err(_) if raw::is_raw(&bytes) => "",
        Err(error) => return Err(Error::usage(format!("{shown}: no text: {error}"))),
    };
    let placed = if let Some(har) = har::parse(text) {
        let all = har.entries();
        let taken = har.requests(url);
        if let (Ok(taken), 1..) = (&taken, all) {
            if taken.len() < all {
                let others = all - taken.len();
                eprintln!("{shown}: {others} of {all} requests are to other hosts, and left out");
            }
        }
        taken
    } else if curl::is_curl(text) {
        curl::requests(text, url)
    } else if raw::is_raw(&bytes) {
        raw::requests(&bytes, url)
    } else {
        json_lines(text, folder_of(path), url)
    };
    let wrong = |place: &str, why: &str| Error::usage(format!("{shown}:{place}: {why}"));
    let placed = placed.map_err(|(place, why)| wrong(&place, &why))?;
    let mut requests = Vec::new();
    for (place, mut request) in placed {
        request
            .check()
            .map_err(|error| wrong(&place, &error.message))?;
        request.expect.success = true;
        request.expect.status = request.expect.status.or(expect.status);
        expect_also(&mut request, expect);
        requests.push(request);
    }
    name_with_hosts(&mut requests, url);
    match requests.is_empty() {
        true => Err(Error::usage(format!(
            "{shown}: no requests in it for {}",
            url.authority()
        ))),
        false => Ok(requests),
    }
}

/// One path may stand on several hosts.
fn name_with_hosts(requests: &mut [Request], url: &Url) {
    if requests.iter().any(|request| request.origin.is_some()) {
        let each = requests.iter_mut();
        each.for_each(|request| name_with_host(request, url));
    }
}

fn name_with_host(request: &mut Request, url: &Url) {
    if request.name.is_none() {
        let host = match request
            .origin
            .as_deref()
            .and_then(|origin| origin.split_once("://"))
        {
            Some((_, host)) => host.to_owned(),
            None => url.authority(),
        };
        request.name = Some(format!("{} {host}{}", request.method, request.path));
    }
}

/// `--values`: rows of a table, or lines.
fn values(path: &Path, order: RowsArg) -> Result<Arc<Rows>> {
    let text = read(path)?;
    let is_table = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("csv"));
    let rows = match is_table {
        true => Rows::csv(&text),
        false => Rows::lines(&text),
    };
    let rows = rows.map_err(|why| Error::usage(format!("{}:{why}", path.display())))?;
    Ok(Arc::new(match order {
        RowsArg::Turn => rows,
        RowsArg::Random => rows.at_random(),
        RowsArg::Unique => rows.unique(),
    }))
}

/// One JSON object a line; its path may be a URL, and files are found from `folder`.
fn json_lines(text: &str, folder: &Path, url: &Url) -> Placed {
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line): (usize, &str)| {
            let place = number.to_string();
            let mut request: Request = match json_with_files(line, folder, &["body"]) {
                Ok(request) => request,
                Err(why) => return Err((place, why)),
            };
            if request.path.contains("://") && !request.path.starts_with('/') {
                (request.origin, request.path) = match place_at(&request.path, url) {
                    Ok(found) => found,
                    Err(why) => return Err((place, why)),
                };
            }
            Ok((place, request))
        })
        .collect()
}

/// The path of a URL in a file, and before it the URL of its host if that is not the run's.
fn place_at(text: &str, url: &Url) -> std::result::Result<(Option<String>, String), String> {
    let other = Url::parse(text).map_err(|error| error.message)?;
    if !matches!(other.scheme.as_str(), "http" | "https") {
        return Err(format!("{text}: no URL of HTTP"));
    }
    if (&other.host, other.port) == (&url.host, url.port) {
        return Ok((None, other.path));
    }
    let origin = format!("{}://{}", other.scheme, other.authority());
    Ok((Some(origin), other.path))
}

/// Whether a header of a file goes into the request.
fn is_taken_over(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !name.starts_with(':') && !NOT_TAKEN_OVER.contains(&name.as_str())
}

/// Where the files are that a file names.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// `--data`: a text, or what stands in `@FILE`.
pub fn text_or_file(data: &str) -> Result<Body> {
    match data.strip_prefix('@') {
        Some(path) => Ok(Body::of_file(read_bytes(Path::new(path))?)),
        None => Ok(data.into()),
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::usage(format!("{}: {error}", path.display())))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::usage(format!("{}: {error}", path.display())))
}
