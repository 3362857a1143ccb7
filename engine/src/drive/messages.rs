//! The JSON objects of docs/engine-protocol.md, both ways.

use crate::error::{Error, Kind, Result};
use crate::load::run::RunResult;
use crate::net::tls::Trust;
use crate::protocol::http::mix::Draw;
use crate::protocol::http::{Expect, Request};
use crate::target::Spec;
use crate::template::Body;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "lowercase", deny_unknown_fields)]
pub enum Command {
    Open(Open),
    Turn(TurnFields),
    Histogram {
        target: String,
        #[serde(default)]
        reset: bool,
    },
    Close {
        target: String,
    },
    Quit,
}

#[derive(Deserialize)]
pub struct Open {
    pub target: String,
    pub url: String,
    pub connections: usize,
    pub timeout_ms: u64,
    /// `off` (the default), `auto` or a time such as `200us`.
    pub coalesce: Option<String>,
    /// Event loops that share the connections out, a thread each; 1 if not said.
    pub threads: Option<usize>,
    /// The address may be anyone's.
    #[serde(default)]
    pub remote: bool,
    /// Any certificate will do.
    #[serde(default)]
    pub insecure: bool,
    /// The authorities to trust, PEM; the public ones if not said.
    pub cacert: Option<PathBuf>,
    /// The network namespace that the host is one of; this process's own if not said.
    pub network: Option<PathBuf>,
    /// [`HttpFields`], [`crate::protocol::redis::CommandSpec`] and so on, as the URL says.
    #[serde(flatten)]
    pub protocol: Fields,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpFields {
    #[serde(default)]
    pub request: RequestFields,
    #[serde(default)]
    pub expect: ExpectFields,
    #[serde(default)]
    http2: bool,
    /// Requests in flight on each connection, over HTTP/2.
    #[serde(default, rename = "streams")]
    pub depth: Option<u32>,
    /// Requests in flight on each connection, over HTTP/1.1.
    pipeline: Option<u32>,
    /// Instead of `request` and `expect`: pairs of requests and what they expect.
    #[serde(default)]
    requests: Vec<Request>,
    /// How they are drawn.
    #[serde(default)]
    draw: Draw,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RequestFields {
    pub method: Option<String>,
    pub path: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<Body>,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ExpectFields {
    pub status: Option<u16>,
    pub body: Option<Body>,
}

impl Open {
    /// Whom to trust over TLS.
    ///
    /// # Errors
    /// Anyone, and some alone.
    pub fn trust(&self) -> Result<Trust> {
        match (self.insecure, &self.cacert) {
            (true, Some(_)) => Err(Error::usage("open: insecure or cacert, not both")),
            (true, None) => Ok(Trust::Anyone),
            (false, Some(path)) => Ok(Trust::File(path.clone())),
            (false, None) => Ok(Trust::Public),
        }
    }
}

pub type Fields = serde_json::Map<String, serde_json::Value>;

#[derive(Deserialize)]
pub struct TurnFields {
    pub target: String,
    /// A [`crate::load::run::RunSpec`], read apart because serde finds no unknown fields through `flatten`.
    #[serde(flatten)]
    pub turn: Fields,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    Opened {
        target: String,
        connections: usize,
    },
    Slice {
        target: String,
        token: String,
        #[serde(flatten)]
        slice: Box<RunResult>,
    },
    Histogram {
        target: String,
        count: u64,
        unit: &'static str,
        hdr: String,
        /// From the sending of each request; only after open-loop turns.
        #[serde(skip_serializing_if = "Option::is_none")]
        service_hdr: Option<String>,
        /// Of a mix whose requests have names.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        by_request: Vec<OfRequest>,
    },
    Closed {
        target: String,
    },
    Error {
        target: Option<String>,
        kind: Kind,
        message: String,
    },
}

/// What the requests of one name have counted since the last reset.
#[derive(Serialize)]
pub struct OfRequest {
    pub name: String,
    pub replies: u64,
    pub errors: u64,
    pub latency_sum_ns: u64,
    pub latency_max_ns: u64,
    pub hdr: String,
}

/// The target of an `open` for HTTP; `path` is the URL's.
///
/// # Errors
/// What is asked for does not go together.
pub fn http(url: &str, path: String, fields: HttpFields) -> Result<Spec> {
    if fields.depth.is_some() && !fields.http2 {
        return Err(Error::usage("open: streams need http2"));
    }
    if fields.pipeline.is_some() && fields.http2 {
        return Err(Error::usage("open: http2 has streams, no pipeline"));
    }
    let depth = fields.depth.or(fields.pipeline).unwrap_or(1);
    if !fields.requests.is_empty() {
        if fields.request != RequestFields::default() || fields.expect != ExpectFields::default() {
            let message = "open: requests bring their own expect, and go without request";
            return Err(Error::usage(message));
        }
        if fields.requests.iter().any(|request| request.rate.is_some()) {
            return Err(Error::usage("open: a rate is the turn's"));
        }
        return Ok(Spec {
            http2: fields.http2,
            depth,
            apart: fields.requests.iter().any(|request| request.name.is_some()),
            requests: fields.requests,
            draw: fields.draw,
            ..Spec::new(url, Request::get("/"))
        });
    }
    let request = Request {
        method: fields.request.method.unwrap_or_else(|| "GET".into()),
        path: fields.request.path.unwrap_or(path),
        headers: fields.request.headers,
        body: fields.request.body,
        expect: Expect {
            status: fields.expect.status.map(Into::into),
            body: fields.expect.body,
            ..Expect::default()
        },
        ..Request::get("/")
    };
    Ok(Spec {
        http2: fields.http2,
        depth,
        ..Spec::new(url, request)
    })
}
