//! gRPC load on the greeter, for tests.

#![allow(dead_code, reason = "each test binary uses its own part")]

use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::run_control::RunControl;
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::target::{self, Spec};
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;

pub fn contract() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../suite/grpc-unary/greeter.proto")
}

/// The same with streams of names.
pub fn streams() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/greeter.proto")
}

pub fn ask() -> CallSpec {
    CallSpec {
        proto: Some(contract()),
        call: "greeter.Greeter/SayHello".into(),
        data: json!({"name": "{token}"}),
        expect: Some(json!({"message": "Hello from {token}!"})),
        depth: Some(7),
        ..CallSpec::default()
    }
}

pub fn spec(address: SocketAddr, ask: CallSpec) -> Spec {
    Spec {
        connections: 3,
        ..Spec::grpc(&format!("grpc://{address}"), ask)
    }
}

pub fn turn(token: &str, requests: u64) -> RunSpec {
    RunSpec {
        token: token.into(),
        counted_ms: 60_000,
        requests: Some(requests),
        ..RunSpec::default()
    }
}

pub fn load(spec: &Spec, requests: u64) -> RunResult {
    let mut target = target::open(spec).expect("it opens");
    let turn = turn("7f3a", requests);
    target.run(&turn, &RunControl::default()).expect("it runs")
}
