//! Connecting to a target: its address, its protocol, its workers.

use super::hosts::Hosts;
use super::opened::Target;
use super::pool::WorkerPool;
use super::reflection;
use super::spec::Spec;
use crate::address::{Resolved, Url};
use crate::error::{Error, Kind, Result};
use crate::load::coalesce::Coalesce;
use crate::load::groups::Groups;
use crate::load::{Settings, Worker};
use crate::net::address::Address;
use crate::net::epoll::Epoll;
use crate::net::tls::{Tls, TlsPlan};
use crate::net::uring::Uring;
use crate::net::{Io, Net};
use crate::protocol::grpc::streaming::StreamingGrpc;
use crate::protocol::grpc::{self, Grpc};
use crate::protocol::http::Request;
use crate::protocol::http1::Http1;
use crate::protocol::http2::Http2;
use crate::protocol::messages::MessagePlan;
use crate::protocol::redis::{Login, Redis};
use crate::protocol::websocket::WebSocket;
use crate::protocol::Protocol;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Connects to a target.
///
/// # Errors
/// `usage` for what cannot be meant, `refused` and `timeout` for what is not there.
pub fn open(spec: &Spec) -> Result<Box<dyn Target>> {
    spec.check()?;
    match spec.requests.iter().any(|request| request.origin.is_some()) {
        true => Ok(Box::new(Hosts::open(spec, open_one)?)),
        false => open_one(spec),
    }
}

/// A target of one host.
fn open_one(spec: &Spec) -> Result<Box<dyn Target>> {
    let url = Url::parse(&spec.url)?;
    match url.scheme.as_str() {
        "http" | "https" if spec.http2 => {
            if !spec.keep_alive {
                return Err(Error::usage("HTTP/2 has no connections without keep-alive"));
            }
            let is_tls = url.scheme == "https";
            let protocol = Http2::new(
                requests(spec)?,
                spec.draw,
                spec.stream,
                is_tls,
                &url.authority(),
            )?;
            open_with(spec, &url, &protocol, b"h2")
        }
        "http" | "https" => open_with(spec, &url, &http1(spec, &url)?, b"http/1.1"),
        "grpc" | "grpcs" => {
            let is_tls = url.scheme == "grpcs";
            let authority = url.authority();
            let calls = &spec.grpc;
            let contract = match calls.is_reflected() {
                true => reflection::contract(spec, &url)?,
                false => grpc::contract(calls)?,
            };
            if !grpc::takes_messages(&contract, calls)? {
                let protocol = Grpc::with_contract(&contract, calls, is_tls, &authority)?;
                return open_with(spec, &url, &protocol, b"h2");
            }
            let protocol = StreamingGrpc::with_contract(&contract, calls, is_tls, &authority)?;
            check_length(&protocol.plan(), spec.timeout_ms)?;
            open_with(spec, &url, &protocol, b"h2")
        }
        "redis" | "rediss" => {
            let login = Login::from_url(&url, spec.redis.resp3)?;
            let protocol = Redis::new(&spec.redis, login)?;
            open_with(spec, &url, &protocol, b"redis")
        }
        "ws" | "wss" => {
            let messages = requests(spec)?;
            let host = url.authority();
            let protocol = WebSocket::new(&messages, &spec.websocket, spec.depth, &host)?;
            open_with(spec, &url, &protocol.drawn(spec.draw), b"http/1.1")
        }
        other => Err(Error::new(
            Kind::Unsupported,
            format!("{}: {other} is not supported yet", spec.url),
        )),
    }
}

/// A call whose messages take longer than its reply may would never end well.
fn check_length(plan: &MessagePlan, timeout_ms: u64) -> Result<()> {
    let (count, takes_ms) = (plan.count, plan.length().as_millis());
    if takes_ms < timeout_ms.into() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "--message-interval: {count} messages take {takes_ms} ms, and --timeout is {timeout_ms} ms"
    )))
}

/// The rest of [`open_one`], for any protocol; `alpn` is its name in TLS (for schemes that end in
/// `s`).
pub(super) fn open_with<P>(
    spec: &Spec,
    url: &Url,
    protocol: &P,
    alpn: &'static [u8],
) -> Result<Box<dyn Target>>
where
    P: Protocol + Clone + Send + 'static,
    P::Connection: Send,
{
    let places = match &spec.unix {
        Some(path) => vec![Address::Unix(path.clone())],
        None => {
            let place = match &spec.connect_to {
                Some(place) => &Url::parse(&format!("{}://{place}", url.scheme))?,
                None => url,
            };
            let found = Resolved::resolve(&spec.resolved, place, spec.remote)?;
            addresses(found, spec)?
        }
    };
    let name = match &spec.unix {
        Some(path) => path.display().to_string(),
        None => spec.connect_to.clone().unwrap_or_else(|| url.place()),
    };
    let tls = match url.scheme.as_str() {
        "https" | "grpcs" | "rediss" | "wss" => Some(TlsPlan::new(&spec.tls, &url.host, alpn)?),
        _ => None,
    };
    let mut last = None;
    for address in places {
        match open_at(spec, &address, protocol, tls.as_ref(), &name) {
            // A name may have several addresses, and nobody at the first.
            Err(error) if matches!(error.kind, Kind::Refused | Kind::Timeout) => {
                last = last.or(Some(error));
            }
            done => return done,
        }
    }
    Err(last.expect("a host has an address"))
}

/// Those of a name that can be connected to from the sources: of one's family, where there are any.
fn addresses(found: Vec<SocketAddr>, spec: &Spec) -> Result<Vec<Address>> {
    let (sources, network) = (&spec.sources[..], &spec.network);
    for &one in sources {
        UdpSocket::bind((one, 0)).map_err(|error| {
            Error::usage(format!("--source {one}: {error}; 'ip address' lists them"))
        })?;
    }
    let (first, mut all) = (found.first().copied(), Vec::new());
    for to in found {
        let of_its_family = sources.iter().filter(|one| one.is_ipv4() == to.is_ipv4());
        let from: Vec<IpAddr> = of_its_family.copied().collect();
        if sources.is_empty() || !from.is_empty() {
            let network = network.clone();
            all.push(Address::Tcp { to, from, network });
        }
    }
    match first {
        Some(to) if all.is_empty() => Err(Error::usage(format!(
            "--source has no address of the family of {to}"
        ))),
        _ => Ok(all),
    }
}

/// All workers on one address, opened side by side.
fn open_at<P>(
    spec: &Spec,
    address: &Address,
    protocol: &P,
    tls: Option<&TlsPlan>,
    name: &str,
) -> Result<Box<dyn Target>>
where
    P: Protocol + Clone + Send + 'static,
    P::Connection: Send,
{
    let counting = Counting {
        groups: match &spec.groups {
            Some(names) => Groups::among(&spec.labels(), names),
            None => Groups::new(&spec.labels()),
        },
        streams: spec.times_streams(),
    };
    let open = |protocol: P, thread: usize| -> Result<Box<dyn Target>> {
        let more = usize::from(thread < spec.connections % spec.threads);
        let settings = Settings {
            connections: spec.connections / spec.threads + more,
            keep_alive: spec.keep_alive,
            depth: spec.depth,
            timeout_ns: spec.timeout_ms.saturating_mul(1_000_000),
            coalesce: spec.coalesce,
        };
        let address = &address.begun_at(thread);
        match uring(spec, address, settings.connections)? {
            Some(net) => opened(settings, protocol, net, tls, &counting, name),
            None => {
                let stamped = spec.coalesce != Coalesce::Off;
                let net = Epoll::new(address.clone(), settings.connections, stamped)
                    .map_err(|error| Error::usage(format!("cannot poll: {error}")))?;
                opened(settings, protocol, net, tls, &counting, name)
            }
        }
    };
    if spec.threads == 1 {
        return open(protocol.clone(), 0);
    }
    let open = &open;
    let workers = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..spec.threads)
            .map(|thread| {
                let protocol = protocol.clone();
                scope.spawn(move || open(protocol, thread))
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|worker| worker.expect("a panic ends the program"))
            .collect::<Result<Vec<_>>>()
    });
    Ok(Box::new(WorkerPool::new(workers?)))
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

/// What is counted beside the whole.
struct Counting {
    groups: Groups,
    streams: bool,
}

impl Counting {
    fn of<P: Protocol, N: Net>(&self, worker: Worker<P, N>) -> Worker<P, N> {
        let worker = worker.counting_apart(self.groups.clone());
        match self.streams {
            true => worker.timing_streams(),
            false => worker,
        }
    }
}

fn opened<P, N>(
    settings: Settings,
    protocol: P,
    net: N,
    tls: Option<&TlsPlan>,
    counting: &Counting,
    name: &str,
) -> Result<Box<dyn Target>>
where
    P: Protocol + Clone + Send + 'static,
    P::Connection: Send,
    N: Net + Send + 'static,
{
    Ok(match tls {
        None => {
            let mut worker = counting.of(Worker::new(settings, protocol, net));
            worker.open(name)?;
            Box::new(worker)
        }
        Some(plan) => {
            let net = Tls::new(net, plan, settings.connections);
            let mut worker = counting.of(Worker::new(settings, protocol, net));
            worker.open(name)?;
            Box::new(worker)
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
    if !spec.keep_alive && spec.depth > 1 {
        return Err(Error::usage("a pipeline needs keep-alive"));
    }
    let requests = requests(spec)?;
    requests.iter().try_for_each(Request::check)?;
    let protocol = Http1::new(requests, &url.authority(), spec.keep_alive);
    Ok(protocol.drawn(spec.draw).streaming(spec.stream))
}
