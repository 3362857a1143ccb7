//! The options of a run by hand, and what they mean.

use super::grpc::Grpc;
use super::redis::Redis;
use super::requests::{requests_file, text_or_file};
use super::{run, sweep, units, Outcome};
use clap::{Args, ValueEnum};
use deadheat_load::address::Url;
use deadheat_load::error::{Error, Result};
use deadheat_load::load::arrivals::Arrivals;
use deadheat_load::load::coalesce::Coalesce;
use deadheat_load::load::open_loop::Pacing;
use deadheat_load::load::turn::Turn;
use deadheat_load::net::tls::Trust;
use deadheat_load::net::Io;
use deadheat_load::protocol::http1::{Expect, Request};
use deadheat_load::search::Objective;
use deadheat_load::target::Spec;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Load {
    /// Where the load goes: http://host:port/path, grpc://host:port, redis://host:port
    #[arg(required = true)]
    url: Option<String>,
    /// Threads, one event loop each
    #[arg(short = 't', long, default_value_t = 1, value_name = "N")]
    pub threads: usize,
    /// Connections, shared out over the threads
    #[arg(short = 'c', long, default_value_t = 64, value_name = "N")]
    connections: usize,
    /// How long to count (10s, 500ms, 2m)
    #[arg(short = 'd', long, default_value = "10s", value_parser = units::milliseconds, value_name = "TIME")]
    pub duration: u64,
    /// Send so many requests instead, however long it takes
    #[arg(short = 'n', long, value_name = "N", conflicts_with_all = ["duration", "warmup", "steps", "find_max"], value_parser = clap::value_parser!(u64).range(1..))]
    requests_count: Option<u64>,
    /// Load before counting begins
    #[arg(long, default_value = "0ms", value_parser = units::milliseconds, value_name = "TIME")]
    warmup: u64,
    /// How long a reply or a connection may take
    #[arg(long, default_value = "5s", value_parser = units::milliseconds, value_name = "TIME")]
    timeout: u64,
    /// Requests in flight on each connection
    #[arg(long, default_value_t = 1, value_name = "N")]
    pipeline: u32,
    /// A new connection for each request
    #[arg(long)]
    no_keepalive: bool,
    /// Go to this Unix socket; the URL gives host and path all the same
    #[arg(long, value_name = "PATH")]
    unix: Option<PathBuf>,
    /// Wait a little so that one wake-up serves several replies: off, auto, or a time in us
    #[arg(long, default_value = "off", value_name = "off|auto|200us")]
    coalesce: Coalesce,
    /// How bytes get to the kernel; auto is epoll, and the summary says what was used
    #[arg(long, default_value = "auto")]
    io: Io,
    /// Allow addresses outside loopback and private ranges
    #[arg(long)]
    remote: bool,

    /// Open loop: so many requests a second, whatever the server does
    #[arg(short = 'R', long, value_name = "RPS", value_parser = units::rate, help_heading = OPEN)]
    rate: Option<f64>,
    /// How the requests of an open loop are spread over time
    #[arg(long, default_value = "constant", help_heading = OPEN)]
    arrivals: Arrivals,
    /// Each at its time, or all of a millisecond at its beginning (cheaper)
    #[arg(long, default_value = "exact", help_heading = OPEN)]
    pacing: PacingArg,
    /// Seed of Poisson arrivals
    #[arg(long, value_name = "N", help_heading = OPEN)]
    seed: Option<u64>,
    /// Exit with 0 even if asked and achieved rate differ by over 1%
    #[arg(long, help_heading = OPEN)]
    pub allow_shortfall: bool,
    /// A latency curve: one run at each of these rates
    #[arg(long, value_name = "RPS,RPS", value_delimiter = ',', value_parser = units::rate, conflicts_with_all = ["rate", "find_max"], help_heading = OPEN)]
    pub steps: Vec<f64>,
    /// The highest rate that keeps an objective such as 'p99<10ms', from -R or 1000 on
    #[arg(long, value_name = "OBJECTIVE", help_heading = OPEN)]
    pub find_max: Option<Objective>,

    /// Method
    #[arg(short = 'X', long, value_name = "METHOD", help_heading = REQUEST)]
    method: Option<String>,
    /// Header, such as 'Accept: text/plain'; may be given several times
    #[arg(short = 'H', long = "header", value_name = "HEADER", value_parser = header, help_heading = REQUEST)]
    headers: Vec<(String, String)>,
    /// Body: a text, or @FILE; makes the method POST if none is given
    #[arg(long, value_name = "TEXT", help_heading = REQUEST)]
    data: Option<String>,
    /// Several requests, one JSON object a line: method, path, headers, body, expect, weight
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "headers", "data"], help_heading = REQUEST)]
    requests: Option<PathBuf>,
    /// What {token} stands for in paths, headers and bodies ({seq} is the request's number)
    #[arg(long, default_value = "deadheat", value_name = "TEXT", help_heading = REQUEST)]
    token: String,
    /// Status that every reply must have (default: any below 400)
    #[arg(long, value_name = "CODE", help_heading = REQUEST)]
    expect_status: Option<u16>,
    /// Body that every reply must have
    #[arg(long, value_name = "TEXT", help_heading = REQUEST)]
    expect_body: Option<String>,
    /// Accept any certificate
    #[arg(long, conflicts_with = "cacert", help_heading = REQUEST)]
    insecure: bool,
    /// Trust the authorities in this PEM file
    #[arg(long, value_name = "FILE", help_heading = REQUEST)]
    cacert: Option<PathBuf>,

    /// HTTP/2 to http:// (with prior knowledge) and https:// (agreed on in TLS)
    #[arg(long, help_heading = HTTP2)]
    http2: bool,
    /// Requests or calls in flight on each connection
    #[arg(long, default_value_t = 1, value_name = "N", help_heading = HTTP2)]
    streams: u32,

    #[command(flatten)]
    grpc: Grpc,
    #[command(flatten)]
    redis: Redis,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Write an HdrHistogram V2 log, an interval a second
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub hdr: Option<PathBuf>,
    /// Write a time series, a line a second
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub csv: Option<PathBuf>,
    /// No live line
    #[arg(short = 'q', long, help_heading = OUTPUT)]
    pub quiet: bool,
}

const OPEN: &str = "Open loop";
const REQUEST: &str = "Requests";
const HTTP2: &str = "HTTP/2 (--http2, or gRPC)";
const OUTPUT: &str = "Output";

/// A `-n` run ends by its count; this only bounds one that gets no replies.
const LONGEST_COUNT_MS: u64 = 24 * 3_600_000;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PacingArg {
    Exact,
    Burst,
}

impl Load {
    pub fn run(self) -> Result<Outcome> {
        if let Some(objective) = self.find_max {
            return sweep::find_max(&self, objective);
        }
        if !self.steps.is_empty() {
            return sweep::steps(&self);
        }
        run::run(&self)
    }

    /// The target.
    pub fn spec(&self) -> Result<Spec> {
        let url = self
            .url
            .clone()
            .ok_or_else(|| Error::usage("a URL is needed"))?;
        if self.duration == 0 {
            return Err(Error::usage("-d: has to be longer than 0"));
        }
        let trust = match &self.cacert {
            _ if self.insecure => Trust::Anyone,
            Some(path) => Trust::File(path.clone()),
            None => Trust::Public,
        };
        let scheme = Url::parse(&url)?.scheme;
        self.check_depth(&scheme)?;
        let spec = match scheme.as_str() {
            "grpc" | "grpcs" => {
                let data = self.data.as_deref().map(text_or_file).transpose()?;
                let ask = self
                    .grpc
                    .ask(data.as_deref(), &self.headers, self.streams)?;
                Spec::grpc(&url, ask)
            }
            "redis" | "rediss" => Spec::redis(&url, self.redis.ask(self.pipeline)?),
            _ => Spec {
                // One of them is 1.
                pipeline: self.pipeline.max(self.streams),
                http2: self.http2,
                requests: self.http_requests(&url)?,
                ..Spec::new(&url, Request::get("/"))
            },
        };
        Ok(Spec {
            unix: self.unix.clone(),
            connections: self.connections,
            threads: self.threads,
            keep_alive: !self.no_keepalive,
            timeout_ms: self.timeout,
            coalesce: self.coalesce,
            io: self.io,
            remote: self.remote,
            trust,
            ..spec
        })
    }

    /// Pipelines and streams are two ways to have several requests on a connection, and each
    /// protocol has one of them.
    fn check_depth(&self, scheme: &str) -> Result<()> {
        let is_grpc = matches!(scheme, "grpc" | "grpcs");
        let is_http2 = is_grpc || self.http2;
        let message = if self.http2 && !matches!(scheme, "http" | "https") {
            format!("--http2: {scheme}:// is not HTTP, or is HTTP/2 anyhow")
        } else if self.streams == 0 {
            "--streams: at least 1".into()
        } else if is_http2 && self.pipeline > 1 {
            "--pipeline: HTTP/2 has --streams instead".into()
        } else if is_http2 && self.no_keepalive {
            "--no-keepalive: only for HTTP/1.1".into()
        } else if !is_http2 && self.streams > 1 {
            format!("--streams: only for --http2 and gRPC; {scheme}:// has --pipeline")
        } else {
            return Ok(());
        };
        Err(Error::usage(message))
    }

    /// One run, at `rate` or the one asked for.
    pub fn turn(&self, rate: Option<f64>) -> Turn {
        Turn {
            token: self.token.clone(),
            lead_in_ms: self.warmup,
            counted_ms: match self.requests_count {
                Some(_) => LONGEST_COUNT_MS,
                None => self.duration,
            },
            rate: rate.or(self.rate),
            arrivals: self.arrivals,
            pacing: match self.pacing {
                PacingArg::Exact => Pacing::Exact,
                PacingArg::Burst => Pacing::Burst,
            },
            seed: self.seed,
            requests: self.requests_count,
            ..Turn::default()
        }
    }

    /// Where a search for the highest rate begins.
    pub fn first_rate(&self) -> f64 {
        self.rate.unwrap_or(1_000.0)
    }

    /// What will be done, in one line.
    pub fn heading(&self, spec: &Spec, rate: Option<f64>, io: &str) -> String {
        let length = match self.requests_count {
            Some(n) => format!("{n} requests"),
            None => format!("{:.1} s", self.duration as f64 / 1000.0),
        };
        let rate = match rate.or(self.rate) {
            Some(rate) => format!(", {rate}/s"),
            None => String::new(),
        };
        format!(
            "{}: {length}, {} connections, {} thread{}{rate}, {io}",
            spec.url,
            spec.connections,
            spec.threads,
            if spec.threads == 1 { "" } else { "s" },
        )
    }

    fn http_requests(&self, url: &str) -> Result<Vec<Request>> {
        let expect = Expect {
            status: self.expect_status,
            body: self.expect_body.clone(),
            success: true,
        };
        if let Some(path) = &self.requests {
            return requests_file(path, &expect);
        }
        let mut request = Request::get(&Url::parse(url)?.path);
        request.headers.clone_from(&self.headers);
        request.expect = expect;
        if let Some(data) = &self.data {
            request.body = Some(text_or_file(data)?);
            request.method = "POST".into();
        }
        if let Some(method) = &self.method {
            request.method.clone_from(method);
        }
        Ok(vec![request])
    }
}

fn header(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| format!("{text:?} is no header, such as 'Accept: text/plain'"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
