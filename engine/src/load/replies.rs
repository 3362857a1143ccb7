//! Replies on their way into the tally.

use super::connection::InFlight;
use super::open_loop::OpenLoop;
use super::tally::Tally;
use crate::histogram::Latencies;
use crate::protocol::Reply;

/// Where the replies of one read are tallied.
///
/// Requests that went out together mostly come back together, so neighbours are mostly alike:
/// right, of the same status, due and sent at the same times. Such a run is tallied at once,
/// when it ends or when this is dropped.
pub struct Replies<'a> {
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
    #[inline]
    pub fn take(&mut self, slot: &InFlight, reply: &Reply) {
        let run = &mut self.run;
        let alike = slot.due_ns == run.due_ns
            && slot.sent_ns == run.sent_ns
            && reply.status == run.status
            && reply.failure.is_none();
        if alike {
            run.length += 1;
        } else {
            self.take_other(slot, reply);
        }
    }

    fn take_other(&mut self, slot: &InFlight, reply: &Reply) {
        self.flush();
        if let Some(failure) = &reply.failure {
            *self.in_flight -= 1;
            self.tally.came_back(self.now_ns, 1);
            self.tally.status(reply.status, 1);
            return self.tally.wrong(failure);
        }
        self.run = Run {
            length: 1,
            status: reply.status,
            due_ns: slot.due_ns,
            sent_ns: slot.sent_ns,
        };
    }

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
