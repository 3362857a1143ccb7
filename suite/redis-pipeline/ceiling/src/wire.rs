//! A socket that is read whenever writing to it would block.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;

const READ_BYTES: usize = 64 * 1024;

pub struct Wire {
    stream: TcpStream,
    input: Vec<u8>,
    start: usize,
    end: usize,
}

impl Wire {
    pub fn connect(host: &str, port: u16) -> Result<Self, Error> {
        let stream = TcpStream::connect((host, port))?;
        stream.set_nodelay(true)?;
        Ok(Wire {
            stream,
            input: vec![0; READ_BYTES],
            start: 0,
            end: 0,
        })
    }

    pub fn unread(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    pub fn consume(&mut self, bytes: usize) {
        self.start += bytes;
    }

    /// Until `receive`, writes do not block.
    pub fn start_sending(&self) -> Result<(), Error> {
        self.stream.set_nonblocking(true)
    }

    pub fn start_receiving(&self) -> Result<(), Error> {
        self.stream.set_nonblocking(false)
    }

    pub fn send(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            match self.stream.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.readable_before_writable()? {
                        self.receive()?;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub fn receive(&mut self) -> Result<(), Error> {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        } else if self.end == self.input.len() {
            if self.start > 0 {
                self.input.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            } else {
                self.input.resize(self.input.len() * 2, 0);
            }
        }
        match self.stream.read(&mut self.input[self.end..])? {
            0 => Err(Error::other("the server closed the connection")),
            count => {
                self.end += count;
                Ok(())
            }
        }
    }

    fn readable_before_writable(&self) -> Result<bool, Error> {
        let mut descriptor = libc::pollfd {
            fd: self.stream.as_raw_fd(),
            events: libc::POLLIN | libc::POLLOUT,
            revents: 0,
        };
        // SAFETY: one valid pollfd, and the count says one.
        if unsafe { libc::poll(&mut descriptor, 1, -1) } < 0 {
            return Err(Error::last_os_error());
        }
        Ok(descriptor.revents & libc::POLLIN != 0)
    }
}
