//! What can go wrong before any load, said to the person who can put it right.

use std::fmt;

/// Which kind of mistake or mishap; the wire names of docs/engine-protocol.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The command line or the command is wrong.
    Usage,
    /// Nobody listens there.
    Refused,
    /// No connection in the time allowed.
    Timeout,
    /// A target that was there no longer is.
    Gone,
    /// Right, but this program cannot do it.
    Unsupported,
}

/// One clear line, and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: Kind,
    pub message: String,
}

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;
