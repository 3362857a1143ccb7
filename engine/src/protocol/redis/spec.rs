//! What is to be asked of a Redis server.

use super::command::{canonical, Words};
use super::prepared::Command;
use crate::error::{Error, Result};
use crate::template::Template;
use serde_json::Value;

/// What is asked of a Redis server, and what it is to answer; the fields of `open`.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommandSpec {
    /// Sent in turn; words may hold `{token}` and `{seq}`.
    pub commands: Vec<Words>,
    /// One for each command, in the form of [`super::command::canonical`]; without it any reply will do that
    /// is no error.
    pub expect: Option<Vec<Value>>,
    /// Commands in flight on one connection; 1 if not said.
    #[serde(rename = "pipeline")]
    pub depth: Option<u32>,
    /// Speak RESP3 instead of RESP2.
    pub resp3: bool,
}

impl CommandSpec {
    /// The commands, not yet rendered.
    pub(super) fn commands(&self) -> Result<Vec<Command>> {
        if self.commands.is_empty() {
            return Err(Error::usage(
                "Redis: at least one command is needed (-r 'GET foo')",
            ));
        }
        if self.commands.iter().any(Vec::is_empty) {
            return Err(Error::usage("Redis: a command without a word"));
        }
        if let Some(expect) = &self.expect {
            if expect.len() != self.commands.len() {
                return Err(Error::usage(format!(
                    "Redis: {} commands, but {} expected replies",
                    self.commands.len(),
                    expect.len()
                )));
            }
            for reply in expect {
                canonical(reply, "", &mut Template::default())?;
            }
        }
        let expect = |i| self.expect.as_ref().map(|expect| Value::clone(&expect[i]));
        let words = self.commands.iter().enumerate();
        Ok(words
            .map(|(i, words)| Command::new(words.clone(), expect(i)))
            .collect())
    }
}
