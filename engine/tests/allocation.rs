//! No allocation per request: a counting allocator around runs of different lengths.

mod support;

use deadheat_load::load::control::Control;
use deadheat_load::load::turn::Turn;
use deadheat_load::target;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use support::{hello, read_request, send, server, spec};

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
    let turn = Turn {
        token: "ab".into(),
        counted_ms: 600_000,
        requests: Some(requests),
        rate,
        ..Turn::default()
    };
    let before = ALLOCATIONS.with(Cell::get);
    let slice = target.turn(&turn, &Control::default()).expect("a turn");
    assert_eq!((slice.replies, slice.errors.total()), (requests, 0));
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn a_thousand_requests_allocate_no_more_than_a_hundred() {
    let address = server(|mut stream, _| {
        while let Some(path) = read_request(&mut stream) {
            send(&mut stream, &hello(&path));
        }
    });
    for (pipeline, rate) in [(1, None), (4, None), (1, Some(20_000.0))] {
        let mut spec = spec(address, 4);
        spec.pipeline = pipeline;
        let mut target = target::open(&spec).expect("open");
        // Buffers find their size.
        allocations(target.as_mut(), 2_000, rate);
        let few = allocations(target.as_mut(), 100, rate);
        let many = allocations(target.as_mut(), 5_000, rate);
        // A turn allocates for its report and its bins, and now and then a buffer still grows
        // by how replies happen to be cut; nothing that grows with the number of requests.
        assert!(
            many <= few + 16,
            "{few} for 100, {many} for 5,000, pipeline {pipeline}"
        );
    }
}
