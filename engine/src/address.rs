//! Where the load goes.

use crate::error::{Error, Kind, Result};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

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
        let default_port = match scheme.as_str() {
            "http" | "grpc" => 80,
            "https" | "grpcs" => 443,
            "redis" | "rediss" => 6379,
            _ => {
                return Err(wrong(
                    "unknown scheme (http, https, grpc, grpcs, redis, rediss)",
                ))
            }
        };
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

    /// `host:port` as it stands in a Host header.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The first address of the host.
    ///
    /// # Errors
    /// The name is not known, or the address is a public one and `remote` is false.
    pub fn resolve(&self, remote: bool) -> Result<SocketAddr> {
        let address = (self.host.as_str(), self.port)
            .to_socket_addrs()
            .ok()
            .and_then(|mut addresses| addresses.next())
            .ok_or_else(|| Error::new(Kind::Refused, format!("{}: no such host", self.host)))?;
        if remote || is_near(address.ip()) {
            return Ok(address);
        }
        Err(Error::usage(format!(
            "{address} is not a loopback or private address: load on someone else's machine needs --remote"
        )))
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
