//! The load loop over a simulated network in virtual time.

#![allow(dead_code, reason = "each test binary uses its own part")]

use deadheat_load::load::coalesce::Coalesce;
use deadheat_load::load::run::{RunResult, RunSpec};
use deadheat_load::load::run_control::RunControl;
use deadheat_load::load::{Settings, Worker};
use deadheat_load::net::{Event, Net};
use deadheat_load::protocol::http::stream::StreamForm;
use deadheat_load::protocol::http::Request;
use deadheat_load::protocol::http1::Http1;
use deadheat_load::protocol::Protocol;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind::WouldBlock};
use std::rc::Rc;

/// When it is, at first.
pub const START_NS: u64 = 1_000_000_000_000;
const TIMEOUT_NS: u64 = 10_000_000_000;
const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A piece of a reply, and when it comes.
pub type Piece = (u64, Vec<u8>);

/// What the server does with bytes that arrive at a point in time on a connection: what comes when?
pub type Server = Box<dyn FnMut(u64, usize, &[u8]) -> Vec<Piece>>;

/// Connections to a server that answers each request at the times that `Server` says. Time
/// passes only while the loop waits or pauses, and for `busy_ns` with each reply.
pub struct Simulated {
    now_ns: u64,
    server: Server,
    /// Pieces of replies on their way, by time: (time, order) to connection.
    coming: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    here: Vec<VecDeque<Piece>>,
    order: u64,
    /// When each request was sent.
    pub requests: Rc<RefCell<Vec<u64>>>,
    /// As told by the kernel, if it is asked to.
    arrived_ns: Option<u64>,
    pub is_stamped: bool,
    /// What it takes to handle one reply.
    pub busy_ns: u64,
    /// How much longer than asked for a wait takes that nothing ends.
    pub overslept_ns: u64,
    pub waits: Rc<Cell<u64>>,
    /// When each reply arrived, in order.
    pub arrivals: Rc<RefCell<Vec<u64>>>,
}

impl Net for Simulated {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn connect(&mut self, _: usize) -> io::Result<bool> {
        Ok(true)
    }

    fn connected(&mut self, _: usize) -> io::Result<bool> {
        Ok(true)
    }

    fn close(&mut self, id: usize) {
        self.here[id].clear();
        self.coming.retain(|_, (to, _)| *to != id);
    }

    fn send(&mut self, id: usize, bytes: &[u8]) -> io::Result<usize> {
        self.requests.borrow_mut().push(self.now_ns);
        for (at_ns, piece) in (self.server)(self.now_ns, id, bytes) {
            self.order += 1;
            self.coming.insert((at_ns, self.order), (id, piece));
        }
        Ok(bytes.len())
    }

    fn recv(&mut self, id: usize, buffer: &mut [u8]) -> io::Result<usize> {
        let (at_ns, reply) = self.here[id].pop_front().ok_or(WouldBlock)?;
        self.now_ns += self.busy_ns;
        self.arrived_ns = self.is_stamped.then_some(at_ns);
        buffer[..reply.len()].copy_from_slice(&reply);
        Ok(reply.len())
    }

    fn arrived_ns(&self) -> Option<u64> {
        self.arrived_ns
    }

    fn pause(&mut self, ns: u64) {
        self.now_ns += ns;
    }

    fn wait(&mut self, deadline_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        events.clear();
        self.waits.set(self.waits.get() + 1);
        let Some((&(at_ns, _), _)) = self.coming.first_key_value() else {
            assert_ne!(deadline_ns, u64::MAX, "waiting for nothing for ever");
            self.now_ns = self.now_ns.max(deadline_ns) + self.overslept_ns;
            return Ok(());
        };
        if at_ns > deadline_ns {
            self.now_ns = self.now_ns.max(deadline_ns) + self.overslept_ns;
            return Ok(());
        }
        self.now_ns = self.now_ns.max(at_ns);
        while let Some(entry) = self.coming.first_entry() {
            if entry.key().0 > self.now_ns {
                break;
            }
            let at_ns = entry.key().0;
            let (id, piece) = entry.remove();
            self.here[id].push_back((at_ns, piece));
            self.arrivals.borrow_mut().push(at_ns);
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

impl Simulated {
    /// A server that answers each request with a short reply, at the time that it says.
    pub fn new(mut server: impl FnMut(u64) -> u64 + 'static, connections: usize) -> Self {
        let server = move |at_ns| vec![(server(at_ns), REPLY.to_vec())];
        Self::in_pieces(server, connections)
    }

    /// A server that answers each request in pieces.
    pub fn in_pieces(
        mut server: impl FnMut(u64) -> Vec<Piece> + 'static,
        connections: usize,
    ) -> Self {
        let server = move |at_ns, _: usize, bytes: &[u8]| {
            assert!(bytes.ends_with(b"\r\n\r\n"), "whole requests");
            server(at_ns)
        };
        Self::over_bytes(server, connections)
    }

    /// A server of any protocol.
    pub fn over_bytes(
        server: impl FnMut(u64, usize, &[u8]) -> Vec<Piece> + 'static,
        connections: usize,
    ) -> Self {
        Self {
            now_ns: START_NS,
            server: Box::new(server),
            coming: BTreeMap::new(),
            here: vec![VecDeque::new(); connections],
            order: 0,
            requests: Rc::default(),
            arrived_ns: None,
            is_stamped: false,
            busy_ns: 0,
            overslept_ns: 0,
            waits: Rc::default(),
            arrivals: Rc::default(),
        }
    }
}

fn settings(connections: usize, coalesce: Coalesce) -> Settings {
    Settings {
        connections,
        keep_alive: true,
        depth: 1,
        timeout_ns: TIMEOUT_NS,
        coalesce,
    }
}

/// The same for replies that are streams.
pub fn over_streams(
    net: Simulated,
    connections: usize,
    form: StreamForm,
    turn: &RunSpec,
) -> RunResult {
    let protocol = Http1::new(vec![Request::get("/")], "h", true).streaming(Some(form));
    let settings = settings(connections, Coalesce::Off);
    let mut worker = Worker::new(settings, protocol, net).timing_streams();
    worker.open("simulated").expect("always");
    worker.run(turn, &RunControl::default()).expect("always")
}

/// A turn of any protocol on one connection, with so many requests at once.
pub fn over_protocol<P: Protocol>(
    net: Simulated,
    protocol: P,
    depth: u32,
    turn: &RunSpec,
) -> RunResult {
    let settings = Settings {
        depth,
        ..settings(1, Coalesce::Off)
    };
    let mut worker = Worker::new(settings, protocol, net);
    worker.open("simulated").expect("always");
    worker.run(turn, &RunControl::default()).expect("always")
}

/// A turn on a target of so many connections over `net`.
pub fn over(net: Simulated, connections: usize, coalesce: Coalesce, turn: &RunSpec) -> RunResult {
    let mut request = Request::get("/");
    request.expect.status = Some(200.into());
    request.expect.body = Some("ok".into());
    let settings = settings(connections, coalesce);
    let mut worker = Worker::new(settings, Http1::new(vec![request], "h", true), net);
    worker.open("simulated").expect("always");
    worker.run(turn, &RunControl::default()).expect("always")
}
