//! A target that is open: one address, one protocol, its connections.

use crate::address::Url;
use crate::crew::Crew;
use crate::error::{Error, Kind, Result};
use crate::histogram::Latencies;
use crate::load::coalesce::Coalesce;
use crate::load::control::Control;
use crate::load::turn::{Slice, Turn};
use crate::load::{Load, Settings};
use crate::net::address::Address;
use crate::net::epoll::Epoll;
use crate::net::tls::{self, Tls, Trust};
use crate::net::uring::Uring;
use crate::net::{Io, Net};
use crate::protocol::grpc::{self, Grpc};
use crate::protocol::http1::{Http1, Request};
use crate::protocol::http2::Http2;
use crate::protocol::redis::{self, Login, Redis};
use crate::protocol::Protocol;
use rustls::pki_types::ServerName;
use rustls::ClientConfig;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// What is asked of a target. Each protocol takes what it needs.
#[derive(Clone, Debug)]
pub struct Spec {
    pub url: String,
    /// Go to this Unix socket instead of the URL's host.
    pub unix: Option<PathBuf>,
    pub connections: usize,
    /// Event loops, each with its share of the connections.
    pub threads: usize,
    /// Requests in flight on one connection: pipelined, or streams.
    pub pipeline: u32,
    pub keep_alive: bool,
    /// For HTTP: version 2, with prior knowledge where there is no TLS to agree on it.
    pub http2: bool,
    pub timeout_ms: u64,
    pub coalesce: Coalesce,
    pub io: Io,
    /// The address may be anyone's.
    pub remote: bool,
    pub trust: Trust,
    /// In turn or by weight; at least one for HTTP.
    pub requests: Vec<Request>,
    pub redis: redis::Ask,
    pub grpc: grpc::Ask,
}

impl Spec {
    /// One request to `url`, with nothing special about it.
    pub fn new(url: &str, request: Request) -> Self {
        Self {
            url: url.into(),
            unix: None,
            connections: 64,
            threads: 1,
            pipeline: 1,
            keep_alive: true,
            http2: false,
            timeout_ms: 5_000,
            coalesce: Coalesce::Off,
            io: Io::Auto,
            remote: false,
            trust: Trust::default(),
            requests: vec![request],
            redis: redis::Ask::default(),
            grpc: grpc::Ask::default(),
        }
    }

    /// gRPC calls.
    pub fn grpc(url: &str, ask: grpc::Ask) -> Self {
        Self {
            pipeline: ask.streams.unwrap_or(1),
            requests: Vec::new(),
            grpc: ask,
            ..Self::new(url, Request::get("/"))
        }
    }

    /// Redis commands.
    pub fn redis(url: &str, ask: redis::Ask) -> Self {
        Self {
            pipeline: ask.pipeline.unwrap_or(1),
            requests: Vec::new(),
            redis: ask,
            ..Self::new(url, Request::get("/"))
        }
    }

    fn check(&self) -> Result<()> {
        let one_each = [
            (self.connections == 0, "at least 1 connection is needed"),
            (self.threads == 0, "at least 1 thread is needed"),
            (self.pipeline == 0, "a pipeline holds at least 1 request"),
            (self.timeout_ms == 0, "a timeout is longer than 0"),
            (
                self.threads > self.connections,
                "each thread needs a connection of its own",
            ),
        ];
        match one_each.iter().find(|(wrong, _)| *wrong) {
            Some((_, message)) => Err(Error::usage(*message)),
            None => Ok(()),
        }
    }
}

/// A target of any protocol. Not on the hot path: one call is a slice.
pub trait Target: Send {
    /// # Errors
    /// Only if waiting for events itself fails.
    fn turn(&mut self, turn: &Turn, control: &Control) -> io::Result<Slice>;
    /// Latencies of the counted parts since the last reset.
    fn latencies(&mut self) -> &mut Latencies;
    /// The same from the sending of each request; empty in closed loop.
    fn service(&mut self) -> &mut Latencies;
    /// How the bytes get to the kernel: `epoll` or `io_uring`.
    fn io(&self) -> &'static str;
}

impl<P, N> Target for Load<P, N>
where
    P: Protocol + Send,
    P::Connection: Send,
    N: Net + Send,
{
    fn turn(&mut self, turn: &Turn, control: &Control) -> io::Result<Slice> {
        Load::turn(self, turn, control)
    }

    fn latencies(&mut self) -> &mut Latencies {
        Load::latencies(self)
    }

    fn service(&mut self) -> &mut Latencies {
        Load::service(self)
    }

    fn io(&self) -> &'static str {
        Load::io(self)
    }
}

/// Connects to a target.
///
/// # Errors
/// `usage` for what cannot be meant, `refused` and `timeout` for what is not there.
pub fn open(spec: &Spec) -> Result<Box<dyn Target>> {
    spec.check()?;
    let url = Url::parse(&spec.url)?;
    match url.scheme.as_str() {
        "http" | "https" if spec.http2 => {
            if !spec.keep_alive {
                return Err(Error::usage("HTTP/2 has no connections without keep-alive"));
            }
            let is_tls = url.scheme == "https";
            let protocol = Http2::new(requests(spec)?, is_tls, &url.authority())?;
            open_with(spec, &url, &protocol, spec.pipeline, b"h2")
        }
        "http" | "https" => open_with(spec, &url, &http1(spec, &url)?, spec.pipeline, b"http/1.1"),
        "grpc" | "grpcs" => {
            let is_tls = url.scheme == "grpcs";
            let protocol = Grpc::new(&spec.grpc, is_tls, &url.authority())?;
            open_with(spec, &url, &protocol, spec.pipeline, b"h2")
        }
        "redis" | "rediss" => {
            let login = Login::from_url(&url, spec.redis.resp3)?;
            let protocol = Redis::new(&spec.redis, login)?;
            open_with(spec, &url, &protocol, spec.pipeline, b"redis")
        }
        other => Err(Error::new(
            Kind::Unsupported,
            format!("{}: {other} is not supported yet", spec.url),
        )),
    }
}

/// The rest of [`open`], for any protocol: `depth` requests in flight on each connection,
/// `alpn` its name in TLS (for schemes that end in `s`).
fn open_with<P>(
    spec: &Spec,
    url: &Url,
    protocol: &P,
    depth: u32,
    alpn: &[u8],
) -> Result<Box<dyn Target>>
where
    P: Protocol + Clone + Send + 'static,
    P::Connection: Send,
{
    let address = match &spec.unix {
        Some(path) => Address::Unix(path.clone()),
        None => Address::Tcp(url.resolve(spec.remote)?),
    };
    let name = match &spec.unix {
        Some(path) => path.display().to_string(),
        None => url.authority(),
    };
    let tls = match url.scheme.as_str() {
        "https" | "grpcs" | "rediss" => {
            let server = ServerName::try_from(url.host.clone())
                .map_err(|_| Error::usage(format!("{}: no name for TLS", url.host)))?;
            Some((tls::config(&spec.trust, &[alpn])?, server))
        }
        _ => None,
    };
    let mut crew: Vec<Box<dyn Target>> = Vec::new();
    for thread in 0..spec.threads {
        let more = usize::from(thread < spec.connections % spec.threads);
        let settings = Settings {
            connections: spec.connections / spec.threads + more,
            keep_alive: spec.keep_alive,
            depth,
            timeout_ns: spec.timeout_ms.saturating_mul(1_000_000),
            coalesce: spec.coalesce,
        };
        let tls = tls.clone();
        crew.push(match uring(spec, &address, settings.connections)? {
            Some(net) => opened(settings, protocol, net, tls, &name)?,
            None => {
                let stamped = spec.coalesce != Coalesce::Off;
                let net = Epoll::new(address.clone(), settings.connections, stamped)
                    .map_err(|error| Error::usage(format!("cannot poll: {error}")))?;
                opened(settings, protocol, net, tls, &name)?
            }
        });
    }
    match crew.len() {
        1 => Ok(crew.remove(0)),
        _ => Ok(Box::new(Crew::new(crew))),
    }
}

/// The ring, where it is asked for.
fn uring(spec: &Spec, address: &Address, connections: usize) -> Result<Option<Uring>> {
    match spec.io {
        // The ring saves a few percent where the generator is the limit and costs more where it is
        // not, and nobody knows yet which it will be: docs/performance.md.
        Io::Auto | Io::Epoll => Ok(None),
        Io::Uring if spec.coalesce != Coalesce::Off => Err(Error::usage(
            "--coalesce needs receive timestamps, which --io uring does not have: --io epoll",
        )),
        Io::Uring => match Uring::new(address.clone(), connections) {
            Ok(net) => Ok(Some(net)),
            Err(error) => Err(Error::usage(format!(
                "no io_uring here ({error}); --io epoll does without"
            ))),
        },
    }
}

fn opened<P, N>(
    settings: Settings,
    protocol: &P,
    net: N,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    name: &str,
) -> Result<Box<dyn Target>>
where
    P: Protocol + Clone + Send + 'static,
    P::Connection: Send,
    N: Net + Send + 'static,
{
    let protocol = protocol.clone();
    Ok(match tls {
        None => {
            let mut load = Load::new(settings, protocol, net);
            load.open(name)?;
            Box::new(load)
        }
        Some((config, server)) => {
            let net = Tls::new(net, config, server, settings.connections);
            let mut load = Load::new(settings, protocol, net);
            load.open(name)?;
            Box::new(load)
        }
    })
}

fn requests(spec: &Spec) -> Result<Vec<Request>> {
    if spec.requests.is_empty() {
        return Err(Error::usage("at least one request is needed"));
    }
    Ok(spec.requests.clone())
}

fn http1(spec: &Spec, url: &Url) -> Result<Http1> {
    if !spec.keep_alive && spec.pipeline > 1 {
        return Err(Error::usage("a pipeline needs keep-alive"));
    }
    let requests = requests(spec)?;
    requests.iter().try_for_each(Request::check)?;
    Ok(Http1::new(requests, &url.authority(), spec.keep_alive))
}
