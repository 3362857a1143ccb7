//! What the program writes: kept up to a limit, then read, counted and thrown away.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::sys::{self, Read};

pub struct Output {
    source: Option<OwnedFd>,
    file: Option<File>,
    remaining_bytes: u64,
    bytes: u64,
    error: Option<String>,
}

impl Output {
    /// The output, and the end of the pipe that the program is to write to.
    /// Without a path everything is counted and thrown away.
    pub fn create(path: Option<&str>, limit_bytes: u64) -> Result<(Output, OwnedFd), String> {
        let file = path.map(open).transpose()?;
        let cannot = |error| format!("cannot make a pipe: {}", sys::describe(&error));
        let (source, target) = sys::pipe().map_err(cannot)?;
        // Only this end: the program's end has flags of its own.
        rustix::io::ioctl_fionbio(&source, true).map_err(|error| cannot(error.into()))?;
        let output = Output {
            source: Some(source),
            file,
            remaining_bytes: limit_bytes,
            bytes: 0,
            error: None,
        };
        Ok((output, target))
    }

    /// To poll; `None` when every writer has closed it.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.source.as_ref().map(AsFd::as_fd)
    }

    /// Reads one piece. False when there is nothing (more) to read now.
    pub fn read_piece(&mut self, buffer: &mut [u8]) -> bool {
        let Some(source) = &self.source else {
            return false;
        };
        match sys::read(source, buffer) {
            Read::Bytes(count) => {
                self.bytes += count as u64;
                self.keep(&buffer[..count]);
                true
            }
            Read::Nothing => false,
            Read::End => {
                self.source = None;
                false
            }
        }
    }

    /// A full disk must not block the program either: what cannot be kept is thrown away.
    fn keep(&mut self, piece: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let remaining = usize::try_from(self.remaining_bytes).unwrap_or(usize::MAX);
        let kept = &piece[..piece.len().min(remaining)];
        self.remaining_bytes -= kept.len() as u64;
        if let Err(error) = file.write_all(kept) {
            self.error = Some(sys::describe(&error));
            self.file = None;
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
    let cannot = |error| format!("cannot write {path}: {}", sys::describe(&error));
    File::create(path).map_err(cannot)?;
    OpenOptions::new().append(true).open(path).map_err(cannot)
}
