//! A run while it goes on: a view of a few lines for a terminal, a line a second elsewhere.

use super::shown;
use crate::histogram::Latencies;
use crate::load::run_control::Interval;
use std::collections::VecDeque;

/// Seconds of the sparkline.
const SECONDS: usize = 60;
const BAR_WIDTH: usize = 40;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// When a run will be over.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    Seconds(f64),
    Requests(u64),
}

/// What was seen so far.
pub struct Live {
    goal: Goal,
    seconds: u64,
    replies: u64,
    errors: u64,
    latencies: Latencies,
    /// Right replies of the last seconds.
    rates: VecDeque<u64>,
    peak: u64,
}

impl Live {
    pub fn new(goal: Goal) -> Self {
        Self {
            goal,
            seconds: 0,
            replies: 0,
            errors: 0,
            latencies: Latencies::default(),
            rates: VecDeque::with_capacity(SECONDS),
            peak: 0,
        }
    }

    /// A second is over.
    pub fn add(&mut self, second: &Interval) {
        self.seconds = second.index + 1;
        self.replies += second.replies;
        self.errors += second.errors;
        self.latencies.merge(&second.latencies);
        if self.rates.len() == SECONDS {
            self.rates.pop_front();
        }
        self.rates.push_back(second.replies);
        self.peak = self.peak.max(second.replies);
    }

    /// Lines of at most 80 columns; `last` is the last second.
    pub fn view(&self, last: &Interval) -> [String; 5] {
        let (done, goal) = match self.goal {
            Goal::Seconds(all) => (self.seconds as f64 / all, format!("{all:.0} s")),
            Goal::Requests(all) => {
                let goal = format!("{} requests", shown::thousands(all));
                ((self.replies + self.errors) as f64 / all as f64, goal)
            }
        };
        let filled = (done.clamp(0.0, 1.0) * BAR_WIDTH as f64) as usize;
        let bar = "#".repeat(filled) + &".".repeat(BAR_WIDTH - filled);
        let so_far = self.replies / self.seconds.max(1);
        [
            format!("  {} s of {goal:<18} [{bar}]", self.seconds),
            format!(
                "  {:<12}{:>12}{:>9}{:>9}{:>9}{:>9}{:>11}",
                "", "requests/s", "50%", "90%", "99%", "max", "errors"
            ),
            row("last second", last.replies, &last.latencies, last.errors),
            row("so far", so_far, &self.latencies, self.errors),
            format!("  {}", self.sparkline()),
        ]
    }

    /// A line of its own for one second.
    pub fn line(second: &Interval) -> String {
        let ms = |quantile| shown::ms(quantile_ms(&second.latencies, quantile));
        format!(
            "{:>5} s  {:>11}/s  p50 {}  p90 {}  p99 {}  errors {}",
            second.index + 1,
            shown::thousands(second.replies),
            ms(0.5),
            ms(0.9),
            ms(0.99),
            second.errors
        )
    }

    /// The rates of the last minute, the highest so far at full height.
    fn sparkline(&self) -> String {
        let level = |rate: &u64| match self.peak {
            0 => LEVELS[0],
            peak => LEVELS[(rate * (LEVELS.len() as u64 - 1)).div_ceil(peak) as usize],
        };
        let line: String = self.rates.iter().map(level).collect();
        format!("{line} {}/s", shown::thousands(self.peak))
    }
}

fn row(name: &str, rate: u64, latencies: &Latencies, errors: u64) -> String {
    let ms = |quantile| shown::ms(quantile_ms(latencies, quantile));
    let max = (latencies.count() > 0).then(|| latencies.as_hdr().max() as f64 / 1e6);
    format!(
        "  {name:<12}{:>12}{:>9}{:>9}{:>9}{:>9}{:>11}",
        shown::thousands(rate),
        ms(0.5),
        ms(0.9),
        ms(0.99),
        shown::ms(max),
        shown::thousands(errors)
    )
}

fn quantile_ms(latencies: &Latencies, quantile: f64) -> Option<f64> {
    latencies.quantile_ns(quantile).map(|ns| ns as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(index: u64, replies: u64) -> Interval {
        let mut latencies = Latencies::default();
        latencies.record_n(2_000_000 * (index + 1), replies);
        Interval {
            index,
            replies,
            errors: index,
            bytes_in: 0,
            latencies,
        }
    }

    #[test]
    fn the_view_fits_80_columns_and_tells_both_spans() {
        let mut live = Live::new(Goal::Seconds(100.0));
        let mut last = second(0, 0);
        for index in 0..70 {
            last = second(index, 1_000_000 * (index % 8));
            live.add(&last);
        }
        let view = live.view(&last);
        assert!(
            view.iter().all(|line| line.chars().count() <= 80),
            "{view:#?}"
        );
        assert!(view[0].starts_with("  70 s of 100 s "), "{view:#?}");
        assert_eq!(view[0].matches('#').count(), 28);
        assert_eq!(
            view[2].split_whitespace().collect::<Vec<_>>(),
            [
                "last",
                "second",
                "5,000,000",
                "140.12ms",
                "140.12ms",
                "140.12ms",
                "140.12ms",
                "69"
            ]
        );
        // 239 million in 70 s, and the errors of all.
        let so_far: Vec<&str> = view[3].split_whitespace().collect();
        assert_eq!((so_far[2], so_far[7]), ("3,414,285", "2,415"));
        let spark: Vec<char> = view[4].trim().chars().take(SECONDS).collect();
        assert_eq!(
            spark[SECONDS - 8..],
            ['▇', '█', '▁', '▂', '▃', '▄', '▅', '▆']
        );
        assert!(view[4].ends_with(" 7,000,000/s"), "{view:#?}");
    }

    #[test]
    fn a_number_of_requests_is_a_goal_too() {
        let mut live = Live::new(Goal::Requests(20_000));
        let first = second(0, 5_000);
        live.add(&first);
        let view = live.view(&first);
        assert!(view[0].contains("of 20,000 requests"), "{view:#?}");
        assert_eq!(view[0].matches('#').count(), 10);
        let line = Live::line(&first);
        assert_eq!(
            line,
            "    1 s        5,000/s  p50 2.00ms  p90 2.00ms  p99 2.00ms  errors 0"
        );
        let nothing = Live::new(Goal::Seconds(1.0)).view(&second(0, 0));
        assert!(nothing[3].contains("  -"), "{nothing:#?}");
    }
}
