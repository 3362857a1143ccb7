//! WebSocket over a simulated network in virtual time: what is told of upgrades, pings and
//! messages is what was planted, exactly.

use deadheat_load::histogram::Latencies;
use deadheat_load::load::coalesce::Coalesce;
use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::run_control::RunControl;
use deadheat_load::load::{Settings, Worker};
use deadheat_load::net::{Event, Net};
use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::websocket::frame::{self, Header, Opcode};
use deadheat_load::protocol::websocket::{handshake, MessageSpec, WebSocket};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind::WouldBlock};

const MS: u64 = 1_000_000;
const TIMEOUT_MS: u64 = 400;

/// How long after what was sent each thing comes.
#[derive(Clone, Copy)]
struct Planted {
    upgrade_ms: u64,
    pong_ms: u64,
    reply_ms: u64,
    /// Number of a connection, from 0, whose upgrade is never answered.
    silent: Option<usize>,
    /// A connection is closed after so many replies.
    replies: u64,
}

/// A server that does so; an empty piece is the end of a connection.
struct Simulated {
    now_ns: u64,
    planted: Planted,
    coming: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    here: VecDeque<(usize, Vec<u8>)>,
    order: u64,
    /// Of each place: number of its connection, and replies on it.
    connections: Vec<(usize, u64)>,
    opened: usize,
}

impl Simulated {
    fn new(planted: Planted, connections: usize) -> Self {
        Self {
            now_ns: 1_000 * MS,
            planted,
            coming: BTreeMap::new(),
            here: VecDeque::new(),
            order: 0,
            connections: vec![(0, 0); connections],
            opened: 0,
        }
    }

    fn say(&mut self, id: usize, after_ms: u64, bytes: Vec<u8>) {
        self.order += 1;
        let at_ns = self.now_ns + after_ms * MS;
        self.coming.insert((at_ns, self.order), (id, bytes));
    }

    fn frames(&mut self, id: usize, mut bytes: &[u8]) {
        while let Some(header) = Header::parse(bytes).expect("a frame") {
            let (payload, rest) = bytes[header.size..].split_at(header.length as usize);
            bytes = rest;
            let mut payload = payload.to_vec();
            frame::mask(&mut payload, header.key.expect("a mask"));
            let (opcode, after_ms) = match header.opcode {
                Opcode::Ping => (Opcode::Pong, self.planted.pong_ms),
                Opcode::Close => return,
                opcode => (opcode, self.planted.reply_ms),
            };
            let mut said = Vec::new();
            frame::write(opcode, &payload, None, &mut said);
            self.say(id, after_ms, said);
            if opcode != Opcode::Pong {
                self.connections[id].1 += 1;
                if self.connections[id].1 == self.planted.replies {
                    self.say(id, after_ms, Vec::new());
                }
            }
        }
    }
}

impl Net for Simulated {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn connect(&mut self, id: usize) -> io::Result<bool> {
        self.connections[id] = (self.opened, 0);
        self.opened += 1;
        Ok(true)
    }

    fn connected(&mut self, _: usize) -> io::Result<bool> {
        Ok(true)
    }

    fn close(&mut self, id: usize) {
        self.coming.retain(|_, (to, _)| *to != id);
        self.here.retain(|(to, _)| *to != id);
    }

    fn send(&mut self, id: usize, bytes: &[u8]) -> io::Result<usize> {
        let Some(head) = bytes.strip_prefix(b"GET ") else {
            self.frames(id, bytes);
            return Ok(bytes.len());
        };
        if self.planted.silent != Some(self.connections[id].0) {
            let head = std::str::from_utf8(head).expect("a head").trim_end();
            let (_, key) = head.rsplit_once(' ').expect("a key");
            let accept = handshake::accept(key);
            let answer = format!("HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n");
            self.say(id, self.planted.upgrade_ms, answer.into_bytes());
        }
        Ok(bytes.len())
    }

    fn recv(&mut self, id: usize, buffer: &mut [u8]) -> io::Result<usize> {
        let place = self.here.iter().position(|(to, _)| *to == id);
        let (_, piece) = place
            .and_then(|place| self.here.remove(place))
            .ok_or(WouldBlock)?;
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }

    fn short_read_empties(&self) -> bool {
        false
    }

    fn pause(&mut self, ns: u64) {
        self.now_ns += ns;
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        events.clear();
        let next_ns = self
            .coming
            .first_key_value()
            .map_or(u64::MAX, |(key, _)| key.0);
        let until_ns = next_ns.min(deadline_ns);
        assert_ne!(until_ns, u64::MAX, "waiting for nothing for ever");
        self.now_ns = self.now_ns.max(until_ns);
        while let Some(entry) = self.coming.first_entry() {
            if entry.key().0 > self.now_ns {
                break;
            }
            let (id, piece) = entry.remove();
            self.here.push_back((id, piece));
            events.push(Event {
                id,
                readable: true,
                hangup: false,
                writable: false,
            });
        }
        Ok(())
    }
}

fn run(planted: Planted, connections: usize, spec: &RunSpec) -> RunResult {
    let mut request = Request::get("/");
    request.body = Some("{seq}".into());
    request.expect.body = Some("{seq}".into());
    let ping = MessageSpec {
        ping: Some(2),
        ..MessageSpec::default()
    };
    let protocol =
        WebSocket::new(std::slice::from_ref(&request), &ping, 1, "h").expect("a message");
    let settings = Settings {
        connections,
        keep_alive: true,
        depth: 1,
        timeout_ns: TIMEOUT_MS * MS,
        coalesce: Coalesce::Off,
    };
    let mut worker = Worker::new(settings, protocol, Simulated::new(planted, connections));
    worker.open("simulated").expect("it opens");
    worker.run(spec, &RunControl::default()).expect("it runs")
}

/// All of them took so long, to the precision of a histogram.
fn assert_all(latencies: &Latencies, ms: u64) {
    let hdr = latencies.as_hdr();
    let expected = (ms * MS) as f64;
    for ns in [hdr.min(), hdr.max()] {
        assert!(
            (ns as f64 / expected - 1.0).abs() < 0.002,
            "{ns}, not {ms} ms"
        );
    }
}

const PLANTED: Planted = Planted {
    upgrade_ms: 30,
    pong_ms: 2,
    reply_ms: 10,
    silent: None,
    replies: u64::MAX,
};

#[test]
fn what_is_planted_is_told() {
    for rate in [None, Some(100.0)] {
        let spec = RunSpec {
            requests: Some(400),
            counted_ms: 60_000,
            rate,
            ..RunSpec::default()
        };
        let slice = run(PLANTED, 4, &spec);
        assert_eq!(
            (slice.counts.replies, slice.counts.errors.total()),
            (400, 0),
            "{rate:?}"
        );
        let asides = slice.asides.expect("there are upgrades");
        assert_eq!(
            (asides.upgrades.count(), asides.pings.count()),
            (4, 200),
            "{rate:?}"
        );
        assert_all(&asides.upgrades, 30);
        assert_all(&asides.pings, 2);
        assert_all(&slice.latencies, 10);
    }
}

#[test]
fn upgrades_of_connections_that_are_replaced_are_told_too() {
    let planted = Planted {
        replies: 10,
        ..PLANTED
    };
    let spec = RunSpec {
        requests: Some(100),
        counted_ms: 60_000,
        ..RunSpec::default()
    };
    let slice = run(planted, 1, &spec);
    assert_eq!(
        (slice.counts.replies, slice.counts.errors.total()),
        (100, 0)
    );
    // The last one is replaced too, if the run is not over before.
    assert!(
        (9..=10).contains(&slice.counts.reconnects),
        "{:?}",
        slice.counts
    );
    let asides = slice.asides.expect("there are upgrades");
    assert_eq!(asides.upgrades.count(), 10);
    assert_all(&asides.upgrades, 30);
    assert_all(&slice.latencies, 10);
}

#[test]
fn an_upgrade_without_an_answer_is_an_error_and_tried_again() {
    let planted = Planted {
        replies: 10,
        silent: Some(1),
        ..PLANTED
    };
    let spec = RunSpec {
        requests: Some(20),
        counted_ms: 60_000,
        ..RunSpec::default()
    };
    let slice = run(planted, 1, &spec);
    assert_eq!((slice.counts.replies, slice.counts.errors.timeout), (20, 1));
    let first = slice.counts.first_error.expect("an error");
    assert_eq!(first, "no answer to the upgrade within 400 ms");
}
