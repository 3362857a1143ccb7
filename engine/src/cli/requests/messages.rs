//! Messages of WebSocket: the one of the command line, or those of a file.

use super::json::json_with_files;
use super::{expect_also, folder_of, read, values};
use crate::cli::options::LoadOptions;
use deadheat_load::address::Url;
use deadheat_load::error::{Error, Result};
use deadheat_load::protocol::http::{Expect, Request};
use deadheat_load::template::{with_token, Body};
use serde::Deserialize;
use std::path::Path;

/// Of a message without a name, so many characters are its name.
const LONGEST_NAME: usize = 40;

/// A line of `--requests`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    message: Body,
    #[serde(default)]
    expect: Expect,
    name: Option<String>,
    weight: Option<f64>,
    rate: Option<f64>,
}

impl LoadOptions {
    /// The upgrade, with each message of WebSocket.
    pub(crate) fn messages(&self, url: &str) -> Result<Vec<Request>> {
        let rows = self.values.as_deref();
        let rows = rows.map(|path| values(path, self.rows)).transpose()?;
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), with_token(value, &self.token)));
        let upgrade = Request {
            headers: headers.collect(),
            rows,
            // Connections are upgraded before the run that has the token.
            ..Request::get(&with_token(&Url::parse(url)?.path, &self.token))
        };
        let expect = self.expect.expect()?;
        if let Some(path) = &self.requests {
            return from_file(path, &upgrade, &expect);
        }
        let request = Request {
            body: self.body()?,
            expect,
            ..upgrade
        };
        request.check()?;
        Ok(vec![request])
    }
}

/// One JSON object a line; what one of them does not expect itself is expected as on the command
/// line.
fn from_file(path: &Path, upgrade: &Request, expect: &Expect) -> Result<Vec<Request>> {
    let text = read(path)?;
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let messages = lines.map(|(number, line): (usize, &str)| {
        let wrong = |why: String| Error::usage(format!("{}:{number}: {why}", path.display()));
        let message: Message =
            json_with_files(line, folder_of(path), &["message"]).map_err(wrong)?;
        let mut request = Request {
            name: Some(message.name.unwrap_or_else(|| name_of(&message.message))),
            body: Some(message.message),
            expect: message.expect,
            weight: message.weight,
            rate: message.rate,
            ..upgrade.clone()
        };
        expect_also(&mut request, expect);
        request.check().map_err(|error| wrong(error.message))?;
        Ok(request)
    });
    let messages = messages.collect::<Result<Vec<Request>>>()?;
    match messages.is_empty() {
        true => Err(Error::usage(format!(
            "{}: no messages in it",
            path.display()
        ))),
        false => Ok(messages),
    }
}

/// What a message without a name is called.
fn name_of(message: &Body) -> String {
    match message {
        Body::Text(text) => text.chars().take(LONGEST_NAME).collect(),
        Body::Binary(bytes) => format!("{} bytes", bytes.len()),
    }
}
