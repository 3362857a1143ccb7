//! What the program writes: kept up to a limit, then read, counted and thrown away.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::sys;

pub struct Output {
    source: Option<OwnedFd>,
    sink: Option<File>,
    room: u64,
    bytes: u64,
    error: Option<String>,
}

impl Output {
    /// The output, and the end of the pipe that the program is to write to.
    /// Without a path everything is counted and thrown away.
    pub fn create(path: Option<&str>, limit: u64) -> Result<(Output, OwnedFd), String> {
        let sink = path.map(open).transpose()?;
        let (source, target) =
            sys::pipe().map_err(|error| format!("cannot make a pipe: {error}"))?;
        sys::set_nonblocking(&source).map_err(|error| format!("cannot make a pipe: {error}"))?;
        let output = Output {
            source: Some(source),
            sink,
            room: limit,
            bytes: 0,
            error: None,
        };
        Ok((output, target))
    }

    /// For poll; -1 when every writer has closed it.
    pub fn fd(&self) -> RawFd {
        self.source.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Takes one piece. False when there is nothing (more) to take now.
    pub fn pump(&mut self, buffer: &mut [u8]) -> bool {
        match sys::read(self.fd(), buffer) {
            Ok(0) => {
                self.source = None;
                false
            }
            Ok(count) => {
                self.bytes += count as u64;
                self.keep(&buffer[..count]);
                true
            }
            Err(error) if sys::is_transient(&error) => false,
            Err(_) => {
                self.source = None;
                false
            }
        }
    }

    /// A full disk must not block the program either: what cannot be kept is thrown away.
    fn keep(&mut self, piece: &[u8]) {
        let Some(sink) = &mut self.sink else { return };
        let count = piece
            .len()
            .min(usize::try_from(self.room).unwrap_or(usize::MAX));
        self.room -= count as u64;
        if let Err(error) = sink.write_all(&piece[..count]) {
            self.error = Some(sys::describe_error(&error));
            self.sink = None;
        }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

/// Appending, so that stdout and stderr may share a file.
fn open(path: &str) -> Result<File, String> {
    let cannot = |error| format!("cannot write {path}: {}", sys::describe_error(&error));
    File::create(path).map_err(cannot)?;
    OpenOptions::new().append(true).open(path).map_err(cannot)
}
