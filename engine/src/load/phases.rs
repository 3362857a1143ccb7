//! The parts of a run, and the clocks at the edges of the one that counts.

use crate::clock;

/// The part of a run that an event falls into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Connected, not loaded.
    #[default]
    Idle,
    /// Loaded, not counted.
    LeadIn,
    Counted,
    /// Nothing new is sent; what is in flight is awaited.
    Drain,
}

/// Which phase it is, when the next one begins, and the edges of the counted part as they were.
#[derive(Clone, Debug)]
pub struct Phases {
    now: Phase,
    /// The next change of phase.
    edge_ns: u64,
    /// Length of the counted part, as planned.
    counted_ns: u64,
    /// Processes whose CPU time is read at the edges.
    pids: Vec<i32>,
    pub from_ns: u64,
    pub until_ns: u64,
    /// Own and the servers' CPU time at the edge, later over the counted part.
    pub engine_cpu_ns: u64,
    pub server_cpu_ns: Option<u64>,
}

impl Phases {
    /// Before any run.
    pub fn idle() -> Self {
        Self {
            now: Phase::Idle,
            edge_ns: u64::MAX,
            counted_ns: 0,
            pids: Vec::new(),
            from_ns: 0,
            until_ns: 0,
            engine_cpu_ns: 0,
            server_cpu_ns: None,
        }
    }

    /// The lead-in of a run begins; `pids` are of the servers whose CPU time is read.
    pub fn begin(started_ns: u64, lead_in_ns: u64, counted_ns: u64, pids: &[i32]) -> Self {
        Self {
            now: Phase::LeadIn,
            edge_ns: started_ns + lead_in_ns,
            counted_ns,
            pids: pids.to_vec(),
            ..Self::idle()
        }
    }

    #[inline]
    pub fn now(&self) -> Phase {
        self.now
    }

    #[inline]
    pub fn is_counting(&self) -> bool {
        self.now == Phase::Counted
    }

    #[inline]
    pub fn edge_ns(&self) -> u64 {
        self.edge_ns
    }

    /// The next phase begins at `now_ns`: which one it is.
    pub fn advance(&mut self, now_ns: u64) -> Phase {
        let engine_cpu_ns = clock::own_cpu_ns();
        let server_cpu_ns = clock::processes_cpu_ns(&self.pids);
        match self.now {
            Phase::LeadIn => {
                self.now = Phase::Counted;
                self.from_ns = now_ns;
                self.engine_cpu_ns = engine_cpu_ns;
                self.server_cpu_ns = server_cpu_ns;
                self.edge_ns = now_ns + self.counted_ns;
            }
            Phase::Counted => {
                self.now = Phase::Drain;
                self.until_ns = now_ns;
                self.engine_cpu_ns = engine_cpu_ns - self.engine_cpu_ns;
                self.server_cpu_ns = server_cpu_ns
                    .zip(self.server_cpu_ns)
                    .map(|(until, from)| until.saturating_sub(from));
                self.edge_ns = u64::MAX;
            }
            Phase::Idle | Phase::Drain => self.edge_ns = u64::MAX,
        }
        self.now
    }

    /// The run is over.
    pub fn end(&mut self) {
        self.now = Phase::Idle;
    }
}
