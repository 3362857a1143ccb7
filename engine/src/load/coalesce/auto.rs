//! Pauses that follow what the server has to do.

use super::Round;

/// Shorter pauses save no wake-up.
const SHORTEST_NS: u64 = 20_000;
/// From one wake-up to the next. Longer saves next to nothing more: 100 replies at once share
/// the cost of a wake-up as well as 300 do.
const LONGEST_ROUND_NS: u64 = 2_000_000;
/// What the server is to have left to do at the next wake-up: this share of what is in flight,
/// and work for so long, as wake-ups come late now and then.
const LEFT_SHARE: f64 = 0.25;
const LEFT_NS: u64 = 150_000;
/// A server that is the limit answers all the time. One that is silent for a larger share of a
/// round than this waits for requests, or its replies take their time whatever it has to do (a
/// database, a timer): then pauses cost throughput. Averaged over some [`ROUNDS`], and a single
/// one counts for [`MOST_OF_ONE`] at most: anything stands still now and then.
const SILENT_SHARE: f64 = 0.1;
const ROUNDS: f64 = 8.0;
const MOST_OF_ONE: f64 = 0.5;
const MEASURE_NS: u64 = 5_000_000;
/// How long to leave it after that; twice as long each time that the next pauses are no better.
const FIRST_REST_NS: u64 = 4_000_000;
const LONGEST_REST_NS: u64 = 1_000_000_000;
/// After so many rounds with pauses the next rest is the first again.
const ROUNDS_TO_FORGET: u32 = 32;

/// Watches how fast replies come, and how evenly.
#[derive(Debug, Default)]
pub struct Auto {
    /// Replies a nanosecond, averaged over some 10 ms; 0 as long as it is not known.
    rate: f64,
    since_ns: u64,
    replies: u64,
    /// Or the last wait, if nothing has come since.
    last_arrival_ns: u64,
    /// The longest time without an arrival since the last wait.
    silence_ns: u64,
    /// Its share of a round, averaged.
    silent_share: f64,
    /// How long the round that goes on was planned to be; 0 if it was left alone.
    planned_ns: u64,
    rest_until_ns: u64,
    rest_ns: u64,
    /// Rounds with pauses since the last rest.
    quiet_rounds: u32,
}

impl Auto {
    /// Something arrived then.
    #[inline]
    pub fn arrived(&mut self, arrived_ns: u64) {
        let silence_ns = arrived_ns.saturating_sub(self.last_arrival_ns);
        self.silence_ns = self.silence_ns.max(silence_ns);
        self.last_arrival_ns = self.last_arrival_ns.max(arrived_ns);
    }

    /// How long to pause after this round.
    pub fn pause_ns(&mut self, round: &Round) -> u64 {
        self.judge(round);
        self.measure(round.now_ns, round.replies);
        if self.rate == 0.0 || round.now_ns < self.rest_until_ns {
            return 0;
        }
        let work_ns = round.in_flight as f64 / self.rate;
        let left_ns = (work_ns * LEFT_SHARE).max(LEFT_NS as f64);
        let round_ns = ((work_ns - left_ns).max(0.0) as u64).min(LONGEST_ROUND_NS);
        // The server has worked on while this round's replies were handled.
        let pause_ns = (round.woke_ns + round_ns).saturating_sub(round.now_ns);
        if pause_ns < SHORTEST_NS {
            return 0;
        }
        self.planned_ns = round_ns;
        pause_ns
    }

    /// Whether the server was kept waiting by the pause before this round.
    fn judge(&mut self, round: &Round) {
        let last_ns = round.woke_ns.saturating_sub(self.last_arrival_ns);
        let silence_ns = std::mem::take(&mut self.silence_ns).max(last_ns);
        self.last_arrival_ns = self.last_arrival_ns.max(round.woke_ns);
        let planned_ns = std::mem::take(&mut self.planned_ns);
        if planned_ns == 0 {
            return;
        }
        let share = (silence_ns as f64 / planned_ns as f64).min(MOST_OF_ONE);
        self.silent_share += (share - self.silent_share) / ROUNDS;
        if self.silent_share <= SILENT_SHARE {
            self.quiet_rounds += 1;
            return;
        }
        self.rest_ns = if self.quiet_rounds >= ROUNDS_TO_FORGET {
            FIRST_REST_NS
        } else {
            (self.rest_ns * 2).clamp(FIRST_REST_NS, LONGEST_REST_NS)
        };
        (self.quiet_rounds, self.silent_share) = (0, 0.0);
        self.rest_until_ns = round.now_ns + self.rest_ns;
    }

    fn measure(&mut self, now_ns: u64, replies: u64) {
        let span_ns = now_ns.saturating_sub(self.since_ns);
        if span_ns < MEASURE_NS {
            return;
        }
        let rate = replies.saturating_sub(self.replies) as f64 / span_ns as f64;
        // After an idle time the rate of before says nothing.
        self.rate = if span_ns > 10 * MEASURE_NS {
            0.0
        } else if self.rate > 0.0 {
            (self.rate + rate) / 2.0
        } else {
            rate
        };
        (self.since_ns, self.replies) = (now_ns, replies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    /// Goes through a round that began at `woke_ns` with these arrivals and took 100 us.
    fn round(auto: &mut Auto, woke_ns: u64, arrivals: &[u64], replies: u64) -> u64 {
        for &arrived_ns in arrivals {
            auto.arrived(arrived_ns);
        }
        auto.pause_ns(&Round {
            woke_ns,
            now_ns: woke_ns + 100 * US,
            events: arrivals.len(),
            in_flight: 64,
            replies,
            nothing_to_send_ns: None,
        })
    }

    /// One that knows that 64 requests are 640 us of work, 10 us each.
    fn that_knows() -> Auto {
        let mut auto = Auto::default();
        // Before the first measurement there is no pause on a guess.
        assert_eq!(round(&mut auto, 1_000_000 * US, &[], 0), 0);
        // Of 640 us of work a quarter is left, and 100 us have gone by.
        let pause_ns = round(&mut auto, 1_005_000 * US, &[1_005_000 * US], 500);
        assert_eq!(pause_ns, 380 * US);
        auto
    }

    #[test]
    fn auto_leaves_the_server_a_quarter_of_its_work() {
        let mut auto = that_knows();
        let mut now_ns = 1_005_000 * US;
        let mut next = |auto: &mut Auto| {
            let arrivals: Vec<u64> = (1..=48).map(|n| now_ns + n * 10 * US).collect();
            now_ns += 480 * US;
            round(auto, now_ns, &arrivals, 548)
        };
        // It has answered all the time: the same again.
        assert_eq!(next(&mut auto), 380 * US);
        // A tenth of the rate: three quarters would be 4.8 ms, but no round is that long.
        auto.rate /= 10.0;
        assert_eq!(next(&mut auto), LONGEST_ROUND_NS - 100 * US);
        // Ten times the rate: 64 us of work are too little to pause.
        auto.rate *= 100.0;
        assert_eq!(next(&mut auto), 0);
        assert_eq!(auto.rest_until_ns, 0);
        // An idle second later the rate is unknown.
        assert_eq!(round(&mut auto, 2_000_000 * US, &[], 548), 0);
        assert_eq!(auto.rate, 0.0);
    }

    #[test]
    fn auto_leaves_a_server_alone_that_falls_silent() {
        let mut auto = that_knows();
        let mut now_ns = 1_005_000 * US;
        let mut pauses = 0;
        let mut rests = Vec::new();
        // Its replies come in the first 300 us of each round, however long that is.
        for n in 0..10_000 {
            let from_ns = now_ns;
            now_ns += 500 * US;
            let arrivals: Vec<u64> = (0..30).map(|n| from_ns + n * 10 * US).collect();
            if round(&mut auto, now_ns, &arrivals, 500 + n * 50) > 0 {
                pauses += 1;
            }
            if rests.last() != Some(&auto.rest_ns) {
                rests.push(auto.rest_ns);
            }
        }
        // 4 ms, 8 ms and so on, up to a second: hardly ever again.
        assert!(pauses < 40, "{pauses} pauses");
        assert_eq!(rests.last(), Some(&LONGEST_REST_NS));
    }

    #[test]
    fn one_silence_among_many_rounds_is_nobodys_fault() {
        let mut auto = that_knows();
        let mut now_ns = 1_005_000 * US;
        for n in 0..1_000 {
            let from_ns = now_ns;
            now_ns += 500 * US;
            let replies = if n % 20 == 19 { 10 } else { 50 };
            let arrivals: Vec<u64> = (0..replies).map(|n| from_ns + n * 10 * US).collect();
            let pause_ns = round(&mut auto, now_ns, &arrivals, 500 + n * 50);
            assert!(pause_ns > 0, "round {n}");
        }
    }
}
