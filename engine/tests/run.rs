//! Slices against real sockets: every number must be the server's own count.

mod support;

use deadheat_load::load::counts::Errors;
use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::run_control::RunControl;
use deadheat_load::target::{self, Spec};
use std::net::Shutdown;
use support::{hello, read_request, send, server, spec, Counter};

fn turn(counted_ms: u64) -> RunSpec {
    RunSpec {
        token: "7f3a9c".into(),
        lead_in_ms: 10,
        counted_ms,
        ..RunSpec::default()
    }
}

fn run(spec: &Spec) -> RunResult {
    let mut target = target::open(spec).expect("the server listens");
    target
        .run(&turn(60), &RunControl::default())
        .expect("polling works")
}

fn answered(slice: &RunResult) -> u64 {
    slice.counts.replies_all + slice.counts.errors.status + slice.counts.errors.body
}

#[test]
fn counts_agree_with_the_servers_own() {
    let count = Counter::default();
    let counter = count.clone();
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            counter.next();
            send(&mut stream, &hello(&path));
        }
    });
    let mut target = target::open(&spec(address, 4)).expect("open");
    let slices: Vec<RunResult> = (0..3)
        .map(|_| target.run(&turn(40), &RunControl::default()).expect("turn"))
        .collect();
    let replies: u64 = slices.iter().map(|slice| slice.counts.replies_all).sum();
    assert_eq!(replies, count.get());
    for slice in &slices {
        assert_eq!(slice.counts.errors, Errors::default());
        assert!(slice.counts.replies > 0);
        assert!(slice.counts.replies <= slice.counts.replies_all);
        let binned: u64 = slice.bins.iter().map(|&bin| u64::from(bin)).sum();
        // At most the four in flight arrive while draining.
        assert!(binned <= slice.counts.replies_all && slice.counts.replies_all <= binned + 4);
        assert!(slice.counted_until_ns - slice.counted_from_ns >= 40_000_000);
        let loaded_ns = slice.counted_until_ns - slice.started_ns;
        assert_eq!(slice.bins.len() as u64, loaded_ns.div_ceil(5_000_000));
        // Never more in flight than there are connections.
        assert!(slice.counts.in_flight_ns <= 4 * (slice.counted_until_ns - slice.counted_from_ns));
    }
    let counted: u64 = slices.iter().map(|slice| slice.counts.replies).sum();
    let timed: u64 = slices.iter().map(|slice| slice.latencies.count()).sum();
    assert_eq!(timed, counted);
}

#[test]
fn each_wrong_status_and_body_is_counted_once() {
    let (count, statuses, bodies) = (Counter::default(), Counter::default(), Counter::default());
    let (counter, status, body) = (count.clone(), statuses.clone(), bodies.clone());
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            let number = counter.next();
            let reply = if number % 10 == 0 {
                status.next();
                b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".to_vec()
            } else if number % 7 == 0 {
                body.next();
                hello("/7f3a9X")
            } else if number % 11 == 0 {
                body.next();
                hello("/7f3a9c!")
            } else {
                hello(&path)
            };
            send(&mut stream, &reply);
        }
    });
    let slice = run(&spec(address, 3));
    assert_eq!(slice.counts.errors.status, statuses.get());
    assert_eq!(slice.counts.errors.body, bodies.get());
    assert_eq!(slice.counts.errors.total(), statuses.get() + bodies.get());
    assert_eq!(answered(&slice), count.get());
    assert!(slice.counts.first_error.is_some());
}

#[test]
fn a_server_that_closes_between_replies_costs_reconnects_and_no_errors() {
    let (count, closes) = (Counter::default(), Counter::default());
    let (counter, closed) = (count.clone(), closes.clone());
    let address = server(move |mut stream, _| {
        for _ in 0..5 {
            let Some(path) = read_request(&mut stream) else {
                return;
            };
            counter.next();
            send(&mut stream, &hello(&path));
        }
        closed.next();
    });
    let slice = run(&spec(address, 3));
    assert_eq!(slice.counts.errors, Errors::default());
    assert_eq!(slice.counts.replies_all, count.get());
    // The last closes may be seen in the next slice only.
    assert!(slice.counts.reconnects <= closes.get() && slice.counts.reconnects + 3 >= closes.get());
    assert!(slice.counts.reconnects > 0);
}

#[test]
fn connection_close_is_obeyed_without_a_lost_request() {
    let count = Counter::default();
    let counter = count.clone();
    let address = server(move |mut stream, _| {
        if read_request(&mut stream).is_some() {
            counter.next();
            let reply = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 19\r\n\r\nHello from 7f3a9c!\n";
            send(&mut stream, &reply[..reply.len()]);
        }
    });
    let mut spec = spec(address, 2);
    spec.requests[0].expect.body = Some("Hello from {token}!\n".into());
    let slice = run(&spec);
    assert_eq!(slice.counts.errors, Errors::default());
    assert_eq!(slice.counts.replies_all, count.get());
    assert_eq!(slice.counts.reconnects, slice.counts.replies_all);
}

/// What a server does that is thawed after its keep-alive time: it closes or resets the
/// connection just as the first request of the turn arrives.
#[test]
fn a_request_that_meets_a_closing_connection_is_sent_again() {
    let address = server(move |mut stream, number| {
        if number < 4 {
            // Closing with the request unread makes the kernel send a reset.
            let mut byte = [0];
            let _ = stream.peek(&mut byte);
            return;
        }
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    let slice = run(&spec(address, 4));
    assert_eq!(slice.counts.errors, Errors::default());
    assert_eq!(slice.counts.reconnects, 4);
    assert!(slice.counts.replies > 0);
}

#[test]
fn half_a_reply_is_a_protocol_error_each_time() {
    let (count, halves) = (Counter::default(), Counter::default());
    let (counter, half) = (count.clone(), halves.clone());
    let address = server(move |mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            let reply = hello(&path);
            match counter.next() % 20 {
                0 => {
                    half.next();
                    return send(&mut stream, &reply[..reply.len() - 4]);
                }
                10 => {
                    half.next();
                    return send(&mut stream, &reply[..9]);
                }
                _ => send(&mut stream, &reply),
            }
        }
    });
    let slice = run(&spec(address, 3));
    assert!(slice.counts.errors.protocol > 0);
    assert_eq!(slice.counts.errors.protocol, halves.get());
    assert_eq!(slice.counts.errors.total(), halves.get());
    assert_eq!(slice.counts.replies_all + halves.get(), count.get());
}

#[test]
fn a_server_that_never_answers_is_a_timeout_and_the_turn_ends() {
    let address = server(|mut stream, _| while read_request(&mut stream).is_some() {});
    let mut spec = spec(address, 2);
    spec.timeout_ms = 100;
    let slice = run(&spec);
    assert_eq!(slice.counts.replies_all, 0);
    assert_eq!(slice.counts.errors.timeout, slice.counts.errors.total());
    assert!(slice.counts.errors.timeout >= 2);
    assert!(slice.drained_ns >= slice.counted_until_ns);
}

#[test]
fn a_server_that_is_gone_is_counted_and_never_a_spin() {
    let address = server(|stream, _| {
        let _ = stream.shutdown(Shutdown::Both);
    });
    let slice = run(&spec(address, 2));
    assert_eq!(slice.counts.replies_all, 0);
    assert!(slice.counts.errors.total() > 0);
    // The back-off doubles from 1 to 128 ms, so 20 attempts a connection take over a second; a
    // loop without one makes thousands in the 70 ms asked for.
    assert!(
        slice.counts.errors.total() <= 2 * 20,
        "{:?}",
        slice.counts.errors
    );
}

#[test]
fn garbage_is_a_protocol_error() {
    for garbage in [
        &b"SSH-2.0-OpenSSH\r\n"[..],
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n",
    ] {
        let address = server(move |mut stream, _| {
            while read_request(&mut stream).is_some() {
                send(&mut stream, garbage);
            }
        });
        let mut spec = spec(address, 1);
        spec.requests[0].expect.body = Some("".into());
        let slice = run(&spec);
        assert!(
            slice.counts.errors.protocol > 0,
            "{}",
            String::from_utf8_lossy(garbage)
        );
        assert_eq!(slice.counts.errors.total(), slice.counts.errors.protocol);
    }
}

#[test]
fn bodies_of_every_framing() {
    let replies = [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nHello \r\nc\r\nfrom 7f3a9c!\r\n0\r\nX: y\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\nHello from 7f3a9c!",
    ];
    for reply in replies {
        let address = server(move |mut stream, _| {
            while read_request(&mut stream).is_some() {
                for byte in reply.as_bytes() {
                    send(&mut stream, std::slice::from_ref(byte));
                }
            }
        });
        let slice = run(&spec(address, 2));
        assert_eq!(
            slice.counts.errors,
            Errors::default(),
            "{reply}: {:?}",
            slice.counts.first_error
        );
        assert!(slice.counts.replies_all > 0);
    }
}

#[test]
fn a_body_that_ends_with_the_connection() {
    let count = Counter::default();
    let counter = count.clone();
    let address = server(move |mut stream, _| {
        if let Some(path) = read_request(&mut stream) {
            counter.next();
            let body = format!("HTTP/1.1 200 OK\r\n\r\nHello from {}!", &path[1..]);
            send(&mut stream, body.as_bytes());
        }
    });
    let slice = run(&spec(address, 2));
    assert_eq!(
        slice.counts.errors,
        Errors::default(),
        "{:?}",
        slice.counts.first_error
    );
    assert_eq!(slice.counts.replies_all, count.get());
}
