//! Options that are one of several words.

use clap::ValueEnum;
use deadheat_load::load::arrivals::Arrivals;
use deadheat_load::net::Io;
use deadheat_load::protocol::http::mix::Draw;
use deadheat_load::protocol::http::stream::StreamForm;

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ArrivalsArg {
    /// One gap after the other of the same length
    Constant,
    /// Independent of each other: exponential gaps
    Poisson,
}

impl From<ArrivalsArg> for Arrivals {
    fn from(arrivals: ArrivalsArg) -> Self {
        match arrivals {
            ArrivalsArg::Constant => Self::Constant,
            ArrivalsArg::Poisson => Self::Poisson,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DrawArg {
    Turn,
    Random,
}

impl From<DrawArg> for Draw {
    fn from(draw: DrawArg) -> Self {
        match draw {
            DrawArg::Turn => Self::Turn,
            DrawArg::Random => Self::Random,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RowsArg {
    Turn,
    Random,
    Unique,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FormatArg {
    Ghz,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StreamArg {
    Sse,
    Lines,
    Messages,
}

impl StreamArg {
    /// Of HTTP, if it is one.
    pub fn of_http(self) -> Option<StreamForm> {
        match self {
            Self::Sse => Some(StreamForm::Sse),
            Self::Lines => Some(StreamForm::Lines),
            Self::Messages => None,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum IoArg {
    /// Whichever costs less by measurement where it matters: epoll (docs/performance.md)
    Auto,
    Epoll,
    Uring,
}

impl From<IoArg> for Io {
    fn from(io: IoArg) -> Self {
        match io {
            IoArg::Auto => Self::Auto,
            IoArg::Epoll => Self::Epoll,
            IoArg::Uring => Self::Uring,
        }
    }
}
