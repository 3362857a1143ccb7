//! Streams of messages in virtual time: when each is sent, and what its latency is said to be, to
//! the nanosecond of what was planted but for the bins of the histograms.

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "support/simulated.rs"]
mod simulated;
mod support;

use deadheat_load::histogram::Latencies;
use deadheat_load::load::messages::MessageCounts;
use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::protocol::grpc::streaming::StreamingGrpc;
use deadheat_load::protocol::grpc::{self, CallSpec, Replies};
use deadheat_load::protocol::h2::frame::{self, Frame};
use scripted::{begin, data, headers, END};
use serde_json::json;
use simulated::{over_protocol, Piece, Simulated, START_NS};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

const MS: u64 = 1_000_000;
/// A message with its prefix: `{"name": "a"}`.
const LENGTH: usize = 8;
const GREETING: &[u8] = b"\0\0\0\0\x0f\x0a\x0dHello from a!";

/// What a server hears, of which stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    /// A message, by its number in the call from 1.
    Message(u32, u64),
    End(u32),
}

/// A server that says `settings` and answers by `answer` what it hears, when it hears it; when
/// each message came is noted in `log`.
fn server(
    settings: &'static [(u16, u32)],
    log: Rc<RefCell<Vec<u64>>>,
    mut answer: impl FnMut(u64, Heard) -> Vec<Piece> + 'static,
) -> impl FnMut(u64, usize, &[u8]) -> Vec<Piece> + 'static {
    let mut unread = Vec::new();
    let mut came: HashMap<u32, usize> = HashMap::new();
    move |at_ns, _, bytes| {
        let mut pieces = Vec::new();
        let rest = match bytes.strip_prefix(frame::PREFACE) {
            None => bytes,
            Some(rest) => {
                // A new connection.
                unread.clear();
                came.clear();
                let mut hello = Vec::new();
                frame::push_settings(settings, &mut hello);
                pieces.push((at_ns, hello));
                rest
            }
        };
        unread.extend_from_slice(rest);
        while let Ok(Some((frame, used))) = Frame::parse(&unread) {
            let (stream, is_last) = (frame.stream, frame.has(END));
            if frame.kind == frame::DATA {
                let bytes = came.entry(stream).or_default();
                let before = *bytes / LENGTH;
                *bytes += frame.payload.len();
                for number in before..*bytes / LENGTH {
                    log.borrow_mut().push(at_ns - START_NS);
                    pieces.extend(answer(at_ns, Heard::Message(stream, number as u64 + 1)));
                }
                if is_last {
                    pieces.extend(answer(at_ns, Heard::End(stream)));
                }
            }
            unread.drain(..used);
        }
        pieces
    }
}

/// Answers each message after so long.
fn after(delay_ns: u64) -> impl FnMut(u64, Heard) -> Vec<Piece> {
    move |at_ns, heard| vec![(at_ns + delay_ns, said(heard))]
}

/// The right answer.
fn said(heard: Heard) -> Vec<u8> {
    match heard {
        Heard::Message(stream, 1) => [begin(stream), data(stream, 0, GREETING)].concat(),
        Heard::Message(stream, _) => data(stream, 0, GREETING),
        Heard::End(stream) => headers(stream, END, &[("grpc-status", "0")]),
    }
}

fn bidi(messages: u32, interval_ms: Option<u64>) -> CallSpec {
    CallSpec {
        proto: Some(greeter::streams()),
        call: "greeter.Greeter/SayHelloBidi".into(),
        data: json!({"name": "a"}),
        expect: Some(json!({"message": "Hello from a!"})),
        messages: Some(messages),
        message_interval: interval_ms.map(Duration::from_millis),
        ..CallSpec::default()
    }
}

fn closed(counted_ms: u64) -> RunSpec {
    RunSpec {
        counted_ms,
        ..RunSpec::default()
    }
}

/// A run of `spec`: its result, its messages, and when each came to the server.
fn run(
    spec: &CallSpec,
    settings: &'static [(u16, u32)],
    answer: impl FnMut(u64, Heard) -> Vec<Piece> + 'static,
    depth: u32,
    turn: &RunSpec,
) -> (RunResult, MessageCounts, Vec<u64>) {
    let log = Rc::default();
    let net = Simulated::over_bytes(server(settings, Rc::clone(&log), answer), 1);
    let contract = grpc::contract(spec).expect("a contract");
    let protocol = StreamingGrpc::with_contract(&contract, spec, false, "h").expect("a call");
    let result = over_protocol(net, protocol, depth, turn);
    let messages = result.messages.clone().expect("messages");
    let log = log.borrow().clone();
    (result, messages, log)
}

/// The observations, in their order, are these.
#[track_caller]
fn are(latencies: &Latencies, expected_ms: &[u64]) {
    assert_eq!(latencies.count(), expected_ms.len() as u64);
    let mut expected = expected_ms.to_vec();
    expected.sort_unstable();
    let recorded = latencies.as_hdr().iter_recorded();
    let values = recorded.flat_map(|value| {
        let count = value.count_at_value() as usize;
        std::iter::repeat_n(value.value_iterated_to(), count)
    });
    for (ns, ms) in values.zip(expected) {
        assert!(ns.abs_diff(ms * MS) <= ms * MS / 500, "{ns}, not {ms} ms");
    }
}

#[test]
fn the_next_message_goes_when_the_one_before_is_answered() {
    // 50 ms a call; the twentieth ends at the very end.
    let (result, messages, came) = run(&bidi(5, None), &[], after(10 * MS), 1, &closed(1_001));
    assert_eq!(
        (result.counts.replies, result.counts.errors.total()),
        (20, 0)
    );
    are(&result.latencies, &[50; 20]);
    assert_eq!((messages.sent, messages.replies), (100, 100));
    assert_eq!((messages.unanswered, messages.unasked), (0, 0));
    are(&messages.latencies.unwrap(), &[10; 100]);
    let expected: Vec<u64> = (0..100).map(|n| n * 10 * MS).collect();
    assert_eq!(came[..100], expected);
}

#[test]
fn by_the_clock_whatever_is_answered() {
    let answer = after(25 * MS);
    let (result, messages, came) = run(&bidi(5, Some(10)), &[], answer, 1, &closed(651));
    // 40 ms to the last message, and its reply.
    are(&result.latencies, &[65; 10]);
    are(&messages.latencies.unwrap(), &[25; 50]);
    let expected = |n: u64| (n / 5 * 65 + n % 5 * 10) * MS;
    assert_eq!(came[..50], (0..50).map(expected).collect::<Vec<u64>>());
}

#[test]
fn several_streams_of_a_connection_have_clocks_of_their_own() {
    let (result, messages, came) = run(&bidi(5, Some(10)), &[], after(25 * MS), 3, &closed(651));
    are(&result.latencies, &[65; 30]);
    are(&messages.latencies.unwrap(), &[25; 150]);
    let expected = |n: u64| (n / 15 * 65 + n % 15 / 3 * 10) * MS;
    assert_eq!(came[..150], (0..150).map(expected).collect::<Vec<u64>>());
}

/// Answers a millisecond later, but nothing between 20 and 70 ms of a call of 100.
fn stalled(at_ns: u64, heard: Heard) -> Vec<Piece> {
    let in_call = (at_ns - START_NS) % (100 * MS);
    let stall = match in_call {
        _ if (20 * MS..70 * MS).contains(&in_call) => 70 * MS - in_call,
        _ => 0,
    };
    vec![(at_ns + stall + MS, said(heard))]
}

#[test]
fn a_stall_is_seen_by_each_message_that_was_due_in_it() {
    let turn = RunSpec {
        requests: Some(1),
        ..closed(1_000)
    };
    let (_, messages, _) = run(&bidi(10, Some(10)), &[], stalled, 1, &turn);
    let expected = [1, 1, 51, 41, 31, 21, 11, 1, 1, 1];
    are(&messages.latencies.unwrap(), &expected);
    // Where each waits for the one before, only one of them waits in it: sent at 20 ms, after twenty
    // that took a millisecond each.
    let (_, messages, _) = run(&bidi(25, None), &[], stalled, 1, &turn);
    let expected = [&[1; 20][..], &[51], &[1; 4]].concat();
    are(&messages.latencies.unwrap(), &expected);
}

#[test]
fn a_message_waits_for_the_window_and_its_latency_runs_on() {
    const TWO: u32 = 2 * LENGTH as u32;
    let answer = |at_ns, heard| {
        let mut pieces = vec![(at_ns + 5 * MS, said(heard))];
        if let Heard::Message(stream, 2) = heard {
            let mut more = Vec::new();
            // For one and a half, then for the rest.
            frame::push_window_update(stream, TWO * 3 / 4, &mut more);
            pieces.push((at_ns + 50 * MS, more.clone()));
            pieces.push((at_ns + 70 * MS, more));
        }
        pieces
    };
    let turn = RunSpec {
        requests: Some(3),
        ..closed(10_000)
    };
    let settings = &[(frame::INITIAL_WINDOW_SIZE, TWO)];
    let (result, messages, came) = run(&bidi(4, Some(10)), settings, answer, 1, &turn);
    assert_eq!(result.counts.first_error, None);
    // The second is sent at 10 ms; the third at 60, due at 20; the fourth at 80, due at 30.
    assert_eq!(came[..4], [0, 10 * MS, 60 * MS, 80 * MS]);
    are(&messages.latencies.unwrap(), &[5, 5, 45, 55].repeat(3));
    are(&result.latencies, &[85; 3]);
}

#[test]
fn in_open_loop_all_runs_from_the_time_due() {
    // One connection can do 10 a second: number k is due at 50 k ms and sent at 100 k ms.
    let turn = RunSpec {
        rate: Some(20.0),
        ..closed(1_000)
    };
    let (result, messages, _) = run(&bidi(10, None), &[], after(10 * MS), 1, &turn);
    assert_eq!(result.counts.replies, 20);
    // The first message of each is late with its call.
    let expected = (0..20).flat_map(|k| std::iter::once(10 + 50 * k).chain([10; 9]));
    are(
        &messages.latencies.unwrap(),
        &expected.collect::<Vec<u64>>(),
    );
    // By the clock all of them are.
    let (result, messages, _) = run(&bidi(10, Some(10)), &[], after(10 * MS), 1, &turn);
    assert_eq!(result.counts.replies, 20);
    let latencies = messages.latencies.unwrap();
    assert_eq!(latencies.count(), 200);
    let first_ns = latencies.as_hdr().value_at_quantile(0.0);
    assert!(first_ns.abs_diff(10 * MS) <= MS / 10, "{first_ns}");
}

#[test]
fn a_client_stream_is_one_request_of_many_messages() {
    let all = CallSpec {
        call: "greeter.Greeter/SayHelloCS".into(),
        ..bidi(4, Some(10))
    };
    let answer = |at_ns, heard| match heard {
        Heard::Message(..) => Vec::new(),
        Heard::End(stream) => {
            let all = [said(Heard::Message(stream, 1)), said(heard)].concat();
            vec![(at_ns + 20 * MS, all)]
        }
    };
    let (result, messages, came) = run(&all, &[], answer, 1, &closed(501));
    are(&result.latencies, &[50; 10]);
    assert_eq!((messages.sent, messages.replies), (40, 10));
    assert!(messages.latencies.is_none());
    assert_eq!(came[..5], [0, 10, 20, 30, 50].map(|ms| ms * MS));
    let at_once = CallSpec {
        message_interval: None,
        ..all
    };
    let (result, messages, came) = run(&at_once, &[], answer, 1, &closed(501));
    are(&result.latencies, &[20; 25]);
    assert_eq!(messages.sent, 100);
    assert_eq!(came[..5], [0, 0, 0, 0, 20].map(|ms| ms * MS));
}

#[test]
fn replies_that_are_not_one_each_are_counted_if_they_are_welcome() {
    // Two replies to the second of three messages, none to the third.
    let answer = |at_ns, heard| match heard {
        Heard::Message(_, 2) => vec![(at_ns + 10 * MS, said(heard).repeat(2))],
        Heard::Message(_, 3) => Vec::new(),
        _ => vec![(at_ns + 10 * MS, said(heard))],
    };
    let turn = RunSpec {
        requests: Some(5),
        ..closed(10_000)
    };
    let (result, messages, _) = run(&bidi(3, Some(30)), &[], answer, 1, &turn);
    assert_eq!((result.counts.replies, messages.sent), (5, 15));
    // The third reply came before the third message: it is none to it.
    assert_eq!((messages.unanswered, messages.unasked), (5, 5));
    are(&messages.latencies.unwrap(), &[10; 10]);

    let fewer = |at_ns, heard| match heard {
        Heard::Message(_, 2..) => Vec::new(),
        _ => vec![(at_ns + 10 * MS, said(heard))],
    };
    let (result, _, _) = run(&bidi(3, Some(10)), &[], fewer, 1, &turn);
    assert_eq!((result.counts.replies, result.counts.errors.body), (0, 5));
    let told = result.counts.first_error.as_deref();
    assert_eq!(told, Some("1 messages, expected 3"));
    for replies in [Replies::Exactly(1), Replies::Any] {
        let welcome = CallSpec {
            replies: Some(replies),
            ..bidi(3, Some(10))
        };
        let (result, messages, _) = run(&welcome, &[], fewer, 1, &turn);
        assert_eq!((result.counts.replies, messages.replies), (5, 5));
        assert_eq!((messages.unanswered, messages.unasked), (10, 0));
    }
}

#[test]
fn a_connection_that_gives_its_streams_back_has_them_sent_again_whole() {
    let mut calls = 0;
    let answer = move |at_ns, heard| {
        if let Heard::Message(stream, 1) = heard {
            calls += 1;
            if calls == 2 {
                // Nothing beyond the first stream was looked at.
                let mut goaway = Vec::new();
                let last = [(stream - 2).to_be_bytes(), [0; 4]].concat();
                frame::push(frame::GOAWAY, 0, 0, &last, &mut goaway);
                return vec![(at_ns + 15 * MS, goaway)];
            }
        }
        match calls {
            2 => Vec::new(),
            _ => vec![(at_ns + 10 * MS, said(heard))],
        }
    };
    let turn = RunSpec {
        requests: Some(2),
        ..closed(10_000)
    };
    let (result, _, _) = run(&bidi(4, Some(10)), &[], answer, 1, &turn);
    assert_eq!((result.counts.replies, result.counts.resent), (2, 1));
    assert_eq!(result.counts.first_error, None);
}
