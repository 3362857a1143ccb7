//! Requests that are streams of messages: when each message is due, and how long its answer takes.
//!
//! As with replies that are streams, nothing is counted before the end of a request, and only if
//! its reply is a right one that counts.

use super::slots::Slots;
use super::streams::Arrival;
use super::worker::Worker;
use crate::histogram::Latencies;
use crate::net::Net;
use crate::protocol::marks::Mark;
use crate::protocol::messages::{MessagePlan, Pace};
use crate::protocol::{Protocol, Slot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The messages of all connections of a worker.
pub struct Messages {
    plan: MessagePlan,
    /// Between two of them that are sent by the clock.
    interval_ns: u64,
    /// Slots of a connection.
    depth: usize,
    /// By connection and slot.
    under_way: Vec<UnderWay>,
    /// When the next message is due by the clock: of which connection, slot and request. One whose
    /// request is over is passed over.
    due: BinaryHeap<Reverse<(u64, usize, Slot, u64)>>,
    /// Slots whose next message may go, as the one before it is answered.
    answered: Vec<Slot>,
    counts: MessageCounts,
}

/// A request whose messages are on their way.
#[derive(Clone, Default)]
struct UnderWay {
    /// Number of the request, from 1; 0: none.
    number: u64,
    /// When its first message was due.
    from_ns: u64,
    /// Messages that were let go; when the last of them was due.
    let_go: u64,
    due_ns: u64,
    /// Messages that came.
    replies: u64,
    /// From each message's due time to its reply.
    latencies_ns: Vec<u64>,
}

/// What was counted of messages in the counted part of a run: of right replies alone.
#[derive(Clone, Debug, Default)]
pub struct MessageCounts {
    pub sent: u64,
    pub replies: u64,
    /// Messages that were sent and not answered, and the other way round, matched by their order.
    pub unanswered: u64,
    pub unasked: u64,
    /// From when each message was due to its reply; `None`: messages have no replies of their own.
    pub latencies: Option<Latencies>,
}

impl MessageCounts {
    fn of(plan: &MessagePlan) -> Self {
        Self {
            latencies: plan.are_answered.then(Latencies::default),
            ..Self::default()
        }
    }

    /// Takes in those of another worker.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.replies += other.replies;
        self.unanswered += other.unanswered;
        self.unasked += other.unasked;
        if let (Some(sum), Some(other)) = (&mut self.latencies, &other.latencies) {
            sum.merge(other);
        }
    }
}

impl Messages {
    /// For so many connections, with so many requests at once on each.
    pub fn new(plan: MessagePlan, connections: usize, depth: u32) -> Self {
        let depth = depth as usize;
        let interval_ns = match plan.pace {
            Pace::Answers => 0,
            Pace::Clock(interval) => u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX),
        };
        Self {
            interval_ns,
            depth,
            under_way: vec![UnderWay::default(); connections * depth],
            due: BinaryHeap::new(),
            answered: Vec::new(),
            counts: MessageCounts::of(&plan),
            plan,
        }
    }

    /// A run begins.
    pub fn begin_run(&mut self) {
        self.due.clear();
        self.counts = MessageCounts::of(&self.plan);
    }

    /// At the end of a run.
    pub fn take_counts(&mut self) -> MessageCounts {
        std::mem::take(&mut self.counts)
    }

    /// When the next message is due by the clock.
    pub fn next_ns(&self) -> u64 {
        let next = self.due.peek();
        next.map_or(u64::MAX, |Reverse((due_ns, ..))| *due_ns)
    }

    fn under_way(&mut self, id: usize, slot: Slot) -> &mut UnderWay {
        &mut self.under_way[id * self.depth + slot as usize]
    }

    /// A request goes out; how many of its messages may go with it. `from_ns` is when it was due:
    /// so was its first message.
    pub fn begin(&mut self, id: usize, slot: Slot, number: u64, from_ns: u64, now_ns: u64) -> u64 {
        let pace = self.plan.pace;
        let under_way = self.under_way(id, slot);
        under_way.latencies_ns.clear();
        let latencies_ns = std::mem::take(&mut under_way.latencies_ns);
        *under_way = UnderWay {
            number,
            from_ns,
            latencies_ns,
            ..UnderWay::default()
        };
        match pace {
            Pace::Clock(_) => self.let_go_due(id, slot, now_ns),
            Pace::Answers => {
                under_way.due_ns = from_ns;
                under_way.let_go = 1;
                1
            }
        }
    }

    /// How many more messages of a request are due by the clock; from now on they are let go.
    fn let_go_due(&mut self, id: usize, slot: Slot, now_ns: u64) -> u64 {
        let (count, interval_ns) = (self.plan.count, self.interval_ns);
        let under_way = self.under_way(id, slot);
        let since_ns = now_ns.saturating_sub(under_way.from_ns);
        let due = match since_ns.checked_div(interval_ns) {
            Some(gaps) => (gaps + 1).min(count),
            None => count,
        };
        let more = due.saturating_sub(under_way.let_go);
        under_way.let_go += more;
        let gaps_ns = due.saturating_mul(interval_ns);
        let (number, next_ns) = (under_way.number, under_way.from_ns.saturating_add(gaps_ns));
        if due < count {
            self.due.push(Reverse((next_ns, id, slot, number)));
        }
        more
    }

    /// How many messages of a request were let go: all of them, where it is sent again.
    pub fn let_go(&self, id: usize, slot: Slot) -> u64 {
        self.under_way[id * self.depth + slot as usize].let_go
    }

    /// The next request in flight that has a message due at `now_ns`, and how many.
    fn next_due<'a>(
        &mut self,
        now_ns: u64,
        slots: impl Fn(usize) -> &'a Slots,
    ) -> Option<(usize, Slot, u64)> {
        loop {
            let &Reverse((due_ns, id, slot, number)) = self.due.peek()?;
            if due_ns > now_ns {
                return None;
            }
            self.due.pop();
            let in_flight = slots(id).get(slot);
            if in_flight.busy && in_flight.sequence + 1 == number {
                let n = self.let_go_due(id, slot, now_ns);
                return Some((id, slot, n));
            }
        }
    }

    /// Puts times on the messages that came; `sending_ns` is when those that follow them are sent.
    fn take(&mut self, marks: &[Mark], arrival: &Arrival<'_>, sending_ns: u64) {
        self.answered.clear();
        for mark in marks {
            let in_flight = arrival.slots.get(mark.slot);
            let place = arrival.connection * self.depth + mark.slot as usize;
            let under_way = &mut self.under_way[place];
            if under_way.number != in_flight.sequence + 1 {
                continue;
            }
            let (plan, interval_ns) = (&self.plan, self.interval_ns);
            under_way.came(mark.events.into(), arrival.now_ns, plan, interval_ns);
            if let Some(end) = mark.end {
                if end.is_right && arrival.counts(in_flight) {
                    under_way.count(&mut self.counts);
                }
                under_way.number = 0;
            } else if under_way.waits_for_answers(plan) {
                under_way.let_go += 1;
                under_way.due_ns = sending_ns;
                self.answered.push(mark.slot);
            }
        }
    }
}

impl UnderWay {
    /// `n` messages came.
    fn came(&mut self, n: u64, now_ns: u64, plan: &MessagePlan, interval_ns: u64) {
        let known = self.let_go.saturating_sub(self.replies).min(n);
        for reply in self.replies..self.replies + known {
            let due_ns = match plan.pace {
                // No other can be without an answer.
                Pace::Answers => self.due_ns,
                Pace::Clock(_) => self.from_ns + reply * interval_ns,
            };
            self.latencies_ns.push(now_ns.saturating_sub(due_ns));
        }
        self.replies += n;
    }

    /// Its next message was to go when the one before it is answered, and it is.
    fn waits_for_answers(&self, plan: &MessagePlan) -> bool {
        let is_answered = self.replies >= self.let_go && self.let_go < plan.count;
        plan.pace == Pace::Answers && is_answered
    }

    fn count(&self, counts: &mut MessageCounts) {
        counts.sent += self.let_go;
        counts.replies += self.replies;
        let Some(latencies) = &mut counts.latencies else {
            return;
        };
        let matched = self.latencies_ns.len() as u64;
        counts.unanswered += self.let_go - matched;
        counts.unasked += self.replies - matched;
        let all = self.latencies_ns.iter();
        all.for_each(|&latency_ns| latencies.record(latency_ns));
    }
}

impl<P: Protocol, N: Net> Worker<P, N> {
    /// What the protocol has heard by now came at `now_ns`: the messages that wait for it go.
    pub(super) fn take_answers(&mut self, id: usize, now_ns: u64) {
        let (Some(messages), Some(marks)) = (&mut self.messages, self.protocol.marks()) else {
            return;
        };
        let arrival = Arrival {
            connection: id,
            slots: &self.connections[id].slots,
            requests: &self.requests,
            phase: self.phases.now(),
            now_ns,
        };
        messages.take(marks.all(), &arrival, self.net.now_ns());
        if self.streams.is_none() {
            marks.clear();
        }
        if let Some(state) = self.connections[id].protocol.as_mut() {
            for &slot in &messages.answered {
                self.protocol.let_go(state, slot, 1, &mut self.output);
            }
        }
    }

    /// Sends the messages that are due by the clock.
    pub(super) fn send_messages_due(&mut self, now_ns: u64) {
        let mut in_hand = None;
        while let Some((id, slot, n)) = self.next_message_due(now_ns) {
            if let Some(other) = in_hand.filter(|&other| other != id) {
                self.send_messages(other);
            }
            in_hand = Some(id);
            let connection = &mut self.connections[id];
            if let Some(state) = connection.protocol.as_mut() {
                // The server has had a part of the request: not to be sent again as if it had not.
                connection.may_be_stale = false;
                self.protocol.let_go(state, slot, n, &mut self.output);
            }
        }
        if let Some(id) = in_hand {
            self.send_messages(id);
        }
    }

    fn next_message_due(&mut self, now_ns: u64) -> Option<(usize, Slot, u64)> {
        let connections = &self.connections;
        let messages = self.messages.as_mut()?;
        messages.next_due(now_ns, |id| &connections[id].slots)
    }

    fn send_messages(&mut self, id: usize) {
        if !self.output.is_empty() && self.flush(id).is_err() && self.on_send_failed(id) {
            self.send_requests(id, self.net.now_ns(), u32::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn by_clock(count: u64, interval: Duration) -> Messages {
        let plan = MessagePlan {
            count,
            pace: Pace::Clock(interval),
            are_answered: true,
        };
        Messages::new(plan, 1, 1)
    }

    #[test]
    fn messages_are_due_by_the_clock_however_late_the_loop_is() {
        let mut messages = by_clock(5, Duration::from_nanos(10));
        // Sent 25 late: the first three are due.
        assert_eq!(messages.begin(0, 0, 1, 100, 125), 3);
        assert_eq!(messages.next_ns(), 130);
        assert_eq!(messages.let_go_due(0, 0, 139), 1);
        assert_eq!(messages.next_ns(), 130, "nobody has taken it");
        messages.due.clear();
        assert_eq!(messages.let_go_due(0, 0, 1_000), 1);
        assert_eq!((messages.next_ns(), messages.let_go(0, 0)), (u64::MAX, 5));
        let mut at_once = by_clock(5, Duration::ZERO);
        assert_eq!(at_once.begin(0, 0, 1, 100, 100), 5);
        assert_eq!(at_once.next_ns(), u64::MAX);
    }

    #[test]
    fn replies_are_matched_in_their_order() {
        let mut messages = by_clock(3, Duration::from_nanos(10));
        messages.begin(0, 0, 1, 100, 110);
        let plan = messages.plan;
        let under_way = messages.under_way(0, 0);
        // Two were let go, and three came.
        under_way.came(3, 150, &plan, 10);
        assert_eq!(under_way.latencies_ns, [50, 40]);
        let mut counts = MessageCounts::of(&plan);
        under_way.count(&mut counts);
        let told = (counts.sent, counts.replies, counts.unanswered);
        assert_eq!((told, counts.unasked), ((2, 3, 0), 1));
    }
}
