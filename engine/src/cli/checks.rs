//! Options that do not go together, or not with the URL.

use super::choices::{DrawArg, StreamArg};
use super::options::LoadOptions;
use deadheat_load::error::{Error, Result};
use deadheat_load::protocol::http::Request;
use deadheat_load::target::Spec;

impl LoadOptions {
    /// Pipelines and streams are two ways to have several requests on a connection, and each
    /// protocol has one of them.
    pub(super) fn check_depth(&self, scheme: &str) -> Result<()> {
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

    /// Options of another protocol would change nothing: they are refused by name.
    pub(super) fn check_protocol(&self, scheme: &str) -> Result<()> {
        let is_http = matches!(scheme, "http" | "https");
        let is_grpc = matches!(scheme, "grpc" | "grpcs");
        let is_redis = matches!(scheme, "redis" | "rediss");
        let is_websocket = matches!(scheme, "ws" | "wss");
        let is_tls = matches!(scheme, "https" | "grpcs" | "rediss" | "wss");
        let of_http = [
            ("several URLs", self.urls.len() > 1),
            ("--method", self.method.is_some()),
            ("--expect-status", self.expect.has_status()),
            (
                "--stream sse and lines",
                self.stream
                    .is_some_and(|stream| stream != StreamArg::Messages),
            ),
            ("--no-keepalive", self.no_keepalive),
        ];
        let of_all_but_redis = [
            ("--header", !self.headers.is_empty()),
            ("--data", self.data.is_some()),
        ];
        let values = [
            ("--values", self.values.is_some()),
            ("--requests", self.requests.is_some()),
            ("--data-binary", self.data_binary.is_some()),
        ];
        let of_http_and_websocket = [&values[..], &self.expect.of_bodies()].concat();
        let given = |options: &[(&'static str, bool)]| -> Vec<&'static str> {
            let given = options.iter().filter(|(_, is_given)| *is_given);
            given.map(|(name, _)| *name).collect()
        };
        for (belongs, options, to) in [
            (is_http, given(&of_http), "http:// and https://"),
            (
                is_http || is_websocket,
                given(&of_http_and_websocket),
                "HTTP and WebSocket",
            ),
            (
                is_http || is_websocket || is_grpc,
                given(&of_all_but_redis),
                "HTTP, WebSocket and gRPC",
            ),
            (is_websocket, self.websocket.given(), "ws:// and wss://"),
            (is_grpc, self.grpc.given(), "grpc:// and grpcs://"),
            (
                is_grpc,
                given(&[
                    (
                        "--stream messages",
                        self.stream == Some(StreamArg::Messages),
                    ),
                    ("--format ghz", self.format.is_some()),
                ]),
                "grpc:// and grpcs://",
            ),
            (is_redis, self.redis.given(), "redis:// and rediss://"),
            (
                is_tls,
                self.tls.given(),
                "https://, wss://, grpcs:// and rediss://",
            ),
        ] {
            if let (false, Some(name)) = (belongs, options.first()) {
                let message = format!("{name}: only for {to}, not for {scheme}://");
                return Err(Error::usage(message));
            }
        }
        Ok(())
    }

    /// A file of requests of HTTP has all of them.
    pub(super) fn check_file_alone(&self) -> Result<()> {
        if self.urls.len() > 1 {
            return Err(Error::usage(
                "--requests names the URLs: without several of them",
            ));
        }
        match self.headers.is_empty() {
            true => Ok(()),
            false => Err(Error::usage(
                "--requests has headers of its own: without -H",
            )),
        }
    }

    /// Rates of requests are the only ones, and all of them have one.
    pub(super) fn check_rates(&self, requests: &[Request], with_rate: usize) -> Result<()> {
        let message = if with_rate < requests.len() {
            "a rate for each request, or for none"
        } else if requests.iter().any(|request| request.weight.is_some()) {
            "a request has a rate or a weight"
        } else if self.rate.is_some() || !self.steps.is_empty() || self.find_max.is_some() {
            "requests have rates of their own: without -R, --steps and --find-max"
        } else if matches!(self.draw, DrawArg::Random) {
            "requests have rates of their own: without --draw random"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!("--requests: {message}")))
    }

    /// Rows that are used once are enough for all requests of one run to one host.
    pub(super) fn check_rows(&self, spec: &Spec) -> Result<()> {
        let Some(rows) = spec.rows_last_for() else {
            return Ok(());
        };
        let message = if self.warmup > 0 || !self.steps.is_empty() || self.find_max.is_some() {
            "one run, without --warmup, --steps and --find-max".into()
        } else if spec.hosts() > 1 {
            "one host".into()
        } else {
            match self.requests_count {
                Some(asked) if asked > rows => format!("{rows} rows, but -n {asked}"),
                _ => return Ok(()),
            }
        };
        Err(Error::usage(format!("--rows unique: {message}")))
    }

    /// A threshold on a rate needs one, and one on streams needs streams.
    pub(super) fn check_thresholds(&self, scheme: &str, rate: Option<f64>) -> Result<()> {
        let is_grpc = matches!(scheme, "grpc" | "grpcs");
        for threshold in &self.thresholds.fail_if {
            let lacks = if threshold.needs_a_rate() && rate.is_none() {
                "-R"
            } else if threshold.needs_streams() && self.stream.is_none() {
                "--stream"
            } else if threshold.needs_messages() && !is_grpc {
                "grpc:// and grpcs://"
            } else {
                continue;
            };
            let message = format!("--fail-if '{}': only with {lacks}", threshold.text());
            return Err(Error::usage(message));
        }
        Ok(())
    }
}
