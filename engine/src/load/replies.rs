//! Replies on their way into the tally.

use super::connection::InFlight;
use super::open_loop::OpenLoop;
use super::tally::Tally;
use crate::histogram::Latencies;
use crate::protocol::{Failure, Reply, Slot};

/// Where the replies of one read free their slots and are tallied.
///
/// Requests that went out together mostly come back together, so neighbours are mostly alike:
/// right, of the same status, due and sent at the same times. Such a run is tallied at once,
/// when it ends or when this is dropped.
pub struct Replies<'a> {
    pub slots: &'a mut [InFlight],
    pub free: &'a mut Vec<Slot>,
    pub tally: &'a mut Tally,
    pub latencies: &'a mut Latencies,
    pub service: &'a mut Latencies,
    pub open_loop: Option<&'a OpenLoop>,
    pub in_flight: &'a mut u64,
    pub now_ns: u64,
    pub run: Run,
}

/// Right replies that are alike.
#[derive(Default)]
pub struct Run {
    length: u64,
    status: u16,
    due_ns: u64,
    sent_ns: u64,
}

impl Replies<'_> {
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
        let (due_ns, sent_ns) = self.release(slot);
        let run = &mut self.run;
        if due_ns == run.due_ns && sent_ns == run.sent_ns && status == run.status {
            run.length += 1;
        } else {
            self.flush();
            self.run = Run {
                length: 1,
                status,
                due_ns,
                sent_ns,
            };
        }
    }

    #[cold]
    fn wrong(&mut self, reply: &Reply, failure: &Failure) {
        self.flush();
        self.release(reply.slot);
        *self.in_flight -= 1;
        self.tally.came_back(self.now_ns, 1);
        self.tally.status(reply.status, 1);
        self.tally.counts.wrong(failure);
    }

    /// Frees a slot; when its request was due and sent.
    #[inline]
    fn release(&mut self, slot: Slot) -> (u64, u64) {
        let in_flight = &mut self.slots[slot as usize];
        in_flight.busy = false;
        self.free.push(slot);
        (in_flight.due_ns, in_flight.sent_ns)
    }

    #[inline(never)]
    fn flush(&mut self) {
        let Run {
            length: n,
            status,
            due_ns,
            sent_ns,
        } = std::mem::take(&mut self.run);
        if n == 0 {
            return;
        }
        *self.in_flight -= n;
        self.tally.came_back(self.now_ns, n);
        self.tally.status(status, n);
        // A burst sends some requests before their time: theirs runs from the sending.
        let latency_ns = self.now_ns.saturating_sub(due_ns.min(sent_ns));
        let counted = match self.open_loop {
            None => self.tally.counting(),
            Some(open) => {
                let counted = open.counts(due_ns);
                if counted {
                    let service_ns = self.now_ns.saturating_sub(sent_ns);
                    self.service.record_n(service_ns, n);
                }
                counted
            }
        };
        self.tally.right(self.now_ns, latency_ns, counted, n);
        if counted {
            self.latencies.record_n(latency_ns, n);
        }
    }
}

impl Drop for Replies<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}
