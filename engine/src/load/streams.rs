//! Replies that are streams: when their events came.
//!
//! Of a stream nothing is counted before its end, and only if it is a right reply that counts, so
//! that its figures are of the same requests as the latencies.

use super::phases::Phase;
use super::requests::Requests;
use super::slots::{InFlight, Slots};
use super::worker::Worker;
use crate::histogram::Latencies;
use crate::net::Net;
use crate::protocol::marks::{Mark, Marks, StreamEnd};
use crate::protocol::Protocol;

/// The streams of all connections of a worker.
pub struct Streams {
    /// Slots of a connection.
    depth: usize,
    /// By connection and slot.
    coming: Vec<Coming>,
    counts: StreamCounts,
}

/// A stream that is on its way.
#[derive(Clone, Default)]
struct Coming {
    /// Number of its request, from 1; 0: none.
    number: u64,
    events: u64,
    contents: u64,
    first_event_ns: Option<u64>,
    first_content_ns: Option<u64>,
    last_content_ns: u64,
    /// Times between reads with content, and how many events came with the later one.
    gaps: Vec<(u64, u32)>,
}

/// What was counted of streams in the counted part of a run: of right replies alone.
#[derive(Clone, Debug, Default)]
pub struct StreamCounts {
    pub streams: u64,
    pub events: u64,
    pub contents: u64,
    pub without_content: u64,
    /// As told by the servers, of `with_tokens` streams.
    pub tokens: u64,
    pub with_tokens: u64,
    /// From the intended time, as are the next two; in closed loop from the sending.
    pub first_event: Latencies,
    pub first_content: Latencies,
    pub last_content: Latencies,
    /// Between an event with content and the next.
    pub gaps: Latencies,
    /// From first to last content, shared out over the tokens after the first.
    pub per_token: Latencies,
}

impl StreamCounts {
    /// Takes in those of another worker.
    pub fn add(&mut self, other: &Self) {
        self.streams += other.streams;
        self.events += other.events;
        self.contents += other.contents;
        self.without_content += other.without_content;
        self.tokens += other.tokens;
        self.with_tokens += other.with_tokens;
        self.first_event.merge(&other.first_event);
        self.first_content.merge(&other.first_content);
        self.last_content.merge(&other.last_content);
        self.gaps.merge(&other.gaps);
        self.per_token.merge(&other.per_token);
    }
}

/// When marks came, and in which part of a run.
pub(super) struct Arrival<'a> {
    pub connection: usize,
    pub slots: &'a Slots,
    pub requests: &'a Requests,
    pub phase: Phase,
    pub now_ns: u64,
}

impl Arrival<'_> {
    /// Whether a stream counts that has ended: as its reply does.
    pub fn counts(&self, in_flight: &InFlight) -> bool {
        match &self.requests.open_loop {
            None => self.phase == Phase::Counted,
            Some(open) => open.counts(in_flight.due_ns),
        }
    }
}

impl Streams {
    /// For so many connections, with so many streams at once on each.
    pub fn new(connections: usize, depth: u32) -> Self {
        let depth = depth as usize;
        Self {
            depth,
            coming: vec![Coming::default(); connections * depth],
            counts: StreamCounts::default(),
        }
    }

    /// A run begins.
    pub fn begin(&mut self) {
        self.counts = StreamCounts::default();
    }

    /// At the end of a run.
    pub fn take_counts(&mut self) -> StreamCounts {
        std::mem::take(&mut self.counts)
    }

    /// Puts times on what came.
    fn take(&mut self, marks: &mut Marks, arrival: &Arrival<'_>) {
        for mark in marks.drain() {
            // What was in a slot that is free again stands there until the next request is sent.
            let in_flight = arrival.slots.get(mark.slot);
            let place = arrival.connection * self.depth + mark.slot as usize;
            let coming = &mut self.coming[place];
            if coming.number != in_flight.sequence + 1 {
                coming.begin(in_flight.sequence + 1);
            }
            coming.take(&mark, arrival.now_ns);
            let Some(end) = mark.end else {
                continue;
            };
            if end.is_right && arrival.counts(in_flight) {
                coming.count(end, in_flight, &mut self.counts);
            }
            coming.number = 0;
        }
    }
}

impl<P: Protocol, N: Net> Worker<P, N> {
    /// What the protocol has heard of streams by now came at `now_ns`.
    #[inline]
    pub(super) fn take_marks(&mut self, id: usize, now_ns: u64) {
        if P::HAS_MESSAGES {
            self.take_answers(id, now_ns);
        }
        let Some(streams) = &mut self.streams else {
            return;
        };
        if let Some(marks) = self.protocol.marks() {
            let arrival = Arrival {
                connection: id,
                slots: &self.connections[id].slots,
                requests: &self.requests,
                phase: self.phases.now(),
                now_ns,
            };
            streams.take(marks, &arrival);
        }
    }
}

impl Coming {
    fn begin(&mut self, number: u64) {
        self.gaps.clear();
        let gaps = std::mem::take(&mut self.gaps);
        *self = Self {
            number,
            gaps,
            ..Self::default()
        };
    }

    fn take(&mut self, mark: &Mark, now_ns: u64) {
        if mark.events == 0 {
            return;
        }
        self.events += u64::from(mark.events);
        self.first_event_ns.get_or_insert(now_ns);
        if mark.contents == 0 {
            return;
        }
        let is_first = self.first_content_ns.is_none();
        self.first_content_ns.get_or_insert(now_ns);
        let since_ns = if is_first {
            now_ns
        } else {
            self.last_content_ns
        };
        let gaps = mark.contents - u32::from(is_first);
        if gaps > 0 {
            self.gaps.push((now_ns.saturating_sub(since_ns), gaps));
        }
        self.contents += u64::from(mark.contents);
        self.last_content_ns = now_ns;
    }

    fn count(&self, end: StreamEnd, in_flight: &InFlight, counts: &mut StreamCounts) {
        // As latencies are: a burst sends some requests before their time.
        let from_ns = in_flight.due_ns.min(in_flight.sent_ns);
        counts.streams += 1;
        counts.events += self.events;
        counts.contents += self.contents;
        if let Some(at_ns) = self.first_event_ns {
            counts.first_event.record(at_ns.saturating_sub(from_ns));
        }
        if let Some(tokens) = end.tokens {
            counts.tokens += tokens;
            counts.with_tokens += 1;
        }
        let Some(first_ns) = self.first_content_ns else {
            counts.without_content += 1;
            return;
        };
        counts
            .first_content
            .record(first_ns.saturating_sub(from_ns));
        let last_ns = self.last_content_ns;
        counts.last_content.record(last_ns.saturating_sub(from_ns));
        for &(gap_ns, n) in &self.gaps {
            // Those that came in one read came at one time.
            counts.gaps.record(gap_ns);
            counts.gaps.record_n(0, u64::from(n) - 1);
        }
        if let Some(tokens @ 2..) = end.tokens {
            let ns = last_ns.saturating_sub(first_ns);
            counts.per_token.record(ns / (tokens - 1));
        }
    }
}
