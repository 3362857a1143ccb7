//! Redis load against a real redis-server, against our own sink, and against servers that lie.

#[path = "support/serving.rs"]
mod serving;
mod support;

use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::run_control::RunControl;
use deadheat_load::protocol::redis::{words, CommandSpec};
use deadheat_load::target::{self, Spec};
use serde_json::{json, Value};
use serving::Server;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// A real Redis; it ends with its test.
struct RealRedis {
    child: Child,
    address: SocketAddr,
}

impl RealRedis {
    /// A real Redis of our own, with nothing kept on disk.
    fn start(options: &[&str]) -> Self {
        // A port that was free may be somebody else's by the time that Redis is there.
        (0..20)
            .find_map(|_| Self::on_a_free_port(options))
            .expect("redis-server ends as soon as it is started")
    }

    /// `None` if it ended, as it does where somebody else has its port.
    fn on_a_free_port(options: &[&str]) -> Option<Self> {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let port = address.port().to_string();
        let child = Command::new("redis-server")
            .args([
                "--port",
                &port,
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
            ])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("redis-server is needed for this test: apt-get install redis-server");
        let mut server = Self { child, address };
        // Its own words: whoever answers on the port may be another.
        let mut log = BufReader::new(server.child.stdout.take().unwrap());
        let mut line = String::new();
        while log.read_line(&mut line).unwrap() > 0 {
            if line.contains("eady to accept connections") {
                // Its pipe is read on, so that it never waits for us.
                std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
                return Some(server);
            }
            line.clear();
        }
        None
    }
}

impl Drop for RealRedis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn our_sink(options: &[&str]) -> Server {
    Server::of("redis", options)
}

fn spec(address: SocketAddr, before: &str, commands: &[&str], expect: Option<Vec<Value>>) -> Spec {
    let ask = CommandSpec {
        commands: commands.iter().map(|line| words(line).unwrap()).collect(),
        expect,
        depth: Some(16),
        resp3: false,
    };
    Spec {
        connections: 3,
        ..Spec::redis(&format!("redis://{before}{address}"), ask)
    }
}

fn load(spec: &Spec, requests: u64) -> RunResult {
    let mut target = target::open(spec).expect("it opens");
    let turn = RunSpec {
        token: "7f3a".into(),
        counted_ms: 60_000,
        requests: Some(requests),
        ..RunSpec::default()
    };
    target.run(&turn, &RunControl::default()).expect("it runs")
}

#[test]
fn a_real_redis_answers_right() {
    let server = RealRedis::start(&[]);
    for resp3 in [false, true] {
        let commands = [
            "SET k{token} v{token}",
            "GET k{token}",
            "GET none",
            "LRANGE none 0 -1",
        ];
        let expect = vec![json!("OK"), json!("v{token}"), json!(null), json!([])];
        let mut spec = spec(server.address, "", &commands, Some(expect));
        // One connection: GET comes behind SET.
        spec.connections = 1;
        spec.redis.resp3 = resp3;
        let slice = load(&spec, 4_000);
        assert_eq!(slice.counts.first_error, None);
        assert_eq!(
            (slice.counts.replies_all, slice.counts.errors.total()),
            (4_000, 0)
        );
    }
}

#[test]
fn numbers_in_commands_and_replies() {
    let server = RealRedis::start(&[]);
    let numbered = [json!("{token}-{seq}"), json!("OK"), json!(["{seq}"])];
    let commands = ["ECHO {token}-{seq}", "SET k{seq} {seq}", "MGET k99"];
    for (n, pipeline) in [(1, 1), (1, 16), (2, 16)] {
        let expect = numbered[..n].to_vec();
        let mut spec = spec(server.address, "", &commands[..n], Some(expect));
        spec.depth = pipeline;
        let slice = load(&spec, 2_000);
        assert_eq!(
            (slice.counts.replies_all, slice.counts.first_error),
            (2_000, None)
        );
    }
    // The command does not vary, what is expected of it does: right once.
    let wrong = numbered[2..].to_vec();
    let slice = load(&spec(server.address, "", &commands[2..], Some(wrong)), 200);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.body),
        (1, 199)
    );
}

#[test]
fn a_real_redis_counts_what_it_was_asked() {
    let server = RealRedis::start(&[]);
    let slice = load(&spec(server.address, "", &["INCR n"], None), 5_000);
    assert_eq!(
        (slice.counts.replies_all, slice.counts.errors.total()),
        (5_000, 0)
    );
    let slice = load(
        &spec(server.address, "", &["GET n"], Some(vec![json!("5000")])),
        100,
    );
    assert_eq!(slice.counts.first_error, None);
}

#[test]
fn passwords_and_databases() {
    let server = RealRedis::start(&["--requirepass", "s3cret"]);
    let ok = Some(vec![json!("OK")]);
    for resp3 in [false, true] {
        let mut spec = spec(server.address, ":s3cret@", &["SET a 1"], ok.clone());
        spec.url += "/3";
        spec.redis.resp3 = resp3;
        assert_eq!(load(&spec, 100).counts.first_error, None);
    }
    let mut there = spec(
        server.address,
        ":s3cret@",
        &["GET a"],
        Some(vec![json!("1")]),
    );
    assert_eq!(load(&there, 10).counts.errors.body, 10);
    there.url += "/3";
    assert_eq!(load(&there, 10).counts.errors.body, 0);
    for (before, what) in [
        (":wrong@", "AUTH: -WRONGPASS"),
        ("me:s3cret@", "AUTH: -WRONGPASS"),
    ] {
        let error = target::open(&spec(server.address, before, &["PING"], None))
            .err()
            .unwrap();
        assert!(error.message.contains(what), "{error}");
    }
    let slice = load(&spec(server.address, "", &["PING"], None), 32);
    assert_eq!(slice.counts.errors.status, 32);
    assert_eq!(
        slice.counts.first_error.unwrap(),
        "PING: -NOAUTH Authentication required."
    );
}

#[test]
fn error_replies_and_wrong_ones_are_told_apart() {
    let server = RealRedis::start(&[]);
    let expect = Some(vec![json!("OK"), json!(1), json!("ba")]);
    let spec = spec(
        server.address,
        "",
        &["SET a bar", "INCR a", "GET a"],
        expect,
    );
    let slice = load(
        &Spec {
            connections: 1,
            ..spec
        },
        3_000,
    );
    assert_eq!(
        (slice.counts.errors.status, slice.counts.errors.body),
        (1_000, 1_000)
    );
    assert_eq!(slice.counts.replies_all, 1_000);
    let first = slice.counts.first_error.unwrap();
    assert_eq!(first, "INCR: -ERR value is not an integer or out of range");
}

#[test]
fn the_sink_answers_as_redis_does() {
    let (redis, sink) = (RealRedis::start(&[]), our_sink(&[]));
    let script = [
        "SET a bar",
        "GET a",
        "GET b",
        "INCR n",
        "INCRBY n 41",
        "GET n",
        "INCR a",
        "DECR n",
        "DEL a b n",
        "GET a",
        "INCR n",
        "SELECT 1",
        "GET n",
        "INCRBY n x",
        "SET n 9223372036854775807",
        "INCR n",
        "EXISTS n n x",
        "SELECT 0",
        "GET n",
        "SELECT 99",
        "FLUSHALL",
        "GET n",
        "PING",
        "PING x",
        "ECHO 'a b'",
        "SET e ''",
        "GET e",
        "CLIENT SETNAME x",
    ];
    let ask = |address: SocketAddr| {
        let mut stream = TcpStream::connect(address).unwrap();
        for line in script {
            let words = words(line).unwrap();
            write!(stream, "*{}\r\n", words.len()).unwrap();
            for word in words {
                write!(stream, "${}\r\n{word}\r\n", word.len()).unwrap();
            }
        }
        stream.write_all(b"PING\r\nQUIT\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    assert_eq!(ask(sink.socket()), ask(redis.address));
}

/// The pipeline of the study, `n` instead of 100,000 times.
fn study(n: usize) -> Vec<u8> {
    let command = |words: &[&str]| {
        let words = words
            .iter()
            .map(|word| format!("${}\r\n{word}\r\n", word.len()));
        format!("*{}\r\n{}", words.len(), words.collect::<String>()).into_bytes()
    };
    let del = command(&["DEL", "foo"]);
    let parts = [
        del.clone(),
        command(&["SET", "foo", "bar"]).repeat(n),
        command(&["GET", "foo"]).repeat(n),
        del.clone(),
        command(&["INCR", "foo"]).repeat(n),
        del,
        command(&["GET", "foo"]).repeat(n),
    ];
    parts.concat()
}

/// Sends all in pieces of `at_once` bytes, reading nothing before the end unless `meanwhile`.
fn ask_sink(sink: &Server, bytes: &[u8], at_once: usize, meanwhile: bool) -> u64 {
    let mut stream = TcpStream::connect(sink.socket()).unwrap();
    let mut reading = stream.try_clone().unwrap();
    let read = std::thread::spawn(move || {
        if !meanwhile {
            std::thread::park();
        }
        std::io::copy(&mut reading, &mut std::io::sink()).unwrap()
    });
    for piece in bytes.chunks(at_once) {
        stream.write_all(piece).unwrap();
    }
    read.thread().unpark();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    // The sink closes when it has read all; what it has not sent yet is lost then.
    read.join().unwrap()
}

fn fnv(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[test]
fn the_sink_tells_what_it_was_asked() {
    let sink = our_sink(&[]);
    let bytes = study(5_000);
    for at_once in [bytes.len(), 1_000, 7_919] {
        ask_sink(&sink, &bytes, at_once, true);
    }
    let lines = sink.stop_all();
    let (count, reports) = lines.split_last().unwrap();
    assert_eq!(count["requests"], 3 * 20_003);
    assert_eq!(reports.len(), 3);
    let expected = "1*3:DEL,3:foo,\n5000*3:SET,3:foo,3:bar,\n5000*3:GET,3:foo,\n1*3:DEL,3:foo,\n\
        5000*4:INCR,3:foo,\n1*3:DEL,3:foo,\n5000*3:GET,3:foo,\n";
    for report in reports {
        assert_eq!(report["hash"], fnv(expected));
        assert_eq!(report["commands"], 20_003);
        assert_eq!(
            report["by_name"],
            json!({"DEL": 3, "GET": 10_000, "INCR": 5_000, "SET": 5_000})
        );
        assert_eq!(report["bytes_in"], bytes.len());
        assert_eq!(report["runs"][1], json!([5_000, "SET foo bar"]));
    }
}

#[test]
fn lies_of_the_sink_are_counted_as_what_they_are() {
    let sink = our_sink(&["--fail", "1/10", "--wrong-body", "1/25"]);
    let slice = load(
        &spec(sink.socket(), "", &["SET a bar"], Some(vec![json!("OK")])),
        1_000,
    );
    assert_eq!(
        (slice.counts.errors.status, slice.counts.errors.body),
        (100, 20)
    );
    assert_eq!(slice.counts.replies_all, 880);
    let lines = sink.stop_all();
    let count = lines.last().unwrap();
    assert_eq!(
        (&count["fail"], &count["wrong_body"]),
        (&json!(100), &json!(20))
    );
    let sink = our_sink(&["--byte-by-byte"]);
    let slice = load(
        &spec(sink.socket(), "", &["SET a bar"], Some(vec![json!("OK")])),
        1_000,
    );
    assert_eq!(
        (slice.counts.replies_all, slice.counts.first_error),
        (1_000, None)
    );
}

#[test]
fn what_is_not_redis_is_an_error_and_no_panic() {
    for (said, kind) in [
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "not a RESP reply"),
        ("$1152921504606846976\r\n", "a length that is none"),
        ("*1\r\n*1\r\n$-7\r\n", "a length that is none"),
    ] {
        let address = support::server(move |mut stream, _| {
            let _ = stream.read(&mut [0; 1024]);
            support::send(&mut stream, said.as_bytes());
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let slice = load(&spec(address, "", &["PING"], None), 3);
        let first = slice.counts.first_error.expect("an error");
        // Any of three connections may be the first.
        assert!(
            first.starts_with(&format!("{kind} (connection ")),
            "{first}"
        );
        assert!(slice.counts.errors.protocol > 0);
        assert_eq!(slice.counts.replies_all, 0);
    }
}

#[test]
fn mistakes_before_any_load() {
    let address = SocketAddr::from(([127, 0, 0, 1], 1));
    let two = Some(vec![json!(1), json!(2)]);
    for (commands, expect, what) in [
        (vec![], None, "at least one command"),
        (vec!["PING"], two, "1 commands, but 2 expected"),
        (vec!["PING"], Some(vec![json!({})]), "expected as text"),
        (vec!["PING"], None, "refused the connection"),
    ] {
        let error = target::open(&spec(address, "", &commands, expect))
            .err()
            .unwrap();
        assert!(error.message.contains(what), "{error}");
    }
}
