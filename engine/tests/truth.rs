//! A server that fails never looks well: each of these once did.

mod support;

#[path = "support/grpc.rs"]
mod greeter;
#[path = "support/program.rs"]
mod program;
#[path = "support/scripted.rs"]
mod scripted;

use deadheat_load::load::coalesce::Coalesce;
use deadheat_load::load::run::RunSpec;
use deadheat_load::load::run_control::RunControl;
use deadheat_load::load::{Settings, Worker};
use deadheat_load::net::{Event, Net};
use deadheat_load::protocol::grpc::CallSpec;
use deadheat_load::protocol::h2::frame;
use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::http1::Http1;
use deadheat_load::target;
use program::{number, summary};
use scripted::{right, scripted_server};
use serde_json::Value;
use std::io;
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use support::{hello, read_head, send, server, Counter};

/// A server that answers four requests on each connection and closes it on the fifth, unanswered.
fn answers_four(count: &Counter, closed: &Counter) -> String {
    let (count, closed) = (count.clone(), closed.clone());
    let address = server(move |mut stream, _| {
        for _ in 0..4 {
            if read_head(&mut stream).is_none() {
                return;
            }
            count.next();
            send(&mut stream, &hello("/x"));
        }
        if read_head(&mut stream).is_some() {
            count.next();
            closed.next();
        }
    });
    format!("http://{address}/x")
}

#[test]
fn a_post_is_not_sent_twice() {
    let (count, closed) = (Counter::default(), Counter::default());
    let url = answers_four(&count, &closed);
    let summary = summary(&[&url, "-X", "POST", "-n", "50", "-c", "2"]);
    assert_eq!(number(&summary["errors_by_kind"]["protocol"]), closed.get());
    assert!(closed.get() >= 9, "{}", closed.get());
    let told = number(&summary["requests"]) + number(&summary["errors"]);
    assert_eq!((told, count.get()), (50, 50));
    assert_eq!(number(&summary["resent"]), 0);
}

#[test]
fn what_is_sent_again_is_counted() {
    let (count, closed) = (Counter::default(), Counter::default());
    let url = answers_four(&count, &closed);
    let summary = summary(&[&url, "-n", "50", "-c", "2"]);
    assert_eq!(number(&summary["errors"]), 0, "{summary}");
    assert_eq!(number(&summary["resent"]), closed.get());
    assert_eq!(number(&summary["requests"]) + closed.get(), count.get());
}

#[test]
fn calls_in_flight_on_a_connection_that_is_lost_are_errors() {
    let address = scripted_server(&[], |_, call, stream| match call {
        1..=20 => right(stream),
        _ => Vec::new(),
    });
    let spec = CallSpec {
        depth: Some(4),
        ..greeter::ask()
    };
    let spec = target::Spec {
        connections: 1,
        ..greeter::spec(address, spec)
    };
    let run = RunSpec {
        token: "7f3a".into(),
        counted_ms: 60_000,
        requests: Some(200),
        ..RunSpec::default()
    };
    let mut target = target::open(&spec).expect("it listens");
    let result = target.run(&run, &RunControl::default()).expect("a run");
    assert!(result.counts.errors.protocol >= 9, "{:?}", result.counts);
    assert_eq!(result.counts.resent, 0);
    assert_eq!(result.counts.replies + result.counts.errors.total(), 200);
}

#[test]
fn a_stream_that_is_reset_has_no_status() {
    let address = scripted_server(&[], |_, _, stream| {
        let mut bytes = Vec::new();
        frame::push_reset(stream, frame::CANCEL, &mut bytes);
        bytes
    });
    let spec = target::Spec {
        connections: 1,
        ..greeter::spec(address, greeter::ask())
    };
    let run = RunSpec {
        counted_ms: 60_000,
        requests: Some(10),
        ..RunSpec::default()
    };
    let mut target = target::open(&spec).expect("it listens");
    let result = target.run(&run, &RunControl::default()).expect("a run");
    assert_eq!(result.counts.counted_errors.protocol, 10);
    assert!(result.statuses.is_empty(), "{:?}", result.statuses);
}

#[test]
fn a_body_that_a_reset_cuts_off_is_not_whole() {
    let address = server(|mut stream, _| {
        if stream.peek(&mut [0]).is_ok_and(|n| n > 0) {
            send(&mut stream, b"HTTP/1.1 200 OK\r\n\r\nHello fro");
            // Read by the client before the connection is reset, as the request is left unread.
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let url = format!("http://{address}/x");
    let summary = summary(&[&url, "--no-keepalive", "-n", "5", "-c", "1"]);
    let counts = (number(&summary["requests"]), number(&summary["errors"]));
    assert_eq!(counts, (0, 5), "{summary}");
}

#[test]
fn the_warm_up_is_no_part_of_the_summary() {
    let started = Instant::now();
    let address = server(move |mut stream, _| {
        while read_head(&mut stream).is_some() {
            if started.elapsed() < Duration::from_millis(200) {
                send(
                    &mut stream,
                    b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n",
                );
            } else {
                send(&mut stream, &hello("/x"));
            }
        }
    });
    let url = format!("http://{address}/x");
    for options in [&[][..], &["-R", "500", "--allow-shortfall"]] {
        let arguments = ["-c", "2", "--warmup", "1500ms", "-d", "200ms"];
        let summary = summary(&[&[url.as_str()], &arguments[..], options].concat());
        assert_eq!(number(&summary["errors"]), 0, "{summary}");
        assert_eq!(summary["statuses"]["500"], Value::Null, "{summary}");
        assert_eq!(summary["statuses"]["200"], summary["requests"]);
    }
}

/// The summary of a run that has to end.
fn ends(arguments: &[&str]) -> Value {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let _ = tell.send(summary(&arguments));
    });
    told.recv_timeout(Duration::from_secs(300)).expect("an end")
}

/// Says `bytes` over and over and reads nothing, until the peer has gone.
fn flood(mut stream: TcpStream, first: &[u8], bytes: &[u8]) {
    use std::io::Write;
    send(&mut stream, first);
    while stream.write_all(bytes).is_ok() {}
}

/// A network on which one reply goes on for ever: every read is full, and takes 10 us.
#[derive(Default)]
struct Endless {
    now_ns: u64,
    is_asked: bool,
    has_said_head: bool,
}

impl Net for Endless {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn connect(&mut self, _: usize) -> io::Result<bool> {
        (self.is_asked, self.has_said_head) = (false, false);
        Ok(true)
    }

    fn connected(&mut self, _: usize) -> io::Result<bool> {
        Ok(true)
    }

    fn close(&mut self, _: usize) {}

    fn send(&mut self, _: usize, bytes: &[u8]) -> io::Result<usize> {
        self.is_asked = true;
        Ok(bytes.len())
    }

    fn recv(&mut self, _: usize, buffer: &mut [u8]) -> io::Result<usize> {
        self.now_ns += 10_000;
        buffer.fill(b'x');
        if !self.has_said_head {
            self.has_said_head = true;
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\n";
            buffer[..head.len()].copy_from_slice(head);
        }
        Ok(buffer.len())
    }

    fn pause(&mut self, ns: u64) {
        self.now_ns += ns;
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        events.clear();
        if std::mem::take(&mut self.is_asked) {
            events.push(Event {
                id: 0,
                readable: true,
                hangup: false,
                writable: false,
            });
        } else {
            self.now_ns = self.now_ns.max(deadline_ns);
        }
        Ok(())
    }
}

#[test]
fn a_body_without_end_keeps_no_run_from_its_timeouts_and_its_end() {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let settings = Settings {
            connections: 1,
            keep_alive: true,
            depth: 1,
            timeout_ns: 100_000_000,
            coalesce: Coalesce::Off,
        };
        let protocol = Http1::new(vec![Request::get("/")], "h", true);
        let mut worker = Worker::new(settings, protocol, Endless::default());
        worker.open("endless").expect("it connects");
        let run = RunSpec {
            counted_ms: 1_000,
            ..RunSpec::default()
        };
        let result = worker.run(&run, &RunControl::default()).expect("a run");
        let _ = tell.send((result.counts, result.drained_ns - result.started_ns));
    });
    let (counts, ns) = told.recv_timeout(Duration::from_secs(300)).expect("an end");
    // A timeout each 100 ms, and a pause of up to 128 ms before the next attempt.
    assert!(counts.errors.timeout >= 4, "{counts:?}");
    assert!(ns <= 1_100_000_000 + 1_000_000, "{ns}");
}

#[test]
fn a_server_that_asks_for_acknowledgements_and_does_not_read_is_given_up() {
    let mut pings = Vec::new();
    for _ in 0..10_000 {
        frame::push(frame::PING, 0, 0, &[0; 8], &mut pings);
    }
    let address = server(move |stream, _| {
        let mut settings = Vec::new();
        frame::push_settings(&[], &mut settings);
        flood(stream, &settings, &pings);
    });
    let url = format!("http://{address}/x");
    let summary = ends(&[&url, "--http2", "-n", "1", "-c", "1", "--timeout", "30s"]);
    let error = summary["first_error"].as_str().expect("an error");
    assert!(error.contains("does not read"), "{error}");
}
