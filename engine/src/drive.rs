//! The referee's side: JSON lines in, JSON lines out, as docs/engine-protocol.md says.

use crate::address::Url;
use crate::error::{Error, Kind, Result};
use crate::load::coalesce::Coalesce;
use crate::load::control::Control;
use crate::load::turn::{Slice, Turn};
use crate::protocol::http1::{Expect, Request};
use crate::target::{self, Spec, Target};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

#[derive(Deserialize)]
#[serde(tag = "cmd", rename_all = "lowercase", deny_unknown_fields)]
enum Command {
    Open(Open),
    Turn(TurnOf),
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
struct Open {
    target: String,
    url: String,
    connections: usize,
    timeout_ms: u64,
    /// `off` (the default), `auto` or a time such as `200us`.
    coalesce: Option<String>,
    /// Event loops that share the connections out, a thread each; 1 if not said.
    threads: Option<usize>,
    /// [`HttpFields`], [`crate::protocol::redis::Ask`] and so on, as the URL says.
    #[serde(flatten)]
    ask: Fields,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpFields {
    #[serde(default)]
    request: RequestFields,
    #[serde(default)]
    expect: ExpectFields,
    #[serde(default)]
    http2: bool,
    /// Requests in flight on each connection, over HTTP/2.
    #[serde(default)]
    streams: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RequestFields {
    method: Option<String>,
    path: Option<String>,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ExpectFields {
    status: Option<u16>,
    body: Option<String>,
}

type Fields = serde_json::Map<String, serde_json::Value>;

#[derive(Deserialize)]
struct TurnOf {
    target: String,
    /// A [`Turn`], read apart because serde finds no unknown fields through `flatten`.
    #[serde(flatten)]
    turn: Fields,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Opened {
        target: String,
        connections: usize,
    },
    Slice {
        target: String,
        token: String,
        #[serde(flatten)]
        slice: Box<Slice>,
    },
    Histogram {
        target: String,
        count: u64,
        unit: &'static str,
        hdr: String,
        /// From the sending of each request; only after open-loop turns.
        #[serde(skip_serializing_if = "Option::is_none")]
        service_hdr: Option<String>,
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

/// More is no rate that a schedule in nanoseconds could keep.
const MOST_RPS: f64 = 1e8;

/// Obeys commands from `input` until it ends or says `quit`.
///
/// # Errors
/// Only if `input` cannot be read or `output` cannot be written.
pub fn run(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    crate::clock::exact_timers();
    let mut targets = Targets::default();
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let event = match serde_json::from_str(&line) {
            Ok(Command::Quit) => break,
            Ok(command) => targets.obey(command),
            Err(error) => Event::Error {
                target: target_of(&line),
                kind: Kind::Usage,
                message: error.to_string(),
            },
        };
        serde_json::to_writer(&mut output, &event)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

/// The target that a command names, even one that is wrong otherwise.
fn target_of(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value.get("target")?.as_str()?.to_owned())
}

#[derive(Default)]
struct Targets(HashMap<String, Box<dyn Target>>);

impl Targets {
    fn obey(&mut self, command: Command) -> Event {
        let (target, result) = match command {
            Command::Open(open) => (open.target.clone(), self.open(open)),
            Command::Turn(TurnOf { target, turn }) => (target.clone(), self.turn(target, turn)),
            Command::Histogram { target, reset } => (target.clone(), self.histogram(target, reset)),
            Command::Close { target } => (target.clone(), self.close(target)),
            Command::Quit => unreachable!("quit ends the loop before"),
        };
        result.unwrap_or_else(|error| Event::Error {
            target: Some(target),
            kind: error.kind,
            message: error.message,
        })
    }

    fn open(&mut self, open: Open) -> Result<Event> {
        if self.0.contains_key(&open.target) {
            return Err(Error::usage(format!("{} is open already", open.target)));
        }
        let url = Url::parse(&open.url)?;
        let spec = match url.scheme.as_str() {
            "grpc" | "grpcs" => Spec::grpc(&open.url, fields(open.ask)?),
            "redis" | "rediss" => Spec::redis(&open.url, fields(open.ask)?),
            _ => http(&open.url, url.path, fields(open.ask)?)?,
        };
        let spec = Spec {
            connections: open.connections,
            timeout_ms: open.timeout_ms,
            threads: open.threads.unwrap_or(1),
            coalesce: open
                .coalesce
                .map_or(Ok(Coalesce::Off), |text| text.parse())
                .map_err(Error::usage)?,
            ..spec
        };
        self.0.insert(open.target.clone(), target::open(&spec)?);
        Ok(Event::Opened {
            target: open.target,
            connections: open.connections,
        })
    }

    fn turn(&mut self, target: String, turn: Fields) -> Result<Event> {
        let turn: Turn = serde_json::from_value(turn.into())
            .map_err(|error| Error::usage(format!("turn: {error}")))?;
        if turn.counted_ms == 0 {
            return Err(Error::usage("counted_ms has to be above 0"));
        }
        if turn
            .rate
            .is_some_and(|rate| !(rate > 0.0 && rate <= MOST_RPS))
        {
            return Err(Error::usage(format!(
                "a rate is above 0 and at most {MOST_RPS}"
            )));
        }
        let slice = self
            .named(&target)?
            .turn(&turn, &Control::default())
            .map_err(|error| Error::new(Kind::Gone, format!("cannot wait: {error}")))?;
        Ok(Event::Slice {
            target,
            token: turn.token.clone(),
            slice: Box::new(slice),
        })
    }

    fn histogram(&mut self, target: String, reset: bool) -> Result<Event> {
        let open = self.named(&target)?;
        let (count, hdr) = (open.latencies().count(), open.latencies().encoded());
        let service_hdr = (open.service().count() > 0).then(|| open.service().encoded());
        if reset {
            open.latencies().reset();
            open.service().reset();
        }
        Ok(Event::Histogram {
            target,
            count,
            unit: "ns",
            hdr,
            service_hdr,
        })
    }

    fn close(&mut self, target: String) -> Result<Event> {
        self.named(&target)?;
        self.0.remove(&target);
        Ok(Event::Closed { target })
    }

    fn named(&mut self, target: &str) -> Result<&mut Box<dyn Target>> {
        self.0
            .get_mut(target)
            .ok_or_else(|| Error::usage(format!("no target {target:?} is open")))
    }
}

fn fields<T: DeserializeOwned>(fields: Fields) -> Result<T> {
    serde_json::from_value(fields.into()).map_err(|error| Error::usage(format!("open: {error}")))
}

fn http(url: &str, path: String, fields: HttpFields) -> Result<Spec> {
    if fields.streams.is_some() && !fields.http2 {
        return Err(Error::usage("open: streams need http2"));
    }
    let request = Request {
        method: fields.request.method.unwrap_or_else(|| "GET".into()),
        path: fields.request.path.unwrap_or(path),
        headers: fields.request.headers,
        body: fields.request.body,
        expect: Expect {
            status: fields.expect.status,
            body: fields.expect.body,
            success: false,
        },
        weight: None,
    };
    Ok(Spec {
        http2: fields.http2,
        pipeline: fields.streams.unwrap_or(1),
        ..Spec::new(url, request)
    })
}
