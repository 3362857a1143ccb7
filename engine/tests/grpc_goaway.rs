//! gRPC load against servers that say GOAWAY: what they have not taken is sent again.

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/scripted.rs"]
mod scripted;
mod support;

use deadheat_load::error::Kind;
use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::run_control::RunControl;
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::protocol::h2::frame;
use deadheat_load::target::{self, Spec};
use greeter::{ask, load, spec};
use scripted::{converse, right, scripted_server};
use std::net::SocketAddr;

#[test]
fn goaway_in_the_middle() {
    // The third call of each connection is the last one taken; the fourth was sent in vain.
    let address = scripted_server(&[], |_, call, stream| match call {
        1 | 2 => right(stream),
        3 => {
            let mut bytes = Vec::new();
            let text = [&stream.to_be_bytes()[..], &[0; 4], b"bye"].concat();
            frame::push(frame::GOAWAY, 0, 0, &text, &mut bytes);
            [bytes, right(stream)].concat()
        }
        _ => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
    });
    let one = Spec {
        connections: 1,
        ..spec(
            address,
            CallSpec {
                depth: Some(1),
                ..ask()
            },
        )
    };
    let slice = load(&one, 30);
    // One at a time nothing is lost: the connection is replaced.
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error),
        (30, None)
    );
    assert_eq!(slice.counts.reconnects, 10);

    let address = scripted_server(&[], |_, call, _| match call {
        1 => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
        2 => {
            let mut bytes = Vec::new();
            frame::push(frame::GOAWAY, 0, 0, b"\0\0\0\x01\0\0\0\x0bslow", &mut bytes);
            [bytes, right(1)].concat()
        }
        _ => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
    });
    let two = Spec {
        connections: 1,
        ..spec(
            address,
            CallSpec {
                depth: Some(2),
                ..ask()
            },
        )
    };
    let slice = load(&two, 2);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.protocol),
        (1, 1)
    );
    assert_eq!(
        slice.counts.first_error.unwrap(),
        "GOAWAY: ENHANCE_YOUR_CALM slow: the request was not taken"
    );
}

/// All is well, but nothing beyond the stream `last` is taken.
fn goaway(last: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let text = [last.to_be_bytes(), [0; 4]].concat();
    frame::push(frame::GOAWAY, 0, 0, &text, &mut bytes);
    bytes
}

/// One connection with two calls in flight.
fn two_at_once(address: SocketAddr, timeout_ms: u64) -> Spec {
    let streams = Some(2);
    Spec {
        connections: 1,
        timeout_ms,
        ..spec(
            address,
            CallSpec {
                depth: streams,
                ..ask()
            },
        )
    }
}

/// The pauses between connections of no use double from 1 ms to 128 ms: how many there can be.
fn most_reconnects(slice: &RunResult) -> u64 {
    9 + (slice.drained_ns - slice.started_ns) / 128_000_000
}

#[test]
fn goaway_that_leaves_requests_to_another_connection() {
    // Each connection takes the first of two; the tenth has only one.
    let calls = support::Counter::default();
    let counter = calls.clone();
    let address = scripted_server(&[], move |connection, call, stream| {
        counter.next();
        match (connection, call) {
            (0..=8, 1) => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
            (0..=8, _) => [goaway(1), right(1)].concat(),
            _ => right(stream),
        }
    });
    let slice = load(&two_at_once(address, 10_000), 10);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error.clone()),
        (10, None)
    );
    assert_eq!((slice.counts.reconnects, calls.get()), (9, 19));
}

#[test]
fn a_server_that_says_goaway_for_ever_is_no_spin_and_no_call_is_forgotten() {
    // To every call.
    let address = scripted_server(&[], move |_, _, _| goaway(0));
    let slice = load(&two_at_once(address, 200), 2);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.timeout),
        (0, 2)
    );
    assert_eq!(slice.counts.errors.total(), 2);
    assert!(
        slice.counts.reconnects <= most_reconnects(&slice),
        "{slice:?}"
    );

    // Before any, but for the first connection.
    let address = support::server(|stream, connection| {
        let mut first = Vec::new();
        frame::push_settings(&[], &mut first);
        if connection > 0 {
            first.extend(goaway(0));
        }
        converse(stream, &first, |call, _| match call {
            1 => b"\0\0\0\x77\0\0\0\0\0".to_vec(),
            _ => [goaway(1), right(1)].concat(),
        });
    });
    let spec = two_at_once(address, 200);
    let mut target = target::open(&spec).expect("it opens");
    let turn = RunSpec {
        counted_ms: 300,
        ..greeter::turn("7f3a", 10)
    };
    let slice = target.run(&turn, &RunControl::default()).expect("it runs");
    // The second call waits for a connection that takes it, in vain; no other finds one.
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.timeout),
        (1, 1)
    );
    assert_eq!(slice.counts.errors.total(), 1);
    assert!(
        slice.counts.reconnects <= most_reconnects(&slice),
        "{slice:?}"
    );

    // From the beginning: it is not opened at all.
    let address = support::server(|stream, _| {
        let mut first = Vec::new();
        frame::push_settings(&[], &mut first);
        converse(stream, &[first, goaway(0)].concat(), |_, _| Vec::new());
    });
    let Err(error) = target::open(&two_at_once(address, 5_000)) else {
        panic!("it opened");
    };
    assert_eq!(error.kind, Kind::Gone, "{}", error.message);
}
