//! gRPC load on the greeter, for tests.

#![allow(dead_code, reason = "each test binary uses its own part")]

use deadheat_load::load::control::Control;
use deadheat_load::load::turn::{Slice, Turn};
use deadheat_load::protocol::grpc::Ask;
use deadheat_load::target::{self, Spec};
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;

pub fn contract() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../suite/grpc-unary/greeter.proto")
}

pub fn ask() -> Ask {
    Ask {
        proto: Some(contract()),
        call: "greeter.Greeter/SayHello".into(),
        data: json!({"name": "{token}"}),
        expect: Some(json!({"message": "Hello from {token}!"})),
        streams: Some(7),
        ..Ask::default()
    }
}

pub fn spec(address: SocketAddr, ask: Ask) -> Spec {
    Spec {
        connections: 3,
        ..Spec::grpc(&format!("grpc://{address}"), ask)
    }
}

pub fn turn(token: &str, requests: u64) -> Turn {
    Turn {
        token: token.into(),
        counted_ms: 60_000,
        requests: Some(requests),
        ..Turn::default()
    }
}

pub fn load(spec: &Spec, requests: u64) -> Slice {
    let mut target = target::open(spec).expect("it opens");
    let turn = turn("7f3a", requests);
    target.turn(&turn, &Control::default()).expect("it runs")
}
