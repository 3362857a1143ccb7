//! What replies of HTTP and WebSocket are held against.

use super::options::REQUEST;
use super::requests::text_or_file;
use clap::Args;
use deadheat_load::error::Result;
use deadheat_load::protocol::http::assertion::Texts;
use deadheat_load::protocol::http::{Expect, Statuses};

#[derive(Debug, Args)]
pub struct ExpectOptions {
    /// Status that every reply must have: 200, or a class such as 2xx (default: any below 400)
    #[arg(long, value_name = "CODE", help_heading = REQUEST)]
    expect_status: Option<Statuses>,
    /// Body that every reply must have: a text, or @FILE
    #[arg(long, value_name = "TEXT", help_heading = REQUEST)]
    expect_body: Option<String>,
    /// Text that the body of every reply must contain; may be given several times
    #[arg(long, value_name = "TEXT", help_heading = REQUEST)]
    expect_contains: Vec<String>,
    /// Regular expression that the body of every reply must match; may be given several times
    #[arg(long, value_name = "REGEX", help_heading = REQUEST)]
    expect_match: Vec<String>,
    /// JSON path with something there in the body of every reply, or with this value; may be given several times
    #[arg(long, value_name = "PATH[=VALUE]", help_heading = REQUEST)]
    expect_json: Vec<String>,
}

impl ExpectOptions {
    /// What every reply must be.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn expect(&self) -> Result<Expect> {
        let body = self.expect_body.as_deref();
        Ok(Expect {
            status: self.expect_status,
            body: body.map(text_or_file).transpose()?,
            contains: Texts(self.expect_contains.clone()),
            matches: Texts(self.expect_match.clone()),
            json: Texts(self.expect_json.clone()),
            success: true,
        })
    }

    /// Whether a status was given.
    pub fn has_status(&self) -> bool {
        self.expect_status.is_some()
    }

    /// Whether each of the options on bodies was given.
    pub fn of_bodies(&self) -> [(&'static str, bool); 4] {
        [
            ("--expect-body", self.expect_body.is_some()),
            ("--expect-contains", !self.expect_contains.is_empty()),
            ("--expect-match", !self.expect_match.is_empty()),
            ("--expect-json", !self.expect_json.is_empty()),
        ]
    }
}
