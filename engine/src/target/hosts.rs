//! A run on several hosts: a target for each, with its share of connections, requests and rate.
//! They share nothing while they run; what they counted is added up at the end.

use super::opened::Target;
use super::pool::TIME_TO_START_NS;
use super::spec::Spec;
use crate::clock;
use crate::error::{Error, Result};
use crate::load::groups::Groups;
use crate::load::run::{RunResult, RunSpec};
use crate::load::run_control::RunControl;
use crate::protocol::http::Request;
use std::io;

impl Spec {
    /// The hosts of its requests, in the order of their first ones; `None` is the URL's.
    fn origins(&self) -> Vec<Option<&str>> {
        let mut origins = Vec::new();
        for request in &self.requests {
            let origin = request.origin.as_deref();
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        origins
    }

    /// How many hosts it loads.
    pub fn hosts(&self) -> usize {
        self.origins().len().max(1)
    }

    /// A target for each of its hosts.
    ///
    /// # Errors
    /// There are too few connections.
    pub(super) fn by_host(&self) -> Result<Vec<Self>> {
        let origins = self.origins();
        let hosts = origins.len();
        if self.connections < hosts * self.threads {
            let (threads, connections) = (self.threads, self.connections);
            return Err(Error::usage(format!(
                "-c {connections}: {hosts} hosts and {threads} threads for each need {} connections at least",
                hosts * threads
            )));
        }
        let names = Groups::names(&self.labels());
        let of = |(place, origin): (usize, Option<&str>)| {
            let requests = self.requests.iter();
            let own = requests.filter(|request| request.origin.as_deref() == origin);
            Self {
                url: origin.unwrap_or(&self.url).to_owned(),
                connections: self.connections / hosts
                    + usize::from(place < self.connections % hosts),
                requests: own
                    .map(|request| Request {
                        origin: None,
                        ..request.clone()
                    })
                    .collect(),
                groups: Some(names.clone()),
                ..self.clone()
            }
        };
        Ok(origins.into_iter().enumerate().map(of).collect())
    }
}

/// One of the hosts.
pub struct Host {
    target: Box<dyn Target>,
    /// Its part of all requests: from here to there, of 0 to 1.
    part: (f64, f64),
    /// Number of its first worker.
    worker: u64,
    /// By the place of each of its assertions: the place among those of the run.
    assertions: Vec<usize>,
}

pub struct Hosts(Vec<Host>);

impl Hosts {
    /// Opens each part of `spec`, one after the other.
    ///
    /// # Errors
    /// Those of `open`.
    pub fn open(spec: &Spec, open: impl Fn(&Spec) -> Result<Box<dyn Target>>) -> Result<Self> {
        let parts = spec.by_host()?;
        let all: f64 = spec.requests.iter().map(Request::share).sum();
        let names = spec.assertions();
        let mut from = 0.0;
        let mut hosts = Vec::new();
        for part in &parts {
            let share: f64 = part.requests.iter().map(Request::share).sum();
            let place = |name: String| names.iter().position(|other| *other == name);
            let to = from + share / all;
            hosts.push(Host {
                target: open(part)?,
                part: (from, to),
                worker: (hosts.len() * spec.threads) as u64,
                assertions: part.assertions().into_iter().filter_map(place).collect(),
            });
            from = to;
        }
        Ok(Self(hosts))
    }
}

impl Host {
    /// What is asked of this one.
    fn share(&self, spec: &RunSpec) -> RunSpec {
        let (from, to) = self.part;
        // The parts meet, so none of the requests is left out and none is sent twice.
        let until = |all: u64, part: f64| (all as f64 * part).round() as u64;
        RunSpec {
            rate: spec.rate.map(|rate| rate * (to - from)),
            requests: spec.requests.map(|all| until(all, to) - until(all, from)),
            seed: spec.seed.map(|seed| seed.wrapping_add(self.worker)),
            worker: spec.worker + self.worker,
            ..spec.clone()
        }
    }

    /// The same result, with its assertions in the places that they have in the run.
    fn placed(&self, mut result: RunResult) -> RunResult {
        let length = self.assertions.iter().max().map_or(0, |last| last + 1);
        let mut failures = vec![0; length];
        for (failed, &place) in result.counts.assertions.iter().zip(&self.assertions) {
            failures[place] = *failed;
        }
        result.counts.assertions = failures;
        result
    }
}

impl Target for Hosts {
    fn run(&mut self, spec: &RunSpec, control: &RunControl) -> io::Result<RunResult> {
        let started_ns = clock::now_ns() + TIME_TO_START_NS;
        let results: Vec<io::Result<RunResult>> = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .0
                .iter_mut()
                .map(|host| {
                    let share = RunSpec {
                        started_ns: Some(started_ns),
                        ..host.share(spec)
                    };
                    scope.spawn(move || {
                        clock::sleep_until(started_ns);
                        let result = host.target.run(&share, control)?;
                        Ok(host.placed(result))
                    })
                })
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined
                .map(|result| result.expect("a panic ends the program"))
                .collect()
        });
        let mut results = results
            .into_iter()
            .collect::<io::Result<Vec<RunResult>>>()?;
        let mut sum = results.remove(0);
        results.iter().for_each(|result| sum.merge(result));
        Ok(sum)
    }

    fn io(&self) -> &'static str {
        self.0[0].target.io()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(origin: Option<&str>, path: &str, weight: Option<f64>) -> Request {
        Request {
            origin: origin.map(str::to_owned),
            weight,
            ..Request::get(path)
        }
    }

    fn mixed() -> Spec {
        let other = Some("http://b:1");
        Spec {
            requests: vec![
                to(other, "/1", Some(3.0)),
                to(None, "/2", None),
                to(other, "/3", None),
            ],
            connections: 5,
            apart: true,
            ..Spec::new("http://a:1/", Request::get("/"))
        }
    }

    #[test]
    fn each_host_has_its_requests_and_its_share_of_connections() {
        let parts = mixed().by_host().unwrap();
        let told: Vec<(&str, usize, Vec<&str>)> = parts
            .iter()
            .map(|part| {
                let paths = part.requests.iter().map(|request| request.path.as_str());
                (part.url.as_str(), part.connections, paths.collect())
            })
            .collect();
        let expected = [
            ("http://b:1", 3, vec!["/1", "/3"]),
            ("http://a:1/", 2, vec!["/2"]),
        ];
        assert_eq!(told, expected);
        assert!(parts
            .iter()
            .all(|part| part.groups.as_ref().is_some_and(|names| names.len() == 3)));
        let few = Spec {
            threads: 3,
            ..mixed()
        };
        assert!(few.by_host().is_err());
    }

    /// Asked for nothing.
    struct Idle;

    impl Target for Idle {
        fn run(&mut self, _: &RunSpec, _: &RunControl) -> io::Result<RunResult> {
            Err(io::ErrorKind::Other.into())
        }

        fn io(&self) -> &'static str {
            "none"
        }
    }

    #[test]
    fn rates_and_counts_are_shared_out_whole() {
        let hosts = Hosts::open(&mixed(), |_| Ok(Box::new(Idle) as Box<dyn Target>)).unwrap();
        for all in [0, 1, 2, 7, 100, 101] {
            let spec = RunSpec {
                requests: Some(all),
                rate: Some(500.0),
                ..RunSpec::default()
            };
            let shares: Vec<RunSpec> = hosts.0.iter().map(|host| host.share(&spec)).collect();
            let sum: u64 = shares.iter().filter_map(|share| share.requests).sum();
            assert_eq!(sum, all);
            assert_eq!(shares[0].rate, Some(400.0));
            assert!((shares[1].rate.unwrap() - 100.0).abs() < 1e-6);
            assert_ne!(shares[0].draw_seed(), shares[1].draw_seed());
        }
    }
}
