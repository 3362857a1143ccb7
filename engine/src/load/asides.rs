//! What is timed beside requests: upgrades of connections, and pings.

use super::worker::Worker;
use crate::histogram::Latencies;
use crate::net::Net;
use crate::protocol::websocket::Asides;
use crate::protocol::{ErrorKind, Failure, Protocol};

/// Of all connections of a worker.
pub struct AsideTimes {
    /// When each connection asked to be upgraded.
    asked_ns: Box<[u64]>,
    /// When the ping of each connection went out that has no pong yet.
    pinged_ns: Box<[u64]>,
    counts: AsideCounts,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct AsideCounts {
    /// From the sending of each upgrade to the server's answer, since the target was opened.
    pub upgrades: Latencies,
    /// From each ping to its pong, of pongs in the counted part.
    pub pings: Latencies,
    /// Messages that belong to no request, in the counted part.
    pub unasked: u64,
}

impl AsideCounts {
    /// Takes in those of another worker.
    pub fn add(&mut self, other: &Self) {
        self.upgrades.merge(&other.upgrades);
        self.pings.merge(&other.pings);
        self.unasked += other.unasked;
    }
}

impl AsideTimes {
    /// For so many connections.
    pub fn new(connections: usize) -> Self {
        let never = vec![0; connections].into_boxed_slice();
        Self {
            asked_ns: never.clone(),
            pinged_ns: never,
            counts: AsideCounts::default(),
        }
    }

    /// A run begins.
    pub fn begin(&mut self) {
        self.counts.pings.reset();
        self.counts.unasked = 0;
    }

    /// A connection stands, and asks to be upgraded.
    pub fn asked(&mut self, id: usize, now_ns: u64) {
        self.asked_ns[id] = now_ns;
    }

    pub fn counts(&self) -> AsideCounts {
        self.counts.clone()
    }

    fn take(&mut self, id: usize, asides: Asides, now_ns: u64, is_counting: bool) {
        if asides.upgraded {
            let took_ns = now_ns.saturating_sub(self.asked_ns[id]);
            self.counts.upgrades.record(took_ns);
        }
        if asides.ponged && is_counting {
            let took_ns = now_ns.saturating_sub(self.pinged_ns[id]);
            self.counts.pings.record(took_ns);
        }
        if asides.pinged {
            self.pinged_ns[id] = now_ns;
        }
        if is_counting {
            self.counts.unasked += asides.unasked;
        }
    }
}

impl<P: Protocol, N: Net> Worker<P, N> {
    /// What the protocol has told by now of the connection in hand is of `now_ns`.
    #[inline]
    pub(super) fn take_asides(&mut self, id: usize, now_ns: u64) {
        if !P::HAS_ASIDES {
            return;
        }
        let asides = self.protocol.asides();
        let is_counting = self.phases.is_counting();
        if let (true, Some(times)) = (asides != Asides::default(), &mut self.asides) {
            times.take(id, asides, now_ns, is_counting);
        }
    }

    /// Fails a connection whose upgrade has no answer in time; when that will be, if it is not yet.
    pub(super) fn give_up_upgrade(&mut self, id: usize, now_ns: u64) -> Option<u64> {
        if !P::HAS_ASIDES {
            return None;
        }
        let state = self.connections[id].protocol.as_ref()?;
        let asked_ns = self.asides.as_ref()?.asked_ns[id];
        if self.protocol.ready(state) {
            return None;
        }
        let timeout_ns = self.settings.timeout_ns;
        let until_ns = asked_ns.saturating_add(timeout_ns);
        if now_ns < until_ns {
            return Some(until_ns);
        }
        let ms = timeout_ns / 1_000_000;
        let message = format!("no answer to the upgrade within {ms} ms");
        self.shut(id);
        self.fail_connection(&Failure::new(ErrorKind::Timeout, message));
        self.connect_later(id, now_ns);
        None
    }

    /// Closes every connection in order, as far as that takes no waiting.
    fn say_goodbye(&mut self) {
        for id in 0..self.connections.len() {
            self.output.clear();
            if let Some(state) = self.connections[id].protocol.as_mut() {
                self.protocol.goodbye(state, &mut self.output);
                // Whoever is gone need not hear it.
                let _ = self.flush(id);
            }
        }
    }
}

impl<P: Protocol, N: Net> Drop for Worker<P, N> {
    fn drop(&mut self) {
        if P::HAS_ASIDES {
            self.say_goodbye();
        }
    }
}
