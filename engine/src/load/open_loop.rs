//! Open loop: requests are sent when they are due, to whichever connection has room. When none
//! has, they wait in a queue that is counted and never dropped; their latency runs on.

use super::arrivals::{Arrivals, Schedule};
use super::lateness::Lateness;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// When requests are sent, relative to when they are due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pacing {
    /// Each at its time: a wake-up for nearly every request.
    #[default]
    Exact,
    /// All that are due within one millisecond together, at its beginning. A request that is
    /// sent before its time has its latency counted from when it was sent.
    Burst,
    /// The same with a shorter tick than a millisecond.
    #[serde(skip)]
    Tick(Duration),
}

const BURST_NS: u64 = 1_000_000;
/// A wake-up is not worth less, and one more than a millisecond apart is a burst for long.
const TICK_US: RangeInclusive<u64> = 50..=1_000;

impl FromStr for Pacing {
    type Err = String;

    /// `exact`, `burst`, or a tick such as `200us`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "exact" => Ok(Self::Exact),
            "burst" => Ok(Self::Burst),
            _ => text
                .strip_suffix("us")
                .and_then(|us| us.parse().ok())
                .filter(|us| TICK_US.contains(us))
                .map(|us| Self::Tick(Duration::from_micros(us)))
                .ok_or_else(|| format!("{text:?} is not exact, burst or 50us to 1000us")),
        }
    }
}
const NS_PER_S: f64 = 1e9;

/// The state of one open-loop run.
pub struct OpenLoop {
    rate: f64,
    pacing: Pacing,
    started_ns: u64,
    /// Counted are the requests that are due in this span, however late they are answered.
    from_ns: u64,
    until_ns: u64,
    /// The first request that has not been sent.
    head: Schedule,
    /// The first request that is not due yet.
    tail: Schedule,
    /// Due and not sent.
    queued: u64,
    queue_max: u64,
    due: u64,
    sent: u64,
    last_sent_ns: u64,
    /// Connections that may have room; each is in here once at most.
    ready: VecDeque<usize>,
    listed: Vec<bool>,
    /// Since when one has had room all the time; `None`: none has.
    room_since_ns: Option<u64>,
    lateness: Lateness,
}

/// How an open-loop run went; the fields of `open_loop` in docs/engine-protocol.md.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OpenReport {
    pub asked_rps: f64,
    pub achieved_rps: f64,
    pub due: u64,
    pub sent: u64,
    pub unsent: u64,
    pub queue_max: u64,
    /// Of the counted requests that had a connection in time.
    #[serde(skip)]
    pub lateness: Lateness,
}

impl OpenReport {
    /// Takes in that of another worker in the same run.
    pub fn add(&mut self, other: &Self) {
        self.asked_rps += other.asked_rps;
        self.achieved_rps += other.achieved_rps;
        self.due += other.due;
        self.sent += other.sent;
        self.unsent += other.unsent;
        self.queue_max += other.queue_max;
        self.lateness.add(&other.lateness);
    }
}

/// When requests are to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OpenPlan {
    pub arrivals: Arrivals,
    /// Requests a second.
    pub rate: f64,
    pub pacing: Pacing,
    pub seed: u64,
    /// How much later than the run the first request is due.
    pub offset_ns: u64,
}

/// When a run begins, and its counted part.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub started_ns: u64,
    pub from_ns: u64,
    pub until_ns: u64,
}

impl OpenLoop {
    pub fn new(plan: &OpenPlan, span: Span, connections: usize) -> Self {
        let start_ns = span.started_ns + plan.offset_ns;
        let schedule = Schedule::new(plan.arrivals, plan.rate, start_ns, plan.seed);
        Self {
            rate: plan.rate,
            pacing: plan.pacing,
            started_ns: span.started_ns,
            from_ns: span.from_ns,
            until_ns: span.until_ns,
            head: schedule.clone(),
            tail: schedule,
            queued: 0,
            queue_max: 0,
            due: 0,
            sent: 0,
            last_sent_ns: span.from_ns,
            ready: VecDeque::with_capacity(connections),
            listed: vec![false; connections],
            room_since_ns: None,
            lateness: Lateness::default(),
        }
    }

    /// Whether a request that was due then belongs to the counted part.
    #[inline]
    pub fn counts(&self, due_ns: u64) -> bool {
        (self.from_ns..self.until_ns).contains(&due_ns)
    }

    /// The ticks at which alone requests are sent.
    #[inline]
    fn tick_ns(&self) -> Option<u64> {
        match self.pacing {
            Pacing::Exact => None,
            Pacing::Burst => Some(BURST_NS),
            Pacing::Tick(tick) => Some(tick.as_nanos() as u64),
        }
    }

    /// Up to when requests may be sent at `now_ns`.
    fn horizon_ns(&self, now_ns: u64) -> u64 {
        let horizon_ns = match self.tick_ns() {
            None => now_ns + 1,
            Some(tick_ns) => self.tick_at(now_ns, tick_ns) + tick_ns,
        };
        horizon_ns.min(self.until_ns)
    }

    /// When to look again for something to send; `None` if only a reply can change anything.
    pub fn next_ns(&self) -> Option<u64> {
        let due_ns = self.head.due_ns();
        if self.ready.is_empty() || due_ns >= self.until_ns {
            return None;
        }
        Some(self.sending_at(due_ns))
    }

    /// When a request that is due then is to be sent.
    #[inline]
    fn sending_at(&self, due_ns: u64) -> u64 {
        match self.tick_ns() {
            None => due_ns,
            Some(tick_ns) => self.tick_at(due_ns, tick_ns),
        }
    }

    /// How long nothing is sent, whatever is answered: until the next tick, and for one tick at
    /// most. `None` where there are no ticks, or a reply is needed to send.
    pub fn nothing_to_send_ns(&self, now_ns: u64) -> Option<u64> {
        let tick_ns = self.tick_ns()?;
        Some(self.next_ns()?.saturating_sub(now_ns).min(tick_ns))
    }

    /// When the tick began in which this is.
    #[inline]
    fn tick_at(&self, ns: u64, tick_ns: u64) -> u64 {
        ns - (ns - self.started_ns) % tick_ns
    }

    /// Whether everything that will ever be due has been sent.
    pub fn is_exhausted(&self) -> bool {
        self.head.due_ns() >= self.until_ns
    }

    /// Counts what has become due.
    pub fn observe(&mut self, now_ns: u64) {
        while self.tail.due_ns() <= now_ns && self.tail.due_ns() < self.until_ns {
            self.queued += 1;
            self.due += u64::from(self.counts(self.tail.due_ns()));
            self.tail.advance();
        }
        self.queue_max = self.queue_max.max(self.queued);
    }

    /// Takes the next request that may be sent at `now_ns`: when it is due.
    #[inline]
    pub fn take(&mut self, now_ns: u64) -> Option<u64> {
        let due_ns = self.head.due_ns();
        if due_ns >= self.horizon_ns(now_ns) {
            return None;
        }
        self.head.advance();
        // A burst sends some before their time: they become due now.
        self.observe(now_ns.max(due_ns));
        self.queued -= 1;
        if self.counts(due_ns) {
            self.sent += 1;
            self.last_sent_ns = now_ns;
            let at_ns = self.sending_at(due_ns);
            // Else it was the server that kept it waiting: that is the queue.
            if self.room_since_ns.is_some_and(|since_ns| since_ns <= at_ns) {
                self.lateness.record(now_ns - at_ns);
            }
        }
        Some(due_ns)
    }

    /// Nothing that is not sent yet is asked for any more.
    pub fn close(&mut self) {
        self.until_ns = self.until_ns.min(self.head.due_ns());
        self.due = self.sent;
        self.queued = 0;
    }

    /// A connection has room since then, if none had before.
    #[inline]
    pub fn has_room(&mut self, since_ns: u64) {
        self.room_since_ns.get_or_insert(since_ns);
    }

    /// A connection may have room.
    pub fn list(&mut self, id: usize, now_ns: u64) {
        self.has_room(now_ns);
        if !self.listed[id] {
            self.listed[id] = true;
            self.ready.push_back(id);
        }
    }

    /// A connection has no room: if none is on the list, none has.
    pub fn has_no_room(&mut self) {
        if self.ready.is_empty() {
            self.room_since_ns = None;
        }
    }

    /// Takes the connection that has waited longest off the list.
    pub fn unlist(&mut self) -> Option<usize> {
        let id = self.ready.pop_front()?;
        self.listed[id] = false;
        Some(id)
    }

    /// How the run went.
    pub fn report(&mut self) -> OpenReport {
        self.observe(self.until_ns);
        // All requests that were due are sent in the end, so a shortfall is the time it took.
        let span_ns = (self.last_sent_ns.max(self.until_ns) - self.from_ns).max(1);
        OpenReport {
            asked_rps: self.rate,
            achieved_rps: self.sent as f64 * NS_PER_S / span_ns as f64,
            due: self.due,
            sent: self.sent,
            unsent: self.due - self.sent,
            queue_max: self.queue_max,
            lateness: std::mem::take(&mut self.lateness),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_50_us_to_a_millisecond() {
        assert_eq!("exact".parse(), Ok(Pacing::Exact));
        assert_eq!("burst".parse(), Ok(Pacing::Burst));
        let tick = Pacing::Tick(Duration::from_micros(200));
        assert_eq!("200us".parse(), Ok(tick));
        for wrong in ["49us", "1001us", "200", "1ms", "us", "-1us", ""] {
            assert!(wrong.parse::<Pacing>().is_err(), "{wrong}");
        }
    }
}
