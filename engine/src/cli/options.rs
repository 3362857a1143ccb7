//! The options of a run by hand, and what they mean.

use super::choices::{ArrivalsArg, DrawArg, FormatArg, IoArg, RowsArg, StreamArg};
use super::expect::ExpectOptions;
use super::grpc::Grpc;
use super::progress::ProgressArg;
use super::redis::Redis;
use super::thresholds::ThresholdOptions;
use super::tls::TlsOptions;
use super::units;
use super::websocket::WebSocket;
use clap::Args;
use deadheat_load::address::{Resolved, Url};
use deadheat_load::error::{Error, Result};
use deadheat_load::load::coalesce::Coalesce;
use deadheat_load::load::open_loop::Pacing;
use deadheat_load::load::run::RunSpec;
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::protocol::http::mix::Draw;
use deadheat_load::protocol::http::Request;
use deadheat_load::search::Objective;
use deadheat_load::target::Spec;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct LoadOptions {
    /// Where the load goes: http://host:port/path, ws://host:port/path, grpc://host:port, redis://host:port; several of HTTP are asked for in turn
    #[arg(required = true, value_name = "URL")]
    pub(super) urls: Vec<String>,
    /// Threads, one event loop each
    #[arg(short = 't', long, default_value_t = 1, value_name = "N")]
    pub threads: usize,
    /// Connections, shared out over the threads
    #[arg(short = 'c', long, default_value_t = 64, value_name = "N")]
    pub(super) connections: usize,
    /// How long to count (10s, 500ms, 2m)
    #[arg(short = 'd', long, default_value = "10s", value_parser = units::milliseconds, value_name = "TIME")]
    pub duration: u64,
    /// Send so many requests instead, however long it takes
    #[arg(short = 'n', long, value_name = "N", conflicts_with_all = ["duration", "warmup", "steps", "find_max"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) requests_count: Option<u64>,
    /// Load before counting begins
    #[arg(long, default_value = "0ms", value_parser = units::milliseconds, value_name = "TIME")]
    pub(super) warmup: u64,
    /// How long a reply or a connection may take
    #[arg(long, default_value = "5s", value_parser = units::milliseconds, value_name = "TIME")]
    pub(super) timeout: u64,
    /// Requests in flight on each connection
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(super) pipeline: u32,
    /// A new connection for each request
    #[arg(long)]
    pub(super) no_keepalive: bool,
    /// Go to this Unix socket; the URL gives host and path all the same
    #[arg(long, value_name = "PATH")]
    pub(super) unix: Option<PathBuf>,
    /// Go to this host and port; the URL gives Host and the name for TLS all the same
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "unix")]
    pub(super) connect_to: Option<String>,
    /// This host and port has this address, whatever a name server says; may be given several times
    #[arg(long, value_name = "HOST:PORT:ADDRESS", conflicts_with_all = ["unix", "connect_to"])]
    pub(super) resolve: Vec<Resolved>,
    /// Connect from this address of this machine; several are taken in turn, as each has ports for 28,000 connections
    #[arg(
        long,
        value_name = "ADDRESS,ADDRESS",
        value_delimiter = ',',
        conflicts_with = "unix"
    )]
    pub(super) source: Vec<IpAddr>,
    /// Wait a little so that one wake-up serves several replies: off, auto, or a time in us
    #[arg(long, default_value = "off", value_name = "off|auto|200us")]
    pub(super) coalesce: Coalesce,
    /// How bytes get to the kernel; auto is epoll, and the summary says what was used
    #[arg(long, default_value = "auto")]
    io: IoArg,
    /// Allow addresses outside loopback and private ranges
    #[arg(long)]
    pub(super) remote: bool,

    /// Open loop: so many requests a second, whatever the server does
    #[arg(short = 'R', long, value_name = "RPS", value_parser = units::rate, help_heading = OPEN)]
    pub(super) rate: Option<f64>,
    /// How the requests of an open loop are spread over time
    #[arg(long, default_value = "constant", help_heading = OPEN)]
    arrivals: ArrivalsArg,
    /// Each at its time, or all of a millisecond (burst) or of a tick of 50 to 1000 us at its beginning (cheaper)
    #[arg(long, default_value = "exact", value_name = "exact|burst|200us", help_heading = OPEN)]
    pacing: Pacing,
    /// Seed of Poisson arrivals and of --draw random (default: made from the token)
    #[arg(long, value_name = "N", help_heading = OPEN)]
    pub(super) seed: Option<u64>,
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
    pub(super) method: Option<String>,
    /// Header, such as 'Accept: text/plain'; may be given several times
    #[arg(short = 'H', long = "header", value_name = "HEADER", value_parser = header, help_heading = REQUEST)]
    pub(super) headers: Vec<(String, String)>,
    /// Body: a text, or @FILE, whose bytes go out as they are where they are no text (UTF-8); makes the method POST if none is given
    #[arg(long, value_name = "TEXT", help_heading = REQUEST)]
    pub(super) data: Option<String>,
    /// The same, but nothing in braces is put in: bytes as they are, of WebSocket a binary message
    #[arg(long, value_name = "TEXT", conflicts_with = "data", help_heading = REQUEST)]
    pub(super) data_binary: Option<String>,
    /// Several requests, one JSON object a line: method, path, headers, body, expect, weight; of WebSocket messages
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "data", "data_binary"], help_heading = REQUEST)]
    pub(super) requests: Option<PathBuf>,
    /// How they are drawn: in turn (or by weight), or at random, the same for the same --seed
    #[arg(long, default_value = "turn", value_name = "turn|random", requires = "requests", help_heading = REQUEST)]
    pub(super) draw: DrawArg,
    /// Values for {NAME} in requests: a .csv file with names in its first row, or lines for {line}
    #[arg(long, value_name = "FILE", help_heading = REQUEST)]
    pub(super) values: Option<PathBuf>,
    /// Which row of --values a request has: the next on its thread, one at random (the same for the same --seed), or one that no other has, until they are used up
    #[arg(long, default_value = "turn", value_name = "turn|random|unique", requires = "values", help_heading = REQUEST)]
    pub(super) rows: RowsArg,
    /// What {token} stands for in paths, headers and bodies ({seq} is the request's number)
    #[arg(long, default_value = "deadheat", value_name = "TEXT", help_heading = REQUEST)]
    pub(super) token: String,
    #[command(flatten)]
    pub(super) expect: ExpectOptions,
    /// Replies are streams whose events are timed: sse (server-sent events) or lines (JSON or any text) of HTTP, messages of gRPC
    #[arg(long, value_name = "FORM", help_heading = REQUEST)]
    pub(super) stream: Option<StreamArg>,
    #[command(flatten)]
    pub(super) tls: TlsOptions,
    #[command(flatten)]
    pub thresholds: ThresholdOptions,
    /// HTTP/2 to http:// (with prior knowledge) and https:// (agreed on in TLS)
    #[arg(long, help_heading = HTTP2)]
    pub(super) http2: bool,
    /// Requests or calls in flight on each connection
    #[arg(long, default_value_t = 1, value_name = "N", help_heading = HTTP2)]
    pub(super) streams: u32,

    #[command(flatten)]
    pub(super) grpc: Grpc,
    #[command(flatten)]
    pub(super) redis: Redis,
    #[command(flatten)]
    pub(super) websocket: WebSocket,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print the summary as JSON in the words of another program: ghz
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "steps", "find_max"], help_heading = OUTPUT)]
    pub(super) format: Option<FormatArg>,
    /// Write the summary to this file too, as JSON (see `compare`)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steps", "find_max"], help_heading = OUTPUT)]
    pub save: Option<PathBuf>,
    /// Write an HdrHistogram V2 log, an interval a second
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub hdr: Option<PathBuf>,
    /// Write a time series, a line a second
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub csv: Option<PathBuf>,
    /// Answer Prometheus at this address while the run goes on, at /metrics
    #[arg(long, value_name = "IP:PORT", conflicts_with_all = ["steps", "find_max"], help_heading = OUTPUT)]
    pub metrics: Option<SocketAddr>,
    /// What is shown on stderr while a run goes on
    #[arg(long, default_value = "auto", value_name = "FORM", help_heading = OUTPUT)]
    pub(super) progress: ProgressArg,
    /// Nothing: --progress none
    #[arg(short = 'q', long, conflicts_with = "progress", help_heading = OUTPUT)]
    pub quiet: bool,
}

const OPEN: &str = "Open loop";
pub(super) const REQUEST: &str = "Requests";
const HTTP2: &str = "HTTP/2 (--http2, or gRPC)";
const OUTPUT: &str = "Output";

/// A `-n` run ends by its count; this only bounds one that gets no replies.
const LONGEST_COUNT_MS: u64 = 24 * 3_600_000;

impl LoadOptions {
    /// The target.
    pub fn spec(&self) -> Result<Spec> {
        let url = self.urls.first();
        let url = url.ok_or_else(|| Error::usage("a URL is needed"))?;
        if self.duration == 0 {
            return Err(Error::usage("-d: has to be longer than 0"));
        }
        let scheme = Url::parse(url)?.scheme;
        self.check_depth(&scheme)?;
        self.check_protocol(&scheme)?;
        let spec = match scheme.as_str() {
            "grpc" | "grpcs" => {
                let data = self.body()?;
                let calls = self
                    .grpc
                    .calls(data.as_ref(), &self.headers, self.streams)?;
                let time_messages = self.stream.is_some();
                Spec::grpc(
                    url,
                    CallSpec {
                        time_messages,
                        ..calls
                    },
                )
            }
            "redis" | "rediss" => Spec::redis(url, self.redis.commands(self.pipeline)?),
            "ws" | "wss" => {
                let requests = self.messages(url)?;
                Spec {
                    depth: self.pipeline,
                    websocket: self.websocket.spec(),
                    draw: self.draw_of(&requests)?,
                    requests,
                    ..Spec::new(url, Request::get("/"))
                }
            }
            _ => {
                let requests = self.http_requests(url)?;
                Spec {
                    // One of them is 1.
                    depth: self.pipeline.max(self.streams),
                    http2: self.http2,
                    stream: self.stream.and_then(StreamArg::of_http),
                    draw: self.draw_of(&requests)?,
                    requests,
                    ..Spec::new(url, Request::get("/"))
                }
            }
        };
        self.check_thresholds(&scheme, self.rate.or(spec.rate()))?;
        self.check_rows(&spec)?;
        Ok(Spec {
            unix: self.unix.clone(),
            connections: self.connections,
            threads: self.threads,
            keep_alive: !self.no_keepalive,
            timeout_ms: self.timeout,
            coalesce: self.coalesce,
            io: self.io.into(),
            remote: self.remote,
            connect_to: self.connect_to.clone(),
            resolved: self.resolve.clone(),
            sources: self.source.clone(),
            tls: self.tls.spec(),
            apart: true,
            ..spec
        })
    }

    /// One run, at `rate` or the one of `-R`; it ends where rows that are used once are used up.
    pub fn run_spec(&self, spec: &Spec, rate: Option<f64>) -> RunSpec {
        RunSpec {
            token: self.token.clone(),
            lead_in_ms: self.warmup,
            counted_ms: match self.requests_count {
                Some(_) => LONGEST_COUNT_MS,
                None => self.duration,
            },
            rate: rate.or(self.rate),
            arrivals: self.arrivals.into(),
            pacing: self.pacing,
            seed: self.seed,
            requests: self.requests_count.or(spec.rows_last_for()),
            ..RunSpec::default()
        }
    }

    /// How several requests are drawn.
    fn draw_of(&self, requests: &[Request]) -> Result<Draw> {
        let with_rate = requests.iter().filter(|request| request.rate.is_some());
        let with_rate = with_rate.count();
        if with_rate == 0 {
            return Ok(self.draw.into());
        }
        self.check_rates(requests, with_rate)?;
        Ok(match self.arrivals {
            ArrivalsArg::Constant => Draw::Even,
            // By chance each of them is Poisson too.
            ArrivalsArg::Poisson => Draw::Turn,
        })
    }

    /// Where a search for the highest rate begins.
    pub fn first_rate(&self) -> f64 {
        self.rate.unwrap_or(1_000.0)
    }

    /// What will be done, in one line.
    pub fn heading(&self, spec: &Spec, rate: Option<f64>, io: &str) -> String {
        let seconds = self.duration as f64 / 1000.0;
        let length = match (self.requests_count, spec.rows_last_for()) {
            (Some(n), _) => format!("{n} requests"),
            (None, Some(rows)) => format!("{rows} rows, {seconds:.1} s at most"),
            (None, None) => format!("{seconds:.1} s"),
        };
        let rate = match rate.or(self.rate) {
            Some(rate) => format!(", {rate}/s"),
            None => String::new(),
        };
        let hosts = match spec.hosts() {
            1 => String::new(),
            hosts => format!(" ({hosts} hosts, threads for each)"),
        };
        format!(
            "{}{hosts}: {length}, {} connections, {} thread{}{rate}, {io}",
            spec.url,
            spec.connections,
            spec.threads,
            if spec.threads == 1 { "" } else { "s" },
        )
    }
}

fn header(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| format!("{text:?} is no header, such as 'Accept: text/plain'"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
