//! What is asked of a target.

use crate::address::Resolved;
use crate::error::{Error, Result};
use crate::load::coalesce::Coalesce;
use crate::net::tls::TlsSpec;
use crate::net::Io;
use crate::protocol::grpc;
use crate::protocol::http::assertion;
use crate::protocol::http::mix::Draw;
use crate::protocol::http::stream::StreamForm;
use crate::protocol::http::Request;
use crate::protocol::redis;
use crate::protocol::websocket;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

/// What is asked of a target. Each protocol takes what it needs.
#[derive(Clone, Debug)]
pub struct Spec {
    pub url: String,
    /// Go to this Unix socket instead of the URL's host.
    pub unix: Option<PathBuf>,
    /// Go to this host and port instead of the URL's.
    pub connect_to: Option<String>,
    /// Addresses of hosts, whatever a name server says.
    pub resolved: Vec<Resolved>,
    /// Addresses of this machine that connections come from in turn; the kernel's choice without.
    pub sources: Vec<IpAddr>,
    /// The network namespace that its host is one of; this process's own without.
    pub network: Option<PathBuf>,
    pub connections: usize,
    /// Event loops, each with its share of the connections.
    pub threads: usize,
    /// Requests in flight on one connection, at most: pipelined, or streams.
    pub depth: u32,
    pub keep_alive: bool,
    /// For HTTP: version 2, with prior knowledge where there is no TLS to agree on it.
    pub http2: bool,
    pub timeout_ms: u64,
    pub coalesce: Coalesce,
    pub io: Io,
    /// The address may be anyone's.
    pub remote: bool,
    pub tls: TlsSpec,
    /// At least one for HTTP.
    pub requests: Vec<Request>,
    /// Count each of several requests by itself too.
    pub apart: bool,
    /// The names of all requests that are counted apart, where some of them are elsewhere.
    pub groups: Option<Vec<String>>,
    pub draw: Draw,
    /// For HTTP: replies are streams, whose events are timed.
    pub stream: Option<StreamForm>,
    pub redis: redis::CommandSpec,
    pub grpc: grpc::CallSpec,
    pub websocket: websocket::MessageSpec,
}

impl Spec {
    /// One request to `url`, with nothing special about it.
    pub fn new(url: &str, request: Request) -> Self {
        Self {
            url: url.into(),
            unix: None,
            connect_to: None,
            resolved: Vec::new(),
            sources: Vec::new(),
            network: None,
            connections: 64,
            threads: 1,
            depth: 1,
            keep_alive: true,
            http2: false,
            timeout_ms: 5_000,
            coalesce: Coalesce::Off,
            io: Io::Auto,
            remote: false,
            tls: TlsSpec::default(),
            requests: vec![request],
            apart: false,
            groups: None,
            draw: Draw::default(),
            stream: None,
            redis: redis::CommandSpec::default(),
            grpc: grpc::CallSpec::default(),
            websocket: websocket::MessageSpec::default(),
        }
    }

    /// gRPC calls.
    pub fn grpc(url: &str, calls: grpc::CallSpec) -> Self {
        Self {
            depth: calls.depth.unwrap_or(1),
            requests: Vec::new(),
            grpc: calls,
            ..Self::new(url, Request::get("/"))
        }
    }

    /// Redis commands.
    pub fn redis(url: &str, commands: redis::CommandSpec) -> Self {
        Self {
            depth: commands.depth.unwrap_or(1),
            requests: Vec::new(),
            redis: commands,
            ..Self::new(url, Request::get("/"))
        }
    }

    /// What the requests are called, in their order, where they are to be counted apart.
    pub fn labels(&self) -> Vec<String> {
        if !self.apart {
            return Vec::new();
        }
        let commands = self.redis.commands.iter().map(|words| words.join(" "));
        let requests = self.requests.iter().map(Request::label);
        requests.chain(commands).collect()
    }

    /// Whether what comes of each reply is timed.
    pub fn times_streams(&self) -> bool {
        self.stream.is_some() || self.grpc.time_messages
    }

    /// Requests a second, where each request has a rate of its own.
    pub fn rate(&self) -> Option<f64> {
        let rates: Option<Vec<f64>> = self.requests.iter().map(|request| request.rate).collect();
        let rates = rates.filter(|rates| !rates.is_empty())?;
        Some(rates.iter().sum())
    }

    /// How many requests its rows are enough for, where no row is used twice.
    pub fn rows_last_for(&self) -> Option<u64> {
        let mut rows = self.requests.iter().filter_map(|one| one.rows.as_ref());
        rows.find_map(|rows| rows.last_for())
    }

    /// The rates asked for, by what requests are called; none where requests have none.
    pub fn rates(&self) -> BTreeMap<String, f64> {
        let mut rates = BTreeMap::new();
        for request in &self.requests {
            if let Some(rate) = request.rate {
                *rates.entry(request.label()).or_default() += rate;
            }
        }
        rates
    }

    /// What is asserted of replies, each once.
    pub fn assertions(&self) -> Vec<String> {
        assertion::names(&self.requests)
    }

    pub(super) fn check(&self) -> Result<()> {
        let one_each = [
            (self.connections == 0, "at least 1 connection is needed"),
            (self.threads == 0, "at least 1 thread is needed"),
            (self.depth == 0, "a pipeline holds at least 1 request"),
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
