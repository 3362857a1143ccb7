//! One of the commands that are sent in turn.

use super::command::{canonical, template, Words};
use super::resp::Judged;
use crate::protocol::repeated::Repeated;
use crate::protocol::{ErrorKind, Failure};
use crate::template::Template;
use serde_json::Value;

/// A command as it was rendered for a run, and the replies that it gets.
#[derive(Clone)]
pub struct Command {
    words: Words,
    expect: Option<Value>,
    pub wire: Repeated,
    /// Instead of `wire` where each command is another.
    pub varying: Option<Template>,
    /// In canonical form.
    pub expected: Option<Template>,
    /// The last right reply, byte for byte. Most replies are the same again and need a
    /// comparison instead of a parse; no complete reply is the beginning of another.
    pub known: Repeated,
}

impl Command {
    /// An `expect` must have a canonical form.
    pub fn new(words: Words, expect: Option<Value>) -> Self {
        Self {
            words,
            expect,
            wire: Repeated::default(),
            varying: None,
            expected: None,
            known: Repeated::default(),
        }
    }

    /// Renders it with the token of a run.
    pub fn prepare(&mut self, token: &str) {
        let template = template(&self.words, token);
        self.wire.set(template.constant().unwrap_or_default());
        self.wire.spread();
        self.varying = template.constant().is_none().then_some(template);
        self.known.clear();
        self.expected = self.expect.as_ref().map(|reply| {
            let mut expected = Template::default();
            canonical(reply, token, &mut expected).expect("looked at in `CommandSpec::commands`");
            expected
        });
    }

    /// Whether each reply is expected to be another.
    pub fn is_numbered(&self) -> bool {
        let expected = self.expected.as_ref();
        expected.is_some_and(|expected| expected.constant().is_none())
    }

    #[cold]
    pub fn failure(&self, judged: Judged, expected: Option<&[u8]>) -> Option<Failure> {
        let name = &self.words[0];
        match judged {
            Judged::Right => None,
            Judged::Error(text) => {
                Some(Failure::new(ErrorKind::Status, format!("{name}: -{text}")))
            }
            Judged::Different(got) => {
                let expected = expected.unwrap_or_default();
                let expected = String::from_utf8_lossy(&expected[..expected.len().min(120)]);
                let message = format!("{name}: expected {expected:?}, got {got:?}");
                Some(Failure::new(ErrorKind::Body, message))
            }
        }
    }
}
