//! Replies on their way into the metrics.

use super::metrics::{Answered, Metrics};
use super::open_loop::OpenLoop;
use super::phases::Phase;
use super::requests::Requests;
use super::slots::{InFlight, Slots};
use crate::protocol::{Failure, Reply, Slot};

/// Where the replies of one read free their slots and are counted.
///
/// Requests that went out together mostly come back together, so neighbours are mostly alike:
/// right, of the same status, due and sent at the same times. Such a streak is counted at once,
/// when it ends or when this is dropped.
pub struct ReplySink<'a> {
    slots: &'a mut Slots,
    metrics: &'a mut Metrics,
    open_loop: Option<&'a OpenLoop>,
    in_flight: &'a mut u64,
    phase: Phase,
    now_ns: u64,
    streak: Streak,
}

/// Right replies that are alike.
#[derive(Default)]
struct Streak {
    length: u64,
    status: u16,
    due_ns: u64,
    sent_ns: u64,
    group: u32,
}

impl<'a> ReplySink<'a> {
    /// For replies on the connection of these slots that came at `now_ns`.
    #[inline]
    pub fn new(
        slots: &'a mut Slots,
        metrics: &'a mut Metrics,
        requests: &'a mut Requests,
        phase: Phase,
        now_ns: u64,
    ) -> Self {
        Self {
            slots,
            metrics,
            open_loop: requests.open_loop.as_ref(),
            in_flight: &mut requests.in_flight,
            phase,
            now_ns,
            streak: Streak::default(),
        }
    }

    /// A reply, right or wrong.
    #[inline]
    pub fn take(&mut self, reply: &Reply) {
        match &reply.failure {
            None => self.right(reply.slot, reply.status),
            Some(failure) => self.wrong(reply, failure),
        }
    }

    /// A right reply to the request in `slot`.
    #[inline]
    pub fn right(&mut self, slot: Slot, status: u16) {
        let &InFlight {
            due_ns,
            sent_ns,
            group,
            ..
        } = self.slots.release(slot);
        let streak = &mut self.streak;
        let is_alike = due_ns == streak.due_ns && sent_ns == streak.sent_ns;
        if is_alike && status == streak.status && group == streak.group {
            streak.length += 1;
        } else {
            self.flush();
            self.streak = Streak {
                length: 1,
                status,
                due_ns,
                sent_ns,
                group,
            };
        }
    }

    #[cold]
    fn wrong(&mut self, reply: &Reply, failure: &Failure) {
        self.flush();
        let &InFlight { due_ns, group, .. } = self.slots.release(reply.slot);
        self.came_back(1);
        let told = match self.open_loop {
            None => matches!(self.phase, Phase::Counted | Phase::Drain),
            Some(open) => open.counts(due_ns),
        };
        if told {
            self.metrics.status(reply.status, 1);
        }
        self.metrics.wrong(failure, told, Some(group));
    }

    #[inline]
    fn came_back(&mut self, n: u64) {
        *self.in_flight -= n;
        if self.phase == Phase::Counted {
            self.metrics.came_back(self.now_ns, n);
        }
    }

    #[inline(never)]
    fn flush(&mut self) {
        let Streak {
            length: n,
            status,
            due_ns,
            sent_ns,
            group,
        } = std::mem::take(&mut self.streak);
        if n == 0 {
            return;
        }
        self.came_back(n);
        let replies = Answered {
            n,
            status,
            group,
            // A burst sends some requests before their time: theirs runs from the sending.
            latency_ns: self.now_ns.saturating_sub(due_ns.min(sent_ns)),
            service_ns: self.open_loop.map(|_| self.now_ns.saturating_sub(sent_ns)),
            counted: match self.open_loop {
                None => self.phase == Phase::Counted,
                Some(open) => open.counts(due_ns),
            },
        };
        self.metrics.right(self.phase, self.now_ns, &replies);
    }
}

impl Drop for ReplySink<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}
