//! The contract of a gRPC server, from the server, before any load.

use super::open::open_with;
use super::spec::Spec;
use crate::address::Url;
use crate::error::{Error, Kind, Result};
use crate::load::coalesce::Coalesce;
use crate::load::run::RunSpec;
use crate::load::run_control::RunControl;
use crate::protocol::grpc::lookup::{client, Told};
use crate::protocol::grpc::reflection::{self, SERVICES};
use crate::protocol::grpc::CallSpec;
use prost_reflect::DescriptorPool;

/// Asks the server for the contract, over a connection of its own.
///
/// # Errors
/// Nobody is there, the server has no reflection, or no such service.
pub fn contract(spec: &Spec, url: &Url) -> Result<DescriptorPool> {
    let mut unsupported = None;
    for service in SERVICES {
        match asked(service, spec, url) {
            Err(error) if error.kind == Kind::Unsupported => unsupported = Some(error),
            done => return done,
        }
    }
    let why = unsupported.map_or_else(String::new, |error| error.message);
    Err(Error::usage(format!(
        "gRPC: --proto or --protoset is needed: the server has no reflection ({why})"
    )))
}

fn asked(service: &str, spec: &Spec, url: &Url) -> Result<DescriptorPool> {
    let told = Told::default();
    let is_tls = url.scheme == "grpcs";
    let protocol = client(service, &spec.grpc, is_tls, &url.authority(), told.clone());
    let one = Spec {
        connections: 1,
        threads: 1,
        depth: 1,
        apart: false,
        coalesce: Coalesce::Off,
        grpc: CallSpec::default(),
        ..spec.clone()
    };
    let mut target = open_with(&one, url, &protocol, b"h2")?;
    let run = RunSpec {
        counted_ms: spec.timeout_ms,
        requests: Some(1),
        ..RunSpec::default()
    };
    let (name, _) = spec.grpc.service_and_method()?;
    reflection::contract(name, |question| {
        told.ask(question);
        let gone = |why: &str| Error::new(Kind::Gone, format!("the server's reflection: {why}"));
        let result = target.run(&run, &RunControl::default());
        let result = result.map_err(|error| gone(&error.to_string()))?;
        match told.answer() {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) if error.kind == Kind::Unsupported => Err(error),
            Some(Err(error)) => Err(gone(&error.message)),
            None => Err(gone(
                result.counts.first_error.as_deref().unwrap_or("no answer"),
            )),
        }
    })
}
