//! Several event loops on one target, one thread each. They share nothing while they run;
//! what they counted is added up at the end.

use crate::histogram::Latencies;
use crate::load::control::Control;
use crate::load::open_loop::OpenReport;
use crate::load::turn::{Slice, Turn};
use crate::target::Target;
use std::io;

pub struct Crew {
    members: Vec<Box<dyn Target>>,
    latencies: Latencies,
    service: Latencies,
}

impl Crew {
    pub fn new(members: Vec<Box<dyn Target>>) -> Self {
        Self {
            members,
            latencies: Latencies::default(),
            service: Latencies::default(),
        }
    }

    /// Each member's share of what is asked.
    fn share(&self, turn: &Turn, member: usize) -> Turn {
        let n = self.members.len() as u64;
        let k = member as u64;
        let mut share = turn.clone();
        if let Some(rate) = turn.rate {
            // Constant arrivals interleave: member k is due k gaps of the whole stream later.
            share.rate = Some(rate / n as f64);
            share.offset_ns = (k as f64 * 1e9 / rate) as u64;
            share.seed = turn.seed.map(|seed| seed.wrapping_add(k));
            share.member = k;
        }
        share.requests = turn.requests.map(|all| all / n + u64::from(k < all % n));
        share
    }
}

impl Target for Crew {
    fn turn(&mut self, turn: &Turn, control: &Control) -> io::Result<Slice> {
        let shares: Vec<Turn> = (0..self.members.len())
            .map(|member| self.share(turn, member))
            .collect();
        let slices: Vec<io::Result<Slice>> = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .members
                .iter_mut()
                .zip(&shares)
                .map(|(member, share)| scope.spawn(move || member.turn(share, control)))
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        for member in &mut self.members {
            self.latencies.merge(member.latencies());
            member.latencies().reset();
            self.service.merge(member.service());
            member.service().reset();
        }
        let mut slices = slices.into_iter().collect::<io::Result<Vec<Slice>>>()?;
        let first = slices.remove(0);
        Ok(slices.iter().fold(first, merge))
    }

    fn latencies(&mut self) -> &mut Latencies {
        &mut self.latencies
    }

    fn service(&mut self) -> &mut Latencies {
        &mut self.service
    }

    fn io(&self) -> &'static str {
        self.members[0].io()
    }
}

/// Counts add up, edges are the outermost, the longest delay is the longest of any.
fn merge(mut sum: Slice, other: &Slice) -> Slice {
    sum.started_ns = sum.started_ns.min(other.started_ns);
    sum.counted_from_ns = sum.counted_from_ns.min(other.counted_from_ns);
    sum.counted_until_ns = sum.counted_until_ns.max(other.counted_until_ns);
    sum.drained_ns = sum.drained_ns.max(other.drained_ns);
    sum.counts.add(&other.counts);
    let bins = sum.bins.len().max(other.bins.len());
    sum.bins.resize(bins, 0);
    for (bin, more) in sum.bins.iter_mut().zip(&other.bins) {
        *bin += more;
    }
    for (status, count) in &other.statuses {
        *sum.statuses.entry(*status).or_default() += count;
    }
    if let (Some(sum), Some(other)) = (&mut sum.http2, &other.http2) {
        sum.add(other);
    }
    // Each loop read the clock of the whole process: the widest reading is that of all.
    sum.engine_cpu_ns = sum.engine_cpu_ns.max(other.engine_cpu_ns);
    sum.server_cpu_ns = sum.server_cpu_ns.max(other.server_cpu_ns);
    sum.open_loop = match (sum.open_loop, &other.open_loop) {
        (Some(a), Some(b)) => Some(OpenReport {
            asked_rps: a.asked_rps + b.asked_rps,
            achieved_rps: a.achieved_rps + b.achieved_rps,
            due: a.due + b.due,
            sent: a.sent + b.sent,
            unsent: a.unsent + b.unsent,
            queue_max: a.queue_max + b.queue_max,
        }),
        (sum, _) => sum,
    };
    sum
}
