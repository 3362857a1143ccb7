//! A socket that is read whenever writing to it would block.

use crate::Error;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// What is read from the socket at once, at most.
const READ_BYTES: usize = 64 * 1024;

pub struct Wire {
    stream: TcpStream,
    timeout: Option<Duration>,
    nonblocking: bool,
    /// Bytes that were read: `input[start..end]` are not parsed yet.
    input: Vec<u8>,
    start: usize,
    end: usize,
}

impl Wire {
    pub fn new(stream: TcpStream, timeout: Option<Duration>) -> Result<Self, Error> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(timeout)?;
        stream.set_write_timeout(timeout)?;
        Ok(Wire {
            stream,
            timeout,
            nonblocking: false,
            input: vec![0; READ_BYTES],
            start: 0,
            end: 0,
        })
    }

    /// What has been read and not used.
    #[inline]
    pub fn unread(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// The same, to keep while the rest of the wire moves on.
    #[inline]
    pub fn consume(&mut self, bytes: usize) -> &[u8] {
        let start = self.start;
        self.start += bytes;
        &self.input[start..start + bytes]
    }

    /// Writes all of it. While the kernel takes no more, replies are read and kept: a server that stops reading
    /// until its replies are read would otherwise never go on.
    pub fn send(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        self.set_nonblocking(true)?;
        while !bytes.is_empty() {
            match self.stream.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.readable_before_writable()? {
                        self.receive_available()?;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits for more bytes and puts them behind the unread ones.
    pub fn receive(&mut self) -> Result<(), Error> {
        self.set_nonblocking(false)?;
        self.receive_available()
    }

    fn receive_available(&mut self) -> Result<(), Error> {
        self.make_room();
        loop {
            match self.stream.read(&mut self.input[self.end..]) {
                Ok(0) => return Err(Error::Closed),
                Ok(count) => {
                    self.end += count;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn make_room(&mut self) {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            // Memory of a long read-ahead is given back.
            if self.input.len() > READ_BYTES {
                self.input = vec![0; READ_BYTES];
            }
        }
        if self.end < self.input.len() {
            return;
        }
        if self.start > 0 {
            self.input.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        } else {
            self.input.resize(self.input.len() * 2, 0);
        }
    }

    fn set_nonblocking(&mut self, nonblocking: bool) -> Result<(), Error> {
        if self.nonblocking != nonblocking {
            self.stream.set_nonblocking(nonblocking)?;
            self.nonblocking = nonblocking;
        }
        Ok(())
    }

    /// Waits until the socket can be read or written; true if there is something to read.
    fn readable_before_writable(&self) -> Result<bool, Error> {
        let timeout_ms = self.timeout.map_or(-1, |timeout| {
            libc::c_int::try_from(timeout.as_millis()).unwrap_or(libc::c_int::MAX)
        });
        let mut descriptor = libc::pollfd {
            fd: self.stream.as_raw_fd(),
            events: libc::POLLIN | libc::POLLOUT,
            revents: 0,
        };
        loop {
            // SAFETY: one valid pollfd, and the count says one.
            match unsafe { libc::poll(&mut descriptor, 1, timeout_ms) } {
                0 => return Err(Error::Timeout),
                -1 => {
                    let error = std::io::Error::last_os_error();
                    if error.kind() != ErrorKind::Interrupted {
                        return Err(error.into());
                    }
                }
                _ => return Ok(descriptor.revents & libc::POLLIN != 0),
            }
        }
    }
}
