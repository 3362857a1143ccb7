//! Where a connection goes: an internet address or a Unix socket.

use super::namespace::Inside;
use super::socket_option::switch_on;
use rustix::io::Errno;
use rustix::net::{sockopt, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `from`: addresses of this machine that connections come from in turn; the kernel's choice
    /// where there is none. `network`: the namespace that it is an address of, this process's own
    /// where there is none.
    Tcp {
        to: SocketAddr,
        from: Vec<IpAddr>,
        network: Option<PathBuf>,
    },
    Unix(PathBuf),
}

impl Address {
    /// Begins to connect a new non-blocking socket, connection `id`; true if it is connected
    /// already.
    pub(super) fn connect(&self, id: usize) -> io::Result<(OwnedFd, bool)> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = |family| rustix::net::socket_with(family, SocketType::STREAM, flags, None);
        let (socket, result) = match self {
            Self::Tcp { to, from, network } => {
                let _inside = network.as_deref().map(Inside::of).transpose()?;
                let socket = socket(match to {
                    SocketAddr::V4(_) => AddressFamily::INET,
                    SocketAddr::V6(_) => AddressFamily::INET6,
                })?;
                sockopt::set_tcp_nodelay(&socket, true)?;
                if !from.is_empty() {
                    bind(&socket, from[id % from.len()])?;
                }
                let result = rustix::net::connect(&socket, to);
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

    /// The same, another of the source addresses first: workers with few connections share them.
    pub fn begun_at(&self, number: usize) -> Self {
        let mut address = self.clone();
        if let Self::Tcp { from, .. } = &mut address {
            let first = number % from.len().max(1);
            from.rotate_left(first);
        }
        address
    }

    /// Refuses a connection to itself: where nobody listens on a port of this machine from which
    /// sockets are given theirs, one may be given the very port that it connects to.
    pub(super) fn check_peer(&self, socket: &OwnedFd) -> io::Result<()> {
        match self {
            Self::Tcp { to, .. } if is_own(socket, to) => {
                Err(io::ErrorKind::ConnectionRefused.into())
            }
            _ => Ok(()),
        }
    }
}

/// Its port is chosen as it connects, so that each pair of addresses has all ports to itself.
fn bind(socket: &OwnedFd, source: IpAddr) -> io::Result<()> {
    switch_on(
        socket.as_fd(),
        libc::IPPROTO_IP,
        libc::IP_BIND_ADDRESS_NO_PORT,
    )?;
    Ok(rustix::net::bind(socket, &SocketAddr::new(source, 0))?)
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
    fn connections_come_from_the_addresses_given_in_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp {
            to: listener.local_addr().unwrap(),
            from: vec!["127.0.0.2".parse().unwrap(), "127.0.0.3".parse().unwrap()],
            network: None,
        };
        let _sockets: Vec<_> = (0..3).map(|id| address.connect(id).unwrap()).collect();
        let from: Vec<_> = (0..3)
            .map(|_| listener.accept().unwrap().1.ip().to_string())
            .collect();
        assert_eq!(from, ["127.0.0.2", "127.0.0.3", "127.0.0.2"]);
    }

    #[test]
    fn a_connection_to_itself_is_none() {
        // A port where nobody listens.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let other = Address::Tcp {
            to: address,
            from: Vec::new(),
            network: None,
        };
        let (right, _) = other.connect(0).unwrap();
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
