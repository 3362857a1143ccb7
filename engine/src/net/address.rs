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

    /// Refuses a connection to itself: where nobody listens on a port of this machine from which
    /// sockets are given theirs, one may be given the very port that it connects to.
    pub(super) fn check_peer(&self, socket: &OwnedFd) -> io::Result<()> {
        match self {
            Self::Tcp(address) if is_own(socket, address) => {
                Err(io::ErrorKind::ConnectionRefused.into())
            }
            _ => Ok(()),
        }
    }
}

fn is_own(socket: &OwnedFd, address: &SocketAddr) -> bool {
    let own = rustix::net::getsockname(socket).ok();
    own.and_then(|own| SocketAddr::try_from(own).ok()) == Some(*address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{bind, connect, socket};
    use std::net::TcpListener;

    #[test]
    fn a_connection_to_itself_is_none() {
        // A port where nobody listens.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let other = Address::Tcp(address);
        let (right, _) = other.connect().unwrap();
        assert!(other.check_peer(&right).is_ok());
        drop(right);
        drop(listener);
        let own = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        sockopt::set_socket_reuseaddr(&own, true).unwrap();
        bind(&own, &address).unwrap();
        connect(&own, &address).expect("a simultaneous open");
        let error = other.check_peer(&own).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
