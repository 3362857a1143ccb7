//! No allocation per request: a counting allocator around runs of different lengths.

mod support;

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/serving.rs"]
mod serving;

use deadheat_load::load::run::RunSpec;
use deadheat_load::load::run_control::RunControl;
use deadheat_load::net::Io;
use deadheat_load::protocol::grpc;
use deadheat_load::protocol::http::mix::Draw;
use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::redis;
use deadheat_load::target::{self, Spec};
use serde_json::json;
use serving::Server;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Read;
use support::{hello, read_head, read_request, send, server, spec};

thread_local! {
    // Of this thread alone, so that the test's own server does not count.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; the counter is a plain cell of
// this thread that allocates nothing itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of a turn of so many requests, on a target that is warmed up.
fn allocations(target: &mut dyn target::Target, requests: u64, rate: Option<f64>) -> u64 {
    let turn = RunSpec {
        token: "ab".into(),
        counted_ms: 600_000,
        requests: Some(requests),
        rate,
        ..RunSpec::default()
    };
    let before = ALLOCATIONS.with(Cell::get);
    let slice = target.run(&turn, &RunControl::default()).expect("a turn");
    assert_eq!(
        (slice.counts.replies, slice.counts.errors.total()),
        (requests, 0)
    );
    ALLOCATIONS.with(Cell::get) - before
}

/// Loads a target with few requests and with many: the difference must not grow with them.
fn check(spec: &Spec, rate: Option<f64>) {
    for io in [Io::Epoll, Io::Uring] {
        let spec = Spec { io, ..spec.clone() };
        let mut target = match target::open(&spec) {
            Err(error) if io == Io::Uring && error.message.contains("io_uring") => {
                eprintln!("not tried: {error}");
                continue;
            }
            opened => opened.expect("open"),
        };
        // Buffers find their size.
        allocations(target.as_mut(), 2_000, rate);
        let few = allocations(target.as_mut(), 100, rate);
        let many = allocations(target.as_mut(), 5_000, rate);
        // A turn allocates for its report and its bins, and now and then a buffer still grows
        // by how replies happen to be cut; nothing that grows with the number of requests.
        assert!(
            many <= few + 16,
            "{few} for 100, {many} for 5,000: {}, {} in flight on each connection, {io:?}",
            spec.url,
            spec.depth
        );
    }
}

#[test]
fn http_requests_allocate_nothing() {
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    for (pipeline, rate) in [(1, None), (4, None), (1, Some(20_000.0))] {
        let spec = Spec {
            depth: pipeline,
            ..spec(address, 4)
        };
        check(&spec, rate);
    }
}

/// Requests that differ, GET and POST, and the reply that each has to get.
fn pairs() -> Vec<Request> {
    let pair = |number: u32| {
        let mut request = Request::get(&format!("/{}", number * 7));
        if number % 2 == 0 {
            request.method = "POST".into();
            request.body = Some(format!("{{\"id\": {number}}}").into());
        }
        request.expect.status = Some(200.into());
        request.expect.body = Some(format!("Hello from {}!", number * 7).into());
        request
    };
    (0..10_000).map(pair).collect()
}

#[test]
fn a_pool_of_pairs_allocates_nothing() {
    let address = server(|mut stream, _| {
        while let Some(head) = read_head(&mut stream) {
            let path = head.split(' ').nth(1).expect("a path").to_owned();
            if let Some((_, length)) = head.split_once("Content-Length: ") {
                let length = length.lines().next().expect("a length").parse();
                let mut body = vec![0; length.expect("a number")];
                if stream.read_exact(&mut body).is_err() {
                    return;
                }
            }
            send(&mut stream, &hello(&path));
        }
    });
    for (pipeline, rate) in [
        (1, None),
        (16, None),
        (1, Some(20_000.0)),
        (4, Some(20_000.0)),
    ] {
        let spec = Spec {
            depth: pipeline,
            requests: pairs(),
            draw: Draw::Random,
            ..spec(address, 4)
        };
        check(&spec, rate);
    }
}

#[test]
fn grpc_calls_allocate_nothing() {
    let server = Server::of("grpc", &["--hello"]);
    let address = server.address().parse().expect("an address");
    for (streams, rate) in [(1, None), (20, None), (5, Some(20_000.0))] {
        let ask = grpc::CallSpec {
            depth: Some(streams),
            ..greeter::ask()
        };
        check(&greeter::spec(address, ask), rate);
    }
}

#[test]
fn redis_commands_allocate_nothing() {
    let server = Server::of("redis", &[]);
    let set = (
        vec!["SET".into(), "{token}".into(), "bar".into()],
        json!("OK"),
    );
    let get = (vec!["GET".into(), "{token}".into()], json!("bar"));
    // Several in turn, and one alone, which has a way of its own; the key is there from the first.
    for asked in [&[set, get.clone()][..], &[get]] {
        for (pipeline, rate) in [(1, None), (16, None), (4, Some(20_000.0))] {
            let (commands, expect) = asked.iter().cloned().unzip();
            let ask = redis::CommandSpec {
                commands,
                expect: Some(expect),
                depth: Some(pipeline),
                resp3: false,
            };
            let spec = Spec {
                connections: 3,
                ..Spec::redis(&format!("redis://{}", server.address()), ask)
            };
            check(&spec, rate);
        }
    }
}
