//! The real load loop over a simulated network in virtual time: what a stall does to latency,
//! exactly, with no machine in between.

#[path = "support/simulated.rs"]
mod simulated;

use deadheat_load::load::arrivals::Arrivals;
use deadheat_load::load::coalesce::Coalesce;
use deadheat_load::load::open_loop::Pacing;
use deadheat_load::load::run::{RunResult, RunSpec};
use simulated::{over, Simulated, START_NS};
use std::rc::Rc;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

/// A run over `server`: its result, and when each request was sent.
fn run(
    server: impl FnMut(u64) -> u64 + 'static,
    connections: usize,
    turn: &RunSpec,
) -> (RunResult, Vec<u64>) {
    let net = Simulated::new(server, connections);
    let requests = Rc::clone(&net.requests);
    let slice = over(net, connections, Coalesce::Off, turn);
    let sent = requests.borrow().clone();
    (slice, sent)
}

fn open_loop(rate: f64, counted_ms: u64) -> RunSpec {
    RunSpec {
        counted_ms,
        rate: Some(rate),
        ..RunSpec::default()
    }
}

/// When service begins if there is none at all during the last second of every five.
fn after_the_stall(arrived_ns: u64) -> u64 {
    let at_ns = arrived_ns % (5 * S);
    if at_ns >= 4 * S {
        arrived_ns - at_ns + 5 * S
    } else {
        arrived_ns
    }
}

fn within(value_ns: u64, expected_ns: u64, share: f64) -> bool {
    (value_ns as f64 / expected_ns as f64 - 1.0).abs() <= share
}

#[test]
fn a_stall_is_seen_in_full_from_the_intended_time_and_hidden_from_the_sending() {
    let (slice, _) = run(
        |at| after_the_stall(at) + 100_000,
        64,
        &open_loop(2_000.0, 20_000),
    );
    let open = slice.open_loop.expect("an open loop");
    assert_eq!((open.due, open.sent, open.unsent), (40_000, 40_000, 0));
    assert!(
        (open.achieved_rps / 2_000.0 - 1.0).abs() < 0.005,
        "{open:?}"
    );
    // From the beginning of the stall to the first reply after it, both included, 2,001 became
    // due and 64 of them could be sent.
    assert_eq!(open.queue_max, 2_001 - 64);
    assert_eq!(slice.counts.replies, 40_000);
    let ns = |quantile| slice.latencies.as_hdr().value_at_quantile(quantile);
    let (p50, p90, p99) = (ns(0.5), ns(0.9), ns(0.99));
    assert!(p50 < 5 * MS, "{p50}");
    assert!(within(p90, 500 * MS, 0.02), "{p90}");
    assert!(within(p99, 950 * MS, 0.02), "{p99}");
    assert!(within(slice.counts.latency_max_ns, S, 0.02));
    // From the actual sending, as a wrong tool has it: 4 x 64 requests of 40,000 saw anything.
    let service = slice.service.expect("an open loop");
    let p99 = service.as_hdr().value_at_quantile(0.99);
    assert!(within(p99, 100_000, 0.02), "{p99}");
}

#[test]
fn a_closed_loop_does_not_see_the_stall() {
    let turn = RunSpec {
        counted_ms: 22_000,
        ..RunSpec::default()
    };
    let (slice, _) = run(|at| after_the_stall(at) + MS, 16, &turn);
    let p99 = slice.latencies.as_hdr().value_at_quantile(0.99);
    assert!(within(p99, MS, 0.02), "{p99}");
    // Little's law holds all the same, but for what is in flight at the edges.
    assert_eq!(slice.counts.in_flight_ns, 16 * 22 * S);
    assert!(slice.counts.in_flight_ns - slice.counts.latency_sum_ns <= 16 * MS);
}

#[test]
fn requests_go_out_at_their_times() {
    let (slice, sent) = run(|at| at + 100_000, 8, &open_loop(1_000.0, 1_000));
    let expected: Vec<u64> = (0..1_000).map(|n| START_NS + n * MS).collect();
    assert_eq!(sent, expected);
    assert_eq!(slice.counts.latency_sum_ns, 1_000 * 100_000);
}

#[test]
fn bursts_go_out_together_and_never_late() {
    let mut turn = open_loop(10_000.0, 100);
    turn.pacing = Pacing::Burst;
    let (slice, sent) = run(|at| at + 100_000, 16, &turn);
    let expected: Vec<u64> = (0..1_000).map(|n| START_NS + n / 10 * MS).collect();
    assert_eq!(sent, expected);
    // None was late, so each latency is its service time.
    assert_eq!(slice.counts.latency_sum_ns, 1_000 * 100_000);
}

#[test]
fn ticks_go_out_together_and_are_as_long_as_they_are_called() {
    let mut turn = open_loop(10_000.0, 100);
    for us in [50, 200, 1_000] {
        turn.pacing = format!("{us}us").parse().expect("a tick");
        let (slice, sent) = run(|at| at + 100_000, 16, &turn);
        let tick_ns = us * 1_000;
        let expected: Vec<u64> = (0..1_000)
            .map(|n| START_NS + n * 100_000 / tick_ns * tick_ns)
            .collect();
        assert_eq!(sent, expected, "{us} us");
        assert_eq!(slice.counts.latency_sum_ns, 1_000 * 100_000, "{us} us");
    }
}

/// The lateness of a run: its requests, median, 99th percentile and maximum.
fn lateness(slice: &RunResult) -> (u64, Option<u64>, Option<u64>, Option<u64>) {
    let open = slice.open_loop.as_ref().expect("an open loop");
    let late = &open.lateness;
    let at = |quantile| late.quantile_ns(quantile);
    (late.count(), at(0.5), at(0.99), late.max_ns())
}

#[test]
fn what_the_loop_oversleeps_is_the_lateness_of_each_tick() {
    for (pacing, ticks) in [("exact", 1_000), ("200us", 500), ("burst", 100)] {
        let mut turn = open_loop(10_000.0, 100);
        turn.pacing = pacing.parse().expect("a pacing");
        for overslept_ns in [0, 30_000] {
            let mut net = Simulated::new(|at| at + 10_000, 64);
            net.overslept_ns = overslept_ns;
            let requests = Rc::clone(&net.requests);
            let slice = over(net, 64, Coalesce::Off, &turn);
            let (count, p50, p99, max) = lateness(&slice);
            // The first are there at the beginning, and none is waited for.
            assert_eq!((count, max), (1_000, Some(overslept_ns)), "{pacing}");
            for told in [p50, p99] {
                // The bins of a histogram are half a microsecond wide.
                let bin_ns = overslept_ns..overslept_ns + 512;
                assert!(told.is_some_and(|ns| bin_ns.contains(&ns)), "{told:?}");
            }
            let requests = requests.borrow();
            let sent: std::collections::BTreeSet<u64> = requests.iter().copied().collect();
            assert_eq!(sent.len(), ticks, "{pacing}");
        }
    }
}

/// Replies that each take the loop a while: it is late for what is due meanwhile.
#[test]
fn a_loop_that_is_busy_sends_late() {
    let mut net = Simulated::new(|at| at + 50_000, 64);
    net.busy_ns = 60_000;
    let slice = over(net, 64, Coalesce::Off, &open_loop(10_000.0, 1_000));
    let (count, p50, _, max) = lateness(&slice);
    assert_eq!(count, 10_000);
    // One reply at a time: what is due as the loop begins with it waits for all of it.
    assert_eq!(max, Some(60_000), "{p50:?}");
}

#[test]
fn what_waits_for_a_server_is_no_lateness() {
    let (slice, _) = run(|at| at + MS, 1, &open_loop(2_000.0, 1_000));
    let open = slice.open_loop.as_ref().expect("an open loop");
    assert_eq!(open.sent, 2_000);
    // All but the first one found the connection busy.
    assert_eq!(lateness(&slice), (1, None, None, Some(0)));
}

#[test]
fn poisson_arrivals_come_from_their_seed() {
    let mut turn = open_loop(5_000.0, 2_000);
    turn.arrivals = Arrivals::Poisson;
    turn.seed = Some(3);
    let (first, sent) = run(|at| at + 100_000, 100, &turn);
    let (_, again) = run(|at| at + 100_000, 100, &turn);
    assert_eq!(sent, again);
    assert_eq!(
        first.open_loop.as_ref().map(|open| open.due),
        Some(first.counts.replies)
    );
    // Expected 10,000 with a standard deviation of 100.
    assert!(
        (9_600..=10_400).contains(&first.counts.replies),
        "{}",
        first.counts.replies
    );
}

/// One request at a time, 1 ms each: a thousand a second and no more. Measured by when the
/// request arrives on one connection.
#[test]
fn a_server_that_is_too_slow_shows_as_a_shortfall() {
    let (slice, _) = run(|at| at + MS, 1, &open_loop(2_000.0, 1_000));
    let open = slice.open_loop.expect("an open loop");
    assert_eq!((open.due, open.sent, open.unsent), (2_000, 2_000, 0));
    // Nothing is dropped: all 2,000 are answered, and that takes 2 s.
    assert_eq!(slice.counts.replies, 2_000);
    assert!((open.achieved_rps - 1_000.0).abs() < 1.0, "{open:?}");
    assert!(open.queue_max >= 999);
    assert!(within(slice.counts.latency_max_ns, S, 0.01));
}

#[test]
fn what_is_due_in_the_counted_part_is_counted_however_late_it_is_answered() {
    let mut turn = open_loop(1_000.0, 100);
    turn.lead_in_ms = 50;
    let (slice, sent) = run(|at| at + 500 * MS, 1_000, &turn);
    assert_eq!(sent.len(), 150);
    assert_eq!(slice.counts.replies_all, 150);
    assert_eq!(slice.counts.replies, 100);
    assert_eq!(slice.counts.latency_sum_ns, 100 * 500 * MS);
    assert_eq!(slice.bins.iter().sum::<u32>(), 0);
}

#[test]
fn a_number_of_requests_is_that_number() {
    for rate in [None, Some(1_000.0)] {
        let turn = RunSpec {
            counted_ms: 60_000,
            requests: Some(1_000),
            rate,
            ..RunSpec::default()
        };
        let (slice, sent) = run(|at| at + 300_000, 7, &turn);
        assert_eq!((sent.len(), slice.counts.replies), (1_000, 1_000));
        assert!(slice.counted_until_ns - slice.counted_from_ns < 2 * S);
    }
}

#[test]
fn a_server_that_never_answers_ends_the_turn_after_the_timeout() {
    let (slice, sent) = run(|at| at + 1_000 * S, 4, &open_loop(1_000.0, 1_000));
    // Four requests time out after 10 s, and the turn is over 10 s after its counted part.
    let open = slice.open_loop.expect("an open loop");
    assert_eq!(slice.counts.errors.timeout, sent.len() as u64);
    assert_eq!(open.sent + open.unsent, 1_000);
    assert_eq!(slice.drained_ns - slice.started_ns, 11 * S);
}
