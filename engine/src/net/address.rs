//! Where a connection goes: an internet address or a Unix socket.

use rustix::io::Errno;
use rustix::net::{sockopt, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl Address {
    /// Begins to connect a new non-blocking socket; true if it is connected already.
    pub(super) fn connect(&self) -> io::Result<(OwnedFd, bool)> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = |family| rustix::net::socket_with(family, SocketType::STREAM, flags, None);
        let (socket, result) = match self {
            Self::Tcp(address) => {
                let socket = socket(match address {
                    SocketAddr::V4(_) => AddressFamily::INET,
                    SocketAddr::V6(_) => AddressFamily::INET6,
                })?;
                sockopt::set_tcp_nodelay(&socket, true)?;
                let result = rustix::net::connect(&socket, address);
                (socket, result)
            }
            Self::Unix(path) => {
                let socket = socket(AddressFamily::UNIX)?;
                let result = rustix::net::connect(&socket, &SocketAddrUnix::new(path)?);
                (socket, result)
            }
        };
        match result {
            Ok(()) => Ok((socket, true)),
            Err(Errno::INPROGRESS) => Ok((socket, false)),
            // A full accept queue of a Unix socket: refused for now, tried again later.
            Err(Errno::AGAIN) => Err(io::ErrorKind::ConnectionRefused.into()),
            Err(error) => Err(error.into()),
        }
    }
}
