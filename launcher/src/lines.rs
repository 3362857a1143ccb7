//! Lines of stdin, one `read` at a time, so that `poll` can say when there is something to read.

use std::os::fd::BorrowedFd;

use crate::sys::{self, Read};

pub struct Lines {
    buffer: Vec<u8>,
    ended: bool,
}

impl Lines {
    pub fn new() -> Lines {
        Lines {
            buffer: Vec::new(),
            ended: false,
        }
    }

    /// Blocks until one whole line is there; `None` at the end of stdin.
    pub fn wait_for_one(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(line) = self.next() {
                return Some(line);
            }
            if self.ended {
                return None;
            }
            self.fill();
        }
    }

    /// To poll; `None` once it has ended.
    pub fn fd(&self) -> Option<BorrowedFd<'static>> {
        (!self.ended).then(rustix::stdio::stdin)
    }

    /// Reads once from stdin. To be called when it is readable or at its end.
    pub fn fill(&mut self) {
        let mut chunk = [0; 4096];
        match sys::read(rustix::stdio::stdin(), &mut chunk) {
            Read::Bytes(count) => self.buffer.extend_from_slice(&chunk[..count]),
            Read::Nothing => {}
            Read::End => self.ended = true,
        }
    }

    /// The next whole line that is not blank.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let end = self.buffer.iter().position(|&byte| byte == b'\n')?;
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(line);
            }
        }
    }

    pub fn ended(&self) -> bool {
        self.ended
    }
}
