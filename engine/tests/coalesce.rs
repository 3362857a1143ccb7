//! Pauses of `--coalesce auto`, in virtual time: what they save, and that they cost nothing.

#[path = "support/simulated.rs"]
mod simulated;

use deadheat_load::load::coalesce::Coalesce;
use deadheat_load::load::run::RunSpec;
use simulated::{over, Simulated};
use std::rc::Rc;

/// Two seconds of a closed loop, each reply handled in `busy_us`: replies and waits.
fn closed(
    server: impl FnMut(u64) -> u64 + 'static,
    connections: usize,
    busy_us: u64,
    coalesce: Coalesce,
) -> (u64, u64) {
    let mut net = Simulated::new(server, connections);
    net.busy_ns = busy_us * 1_000;
    net.is_stamped = coalesce != Coalesce::Off;
    let (waits, arrivals) = (Rc::clone(&net.waits), Rc::clone(&net.arrivals));
    let turn = RunSpec {
        lead_in_ms: 100,
        counted_ms: 2_000,
        ..RunSpec::default()
    };
    let slice = over(net, connections, coalesce, &turn);
    assert_eq!(slice.counts.errors.total(), 0);
    if coalesce != Coalesce::Off {
        // However late they are read, they are counted where they arrived.
        let counted = slice.counted_from_ns..slice.counted_until_ns;
        let arrivals = arrivals.borrow();
        let arrived = arrivals.iter().filter(|at_ns| counted.contains(at_ns));
        assert_eq!(slice.counts.replies, arrived.count() as u64);
    }
    (slice.counts.replies, waits.get())
}

/// One request at a time, so long each.
fn one_by_one(each_ns: u64) -> impl FnMut(u64) -> u64 {
    let mut free_ns = 0;
    move |arrived_ns| {
        free_ns = arrived_ns.max(free_ns) + each_ns;
        free_ns
    }
}

#[test]
fn pauses_save_wake_ups_and_cost_no_throughput_where_the_server_is_the_limit() {
    for connections in [64, 256] {
        let run = |coalesce| closed(one_by_one(16_000), connections, 5, coalesce);
        let (replies, waits) = run(Coalesce::Off);
        let (with, fewer) = run(Coalesce::Auto);
        assert!(with as f64 >= replies as f64 * 0.999, "{with} of {replies}");
        assert!(fewer * 20 < waits, "{connections}: {fewer} of {waits}");
    }
}

#[test]
fn there_are_hardly_any_pauses_where_they_would_cost_throughput() {
    // Each reply takes its time, whatever else there is to do.
    for delay_us in [500, 10_000] {
        let run = |coalesce| closed(move |at| at + delay_us * 1_000, 64, 2, coalesce);
        let (replies, _) = run(Coalesce::Off);
        let (with, _) = run(Coalesce::Auto);
        assert!(
            with as f64 >= replies as f64 * 0.99,
            "{delay_us} us: {with} of {replies}"
        );
    }
    // The generator is the limit.
    for connections in [64, 256] {
        let run = |coalesce| closed(one_by_one(3_000), connections, 4, coalesce);
        let (replies, _) = run(Coalesce::Off);
        let (with, _) = run(Coalesce::Auto);
        assert!(
            with as f64 >= replies as f64 * 0.99,
            "{connections} connections: {with} of {replies}"
        );
    }
}

#[test]
fn where_requests_go_out_at_ticks_one_wake_up_a_tick_is_enough() {
    let run = |coalesce| {
        let mut net = Simulated::new(one_by_one(10_000), 64);
        net.busy_ns = 2_000;
        net.is_stamped = true;
        let waits = Rc::clone(&net.waits);
        let turn = RunSpec {
            lead_in_ms: 100,
            counted_ms: 1_000,
            rate: Some(20_000.0),
            pacing: "200us".parse().expect("a tick"),
            ..RunSpec::default()
        };
        let slice = over(net, 64, coalesce, &turn);
        let p50_ns = slice.latencies.quantile_ns(0.5).expect("enough of them");
        (slice.counts.replies, waits.get(), p50_ns)
    };
    let (replies, waits, p50_ns) = run(Coalesce::Off);
    let (with, fewer, same_ns) = run(Coalesce::Auto);
    assert_eq!((with, replies), (20_000, 20_000));
    // 5,500 ticks in lead-in and counted part.
    assert!((5_500..6_000).contains(&fewer), "{fewer} of {waits}");
    assert!(waits > 3 * fewer, "{fewer} of {waits}");
    // Replies are read later, and arrived when they arrived: requests of one tick go out 2 us apart less.
    assert!(same_ns.abs_diff(p50_ns) <= 5_000, "{same_ns} for {p50_ns}");
}

#[test]
fn nothing_waits_for_a_tick_where_a_reply_is_needed_to_send() {
    // One connection: each request waits for the reply before it.
    let mut net = Simulated::new(|at| at + 50_000, 1);
    net.is_stamped = true;
    let turn = RunSpec {
        lead_in_ms: 0,
        counted_ms: 1_000,
        rate: Some(15_000.0),
        pacing: "200us".parse().expect("a tick"),
        ..RunSpec::default()
    };
    let slice = over(net, 1, Coalesce::Auto, &turn);
    let open = slice.open_loop.expect("it is one");
    assert_eq!((open.sent, open.unsent), (15_000, 0));
    assert!(open.achieved_rps > 14_900.0, "{open:?}");
}
