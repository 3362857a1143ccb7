//! Open loop: when each request is due, whatever the server does.

use crate::random::{SplitMix64, TWO_TO_53};

/// The shape of the arrivals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// One gap after the other of the same length.
    #[default]
    Constant,
    /// Independent of each other: exponential gaps.
    Poisson,
}

const NS_PER_S: f64 = 1e9;

/// The due times of one stream of requests, one after the other, without end.
#[derive(Clone, Debug)]
pub struct Schedule {
    arrivals: Arrivals,
    start_ns: u64,
    mean_gap_ns: f64,
    /// Requests before this one.
    number: u64,
    /// Due time of this one, since `start_ns`.
    since_start_ns: f64,
    random: SplitMix64,
}

impl Schedule {
    /// `rate` in requests a second; the first request of a constant stream is due at
    /// `start_ns`, that of a Poisson stream one gap later. A seed gives the same times again.
    pub fn new(arrivals: Arrivals, rate: f64, start_ns: u64, seed: u64) -> Self {
        let mut schedule = Self {
            arrivals,
            start_ns,
            mean_gap_ns: NS_PER_S / rate,
            number: 0,
            since_start_ns: 0.0,
            random: SplitMix64::new(seed),
        };
        if arrivals == Arrivals::Poisson {
            schedule.since_start_ns = schedule.exponential_gap_ns();
        }
        schedule
    }

    /// When the next request is due.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.start_ns + self.since_start_ns as u64
    }

    /// On to the request after it.
    #[inline]
    pub fn advance(&mut self) {
        self.number += 1;
        self.since_start_ns = match self.arrivals {
            // Multiplied, not added up: no drift however long it runs.
            Arrivals::Constant => self.number as f64 * self.mean_gap_ns,
            Arrivals::Poisson => self.since_start_ns + self.exponential_gap_ns(),
        };
    }

    fn exponential_gap_ns(&mut self) -> f64 {
        // In (0, 1], as the logarithm of 0 is none.
        let unit = (self.random.next_53_bits() + 1) as f64 / TWO_TO_53;
        -unit.ln() * self.mean_gap_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(arrivals: Arrivals, rate: f64, n: usize) -> Vec<f64> {
        let mut schedule = Schedule::new(arrivals, rate, 1_000, 7);
        let mut before = schedule.due_ns();
        (0..n)
            .map(|_| {
                schedule.advance();
                let gap = (schedule.due_ns() - before) as f64;
                before = schedule.due_ns();
                gap
            })
            .collect()
    }

    #[test]
    fn constant_gaps_do_not_drift() {
        let mut schedule = Schedule::new(Arrivals::Constant, 3.0, 0, 0);
        for _ in 0..3_000_000 {
            schedule.advance();
        }
        assert_eq!(schedule.due_ns(), 1_000_000 * 1_000_000_000);
    }

    #[test]
    fn poisson_gaps_have_mean_and_variance_as_they_should() {
        let n = 200_000;
        let gaps = gaps(Arrivals::Poisson, 10_000.0, n);
        let mean = gaps.iter().sum::<f64>() / n as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / n as f64;
        // Standard errors of the two are 0.22% and 0.63%; the seed is fixed.
        assert!((mean / 100_000.0 - 1.0).abs() < 0.01, "{mean}");
        assert!(
            (variance / 100_000.0f64.powi(2) - 1.0).abs() < 0.03,
            "{variance}"
        );
    }

    #[test]
    fn poisson_counts_are_as_variable_as_their_mean() {
        let mut counts = vec![0u32; 2_000];
        let mut schedule = Schedule::new(Arrivals::Poisson, 10_000.0, 0, 11);
        // 10 ms windows: 100 requests each on average.
        while let Some(count) = counts.get_mut((schedule.due_ns() / 10_000_000) as usize) {
            *count += 1;
            schedule.advance();
        }
        let mean = counts.iter().map(|&n| f64::from(n)).sum::<f64>() / 2_000.0;
        let variance = counts
            .iter()
            .map(|&n| (f64::from(n) - mean).powi(2))
            .sum::<f64>()
            / 2_000.0;
        assert!((variance / mean - 1.0).abs() < 0.1, "{variance} / {mean}");
    }
}
