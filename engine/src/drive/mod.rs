//! The referee's side: JSON lines in, JSON lines out, as docs/engine-protocol.md says.

mod messages;

use self::messages::{http, Command, Event, Fields, OfRequest, Open, TurnFields};
use crate::address::Url;
use crate::clock;
use crate::error::{Error, Kind, Result};
use crate::histogram::Latencies;
use crate::load::coalesce::Coalesce;
use crate::load::groups::{GroupCounts, Groups};
use crate::load::run::{RunResult, RunSpec};
use crate::load::run_control::RunControl;
use crate::net::tls::TlsSpec;
use crate::protocol::http::Request;
use crate::target::{self, Spec, Target};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// More is no rate that a schedule in nanoseconds could keep.
const MOST_RPS: f64 = 1e8;
/// Further ahead is a clock misread.
const MOST_AHEAD_NS: u64 = 60_000_000_000;

/// Obeys commands from `input` until it ends or says `quit`.
///
/// # Errors
/// Only if `input` cannot be read or `output` cannot be written.
pub fn run(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    clock::exact_timers();
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

/// A target that is open, and the latencies of its runs since they were last asked for and
/// reset.
struct OpenTarget {
    target: Box<dyn Target>,
    /// Of HTTP.
    requests: Vec<Request>,
    latencies: Latencies,
    service: Latencies,
    /// Where requests have names: these, and what each has counted.
    names: Vec<String>,
    groups: Vec<GroupCounts>,
}

impl OpenTarget {
    fn new(target: Box<dyn Target>, spec: Spec) -> Self {
        let names = Groups::names(&spec.labels());
        Self {
            target,
            requests: spec.requests,
            latencies: Latencies::default(),
            service: Latencies::default(),
            groups: vec![GroupCounts::default(); names.len()],
            names,
        }
    }

    fn run(&mut self, spec: &RunSpec) -> io::Result<RunResult> {
        let result = self.target.run(spec, &RunControl::default())?;
        self.latencies.merge(&result.latencies);
        if let Some(service) = &result.service {
            self.service.merge(service);
        }
        for (sum, counts) in self.groups.iter_mut().zip(&result.groups) {
            sum.add(counts);
        }
        Ok(result)
    }

    fn by_request(&self) -> Vec<OfRequest> {
        let each = self.names.iter().zip(&self.groups);
        each.map(|(name, counts)| OfRequest {
            name: name.clone(),
            replies: counts.replies,
            errors: counts.errors.total(),
            latency_sum_ns: counts.latency_sum_ns,
            latency_max_ns: counts.latency_max_ns,
            hdr: counts.latencies.encoded(),
        })
        .collect()
    }

    fn reset(&mut self) {
        self.latencies.reset();
        self.service.reset();
        self.groups.fill(GroupCounts::default());
    }
}

#[derive(Default)]
struct Targets(HashMap<String, OpenTarget>);

impl Targets {
    fn obey(&mut self, command: Command) -> Event {
        let (target, result) = match command {
            Command::Open(open) => (open.target.clone(), self.open(open)),
            Command::Turn(TurnFields { target, turn }) => (target.clone(), self.turn(target, turn)),
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
        let tls = TlsSpec {
            trust: open.trust()?,
            ..TlsSpec::default()
        };
        let spec = match url.scheme.as_str() {
            "grpc" | "grpcs" => Spec::grpc(&open.url, fields(open.protocol)?),
            "redis" | "rediss" => Spec::redis(&open.url, fields(open.protocol)?),
            "ws" | "wss" => {
                let message = "WebSocket is for runs by hand, not for drive";
                return Err(Error::new(Kind::Unsupported, message));
            }
            _ => http(&open.url, url.path, fields(open.protocol)?)?,
        };
        let spec = Spec {
            connections: open.connections,
            timeout_ms: open.timeout_ms,
            threads: open.threads.unwrap_or(1),
            remote: open.remote,
            network: open.network,
            tls,
            coalesce: open
                .coalesce
                .map_or(Ok(Coalesce::Off), |text| text.parse())
                .map_err(Error::usage)?,
            ..spec
        };
        let opened = OpenTarget::new(target::open(&spec)?, spec);
        self.0.insert(open.target.clone(), opened);
        Ok(Event::Opened {
            target: open.target,
            connections: open.connections,
        })
    }

    fn turn(&mut self, target: String, turn: Fields) -> Result<Event> {
        let spec: RunSpec = serde_json::from_value(turn.into())
            .map_err(|error| Error::usage(format!("turn: {error}")))?;
        if spec.counted_ms == 0 {
            return Err(Error::usage("counted_ms has to be above 0"));
        }
        let is_rate = |rate: f64| rate > 0.0 && rate <= MOST_RPS;
        if spec.rate.is_some_and(|rate| !is_rate(rate)) {
            return Err(Error::usage(format!(
                "a rate is above 0 and at most {MOST_RPS}"
            )));
        }
        let opened = self.named(&target)?;
        let mut requests = opened.requests.iter();
        requests.try_for_each(|request| request.check_token(&spec.token))?;
        if let Some(at_ns) = spec.at_ns {
            if at_ns.saturating_sub(clock::now_ns()) > MOST_AHEAD_NS {
                return Err(Error::usage("at_ns is more than a minute ahead"));
            }
            clock::sleep_until(at_ns);
        }
        let result = opened
            .run(&spec)
            .map_err(|error| Error::new(Kind::Gone, format!("cannot wait: {error}")))?;
        Ok(Event::Slice {
            target,
            token: spec.token,
            slice: Box::new(result),
        })
    }

    fn histogram(&mut self, target: String, reset: bool) -> Result<Event> {
        let opened = self.named(&target)?;
        let OpenTarget {
            latencies, service, ..
        } = opened;
        let event = Event::Histogram {
            target,
            count: latencies.count(),
            unit: "ns",
            hdr: latencies.encoded(),
            service_hdr: (service.count() > 0).then(|| service.encoded()),
            by_request: opened.by_request(),
        };
        if reset {
            opened.reset();
        }
        Ok(event)
    }

    fn close(&mut self, target: String) -> Result<Event> {
        self.named(&target)?;
        self.0.remove(&target);
        Ok(Event::Closed { target })
    }

    fn named(&mut self, target: &str) -> Result<&mut OpenTarget> {
        self.0
            .get_mut(target)
            .ok_or_else(|| Error::usage(format!("no target {target:?} is open")))
    }
}

fn fields<T: DeserializeOwned>(fields: Fields) -> Result<T> {
    serde_json::from_value(fields.into()).map_err(|error| Error::usage(format!("open: {error}")))
}
