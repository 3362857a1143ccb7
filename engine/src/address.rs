//! Where the load goes.

use crate::error::{Error, Kind, Result};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// A target's URL, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    pub scheme: String,
    /// `user:password` before the `@`, if any.
    pub user_info: Option<String>,
    pub host: String,
    pub port: u16,
    /// Path and query, with its leading slash; `/` if the URL has none.
    pub path: String,
}

impl Url {
    /// # Errors
    /// A usage error that says what is wrong with `text`.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |why: &str| Error::usage(format!("{text}: {why}"));
        let (scheme, rest) = text.split_once("://").ok_or_else(|| {
            wrong("a URL begins with http://, for example http://127.0.0.1:8080/")
        })?;
        let scheme = scheme.to_ascii_lowercase();
        let default_port = default_port(&scheme).ok_or_else(|| {
            wrong("unknown scheme (http, https, grpc, grpcs, redis, rediss, ws, wss)")
        })?;
        let cut = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(cut);
        let path = path.split('#').next().unwrap_or_default();
        if path.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(wrong("a path may hold no spaces or control characters"));
        }
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/{path}")
        };
        let (user_info, authority) = match authority.rsplit_once('@') {
            Some((user_info, rest)) => (Some(user_info.to_owned()), rest),
            None => (None, authority),
        };
        let (host, port) = split_port(authority).ok_or_else(|| wrong("not a host and a port"))?;
        if host.is_empty() {
            return Err(wrong("no host"));
        }
        let port = match port {
            None => default_port,
            Some(port) => match port.parse() {
                Ok(port) if port > 0 => port,
                _ => return Err(wrong("a port is a number from 1 to 65535")),
            },
        };
        Ok(Self {
            scheme,
            user_info,
            host: host.to_owned(),
            port,
            path,
        })
    }

    /// As it stands in a Host header or `:authority`: without the port that the scheme has
    /// anyhow (RFC 9110, section 4.2.3).
    pub fn authority(&self) -> String {
        match default_port(&self.scheme) {
            Some(port) if port == self.port => self.bracketed_host(),
            _ => self.place(),
        }
    }

    /// `host:port`, for messages.
    pub fn place(&self) -> String {
        format!("{}:{}", self.bracketed_host(), self.port)
    }

    fn bracketed_host(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        }
    }

    /// The addresses of the host, one at least.
    ///
    /// # Errors
    /// The name is not known, or an address is a public one and `remote` is false.
    pub fn resolve(&self, remote: bool) -> Result<Vec<SocketAddr>> {
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let mut addresses: Vec<SocketAddr> = found.map(Iterator::collect).unwrap_or_default();
        addresses.dedup();
        if addresses.is_empty() {
            let message = format!("{}: no such host", self.host);
            return Err(Error::new(Kind::Refused, message));
        }
        let mut far = addresses.iter().filter(|address| !is_near(address.ip()));
        match far.next() {
            Some(address) if !remote => Err(Error::usage(format!(
                "{address} is not a loopback or private address: load on someone else's machine needs --remote"
            ))),
            _ => Ok(addresses),
        }
    }
}

/// `host:port:address`: an address that a host has, whatever a name server says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    host: String,
    port: u16,
    address: IpAddr,
}

impl FromStr for Resolved {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || format!("{text:?} is not HOST:PORT:ADDRESS, such as a.test:8080:127.0.0.1");
        let (host, rest) = text.split_once(':').ok_or_else(wrong)?;
        let (port, address) = rest.split_once(':').ok_or_else(wrong)?;
        let address = address.trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            host: host.to_owned(),
            port: port.parse().map_err(|_| wrong())?,
            address: address.parse().map_err(|_| wrong())?,
        })
    }
}

impl Resolved {
    /// The addresses of a URL's host: those among `all`, or else what a name server says.
    ///
    /// # Errors
    /// Those of [`Url::resolve`].
    pub fn resolve(all: &[Self], url: &Url, remote: bool) -> Result<Vec<SocketAddr>> {
        let own = all
            .iter()
            .filter(|one| one.port == url.port && one.host.eq_ignore_ascii_case(&url.host));
        let own: Vec<IpAddr> = own.map(|one| one.address).collect();
        if own.is_empty() {
            return url.resolve(remote);
        }
        let mut addresses = Vec::new();
        for address in own {
            let host = address.to_string();
            addresses.extend(
                Url {
                    host,
                    ..url.clone()
                }
                .resolve(remote)?,
            );
        }
        Ok(addresses)
    }
}

/// The port that a scheme has where none is said.
fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "grpc" | "ws" => Some(80),
        "https" | "grpcs" | "wss" => Some(443),
        "redis" | "rediss" => Some(6379),
        _ => None,
    }
}

/// Host and port of `host:port`, `host`, `[v6]:port`, `[v6]`.
fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, Some(port))),
            None => rest.is_empty().then_some((host, None)),
        };
    }
    match authority.split_once(':') {
        Some((host, port)) => Some((host, Some(port))),
        None => Some((authority, None)),
    }
}

/// Loopback, private and link-local addresses: machines of one's own.
fn is_near(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            Some(ip) => is_near(IpAddr::V4(ip)),
            None => {
                let first = ip.segments()[0];
                ip.is_loopback() || first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, u16, String) {
        let url = Url::parse(text).unwrap();
        (url.host, url.port, url.path)
    }

    #[test]
    fn urls_that_are_fine() {
        assert_eq!(parts("http://a"), ("a".into(), 80, "/".into()));
        assert_eq!(parts("http://a:81/b?c#d"), ("a".into(), 81, "/b?c".into()));
        assert_eq!(parts("HTTP://a?x=1"), ("a".into(), 80, "/?x=1".into()));
        assert_eq!(
            parts("http://[::1]:8080/x"),
            ("::1".into(), 8080, "/x".into())
        );
        assert_eq!(parts("https://[::1]"), ("::1".into(), 443, "/".into()));
        let url = Url::parse("redis://user:secret@h").unwrap();
        assert_eq!(url.user_info.as_deref(), Some("user:secret"));
        assert_eq!(Url::parse("http://[::1]:1").unwrap().authority(), "[::1]:1");
    }

    #[test]
    fn the_port_that_a_scheme_has_anyhow_is_not_said() {
        let authority = |text: &str| Url::parse(text).unwrap().authority();
        assert_eq!(authority("http://a:80/"), "a");
        assert_eq!(authority("https://a"), "a");
        assert_eq!(authority("https://[::1]"), "[::1]");
        assert_eq!(authority("https://a:80"), "a:80");
        assert_eq!(authority("http://a:443"), "a:443");
        assert_eq!(Url::parse("https://a").unwrap().place(), "a:443");
    }

    #[test]
    fn urls_that_are_not() {
        for text in [
            "a:80",
            "ftp://a",
            "http://",
            "http://a:0",
            "http://a:99999",
            "http://a:b",
            "http://[::1",
            "http://[::1]x",
            "http://a/b c",
        ] {
            let error = Url::parse(text).unwrap_err();
            assert_eq!(error.kind, Kind::Usage);
            assert!(error.message.starts_with(text), "{error}");
        }
    }

    #[test]
    fn public_addresses_need_a_word() {
        for near in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "::1",
            "fd00::1",
        ] {
            assert!(is_near(near.parse().unwrap()), "{near}");
        }
        for far in [
            "8.8.8.8",
            "172.32.0.1",
            "2001:db8::1",
            "::ffff:8.8.8.8",
            "0.0.0.0",
        ] {
            assert!(!is_near(far.parse().unwrap()), "{far}");
        }
        let error = Url::parse("http://192.0.2.1/")
            .unwrap()
            .resolve(false)
            .unwrap_err();
        assert!(error.message.contains("--remote"), "{error}");
    }
}
