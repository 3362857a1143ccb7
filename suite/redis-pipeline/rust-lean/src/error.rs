//! What can go wrong.

use std::fmt;

#[derive(Debug)]
pub enum Error {
    /// The connection could not be made, or broke.
    Connection(std::io::Error),
    /// The server closed the connection while replies were due.
    Closed,
    /// Nothing came, or nothing could be sent, within the time allowed.
    Timeout,
    /// The server sent what is not RESP2; the connection is of no use any more.
    Protocol(&'static str),
    /// An error reply, as the server worded it.
    Server(String),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Connection(error) => write!(formatter, "connection: {error}"),
            Error::Closed => formatter.write_str("the server closed the connection"),
            Error::Timeout => formatter.write_str("the server did not answer in time"),
            Error::Protocol(what) => write!(formatter, "not RESP: {what}"),
            Error::Server(message) => formatter.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Connection(error) => Some(error),
            _ => None,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            // A blocking socket with a time-out says WouldBlock.
            std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => Error::Timeout,
            _ => Error::Connection(error),
        }
    }
}
