//! Requests from files.

use super::options::LoadOptions;
use deadheat_load::address::Url;
use deadheat_load::error::{Error, Result};
use deadheat_load::protocol::http::{Expect, Request};
use std::path::Path;

impl LoadOptions {
    /// The requests of HTTP.
    pub(super) fn http_requests(&self, url: &str) -> Result<Vec<Request>> {
        let expect = Expect {
            status: self.expect_status,
            body: self.expect_body.clone(),
            success: true,
        };
        if let Some(path) = &self.requests {
            let requests = requests_file(path, &expect)?;
            let mut each = requests.iter();
            each.try_for_each(|request| request.check_token(&self.token))?;
            return Ok(requests);
        }
        let mut request = Request::get(&Url::parse(url)?.path);
        request.headers.clone_from(&self.headers);
        request.expect = expect;
        if let Some(data) = &self.data {
            request.body = Some(text_or_file(data)?);
            request.method = "POST".into();
        }
        if let Some(method) = &self.method {
            request.method.clone_from(method);
        }
        request.check_token(&self.token)?;
        Ok(vec![request])
    }
}

/// `--requests`: what a line does not expect itself is expected as on the command line.
fn requests_file(path: &Path, expect: &Expect) -> Result<Vec<Request>> {
    let text = read(path)?;
    let mut requests = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let place = format!("{}:{}", path.display(), number + 1);
        let mut request: Request = serde_json::from_str(line)
            .map_err(|error| Error::usage(format!("{place}: {error}")))?;
        request
            .check()
            .map_err(|error| Error::usage(format!("{place}: {error}")))?;
        request.expect.success = true;
        request.expect.status = request.expect.status.or(expect.status);
        if request.expect.body.is_none() {
            request.expect.body.clone_from(&expect.body);
        }
        requests.push(request);
    }
    if requests.is_empty() {
        return Err(Error::usage(format!(
            "{}: no requests in it",
            path.display()
        )));
    }
    Ok(requests)
}

/// `--data`: a text, or what stands in `@FILE`.
pub fn text_or_file(data: &str) -> Result<String> {
    match data.strip_prefix('@') {
        Some(path) => read(Path::new(path)),
        None => Ok(data.to_owned()),
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::usage(format!("{}: {error}", path.display())))
}
