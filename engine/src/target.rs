//! A target that is open: one address, one protocol, its connections.

use crate::address::Url;
use crate::error::{Error, Kind, Result};
use crate::histogram::Latencies;
use crate::load::control::Control;
use crate::load::turn::{Slice, Turn};
use crate::load::{Load, Settings};
use crate::net::epoll::Epoll;
use crate::net::Net;
use crate::protocol::http1::{Expect, Http1, Request};
use crate::protocol::Protocol;
use std::io;

/// What is asked of a target, and what it is to answer. Each protocol takes what it needs.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    pub url: String,
    pub connections: usize,
    pub timeout_ms: u64,
    /// The address may be anyone's.
    pub remote: bool,
    /// Method, path, headers, body; the path of the URL if none is given here.
    pub method: Option<String>,
    pub path: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
    pub expect: Expect,
}

/// A target of any protocol. Not on the hot path: one call is a slice.
pub trait Target {
    /// # Errors
    /// Only if waiting for events itself fails.
    fn turn(&mut self, turn: &Turn, control: &Control) -> io::Result<Slice>;
    /// Latencies of the counted parts since the last reset.
    fn latencies(&mut self) -> &mut Latencies;
    /// The same from the sending of each request; empty in closed loop.
    fn service(&mut self) -> &mut Latencies;
}

impl<P: Protocol, N: Net> Target for Load<P, N> {
    fn turn(&mut self, turn: &Turn, control: &Control) -> io::Result<Slice> {
        Load::turn(self, turn, control)
    }

    fn latencies(&mut self) -> &mut Latencies {
        Load::latencies(self)
    }

    fn service(&mut self) -> &mut Latencies {
        Load::service(self)
    }
}

/// Connects to a target.
///
/// # Errors
/// `usage` for what cannot be meant, `refused` and `timeout` for what is not there.
pub fn open(spec: &Spec) -> Result<Box<dyn Target>> {
    let url = Url::parse(&spec.url)?;
    match url.scheme.as_str() {
        "http" => open_with(spec, &url, http1(spec, &url)?, 1),
        other => Err(Error::new(
            Kind::Unsupported,
            format!("{}: {other} is not supported yet", spec.url),
        )),
    }
}

/// The rest of [`open`], for any protocol with up to `depth` requests a connection.
fn open_with<P: Protocol + 'static>(
    spec: &Spec,
    url: &Url,
    protocol: P,
    depth: u32,
) -> Result<Box<dyn Target>> {
    if spec.connections == 0 {
        return Err(Error::usage("at least 1 connection is needed"));
    }
    if spec.timeout_ms == 0 {
        return Err(Error::usage("the timeout has to be longer than 0"));
    }
    let address = url.resolve(spec.remote)?;
    let settings = Settings {
        connections: spec.connections,
        depth,
        timeout_ns: spec.timeout_ms.saturating_mul(1_000_000),
    };
    let net = Epoll::new(address, spec.connections)
        .map_err(|error| Error::usage(format!("cannot poll: {error}")))?;
    let mut load = Load::new(settings, protocol, net);
    load.open(&url.authority())?;
    Ok(Box::new(load))
}

fn http1(spec: &Spec, url: &Url) -> Result<Http1> {
    let request = Request {
        method: spec.method.clone().unwrap_or_else(|| "GET".into()),
        path: spec.path.clone().unwrap_or_else(|| url.path.clone()),
        host: url.authority(),
        headers: spec.headers.clone(),
        body: spec.body.clone(),
    };
    request.check()?;
    Ok(Http1::new(request, spec.expect.clone()))
}
