//! The highest rate that keeps an objective.

use crate::figure::{milliseconds, Figure};
use std::str::FromStr;

/// Which figure of a latency distribution, and what it has to stay below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    pub figure: Figure,
    pub below_ms: f64,
}

impl FromStr for Objective {
    type Err = String;

    /// `p99<10ms`, `p99.9<1s`, `mean<500us`, `max<2s`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no objective, such as p99<10ms");
        let (figure, limit) = text.split_once('<').ok_or_else(wrong)?;
        let figure = figure.trim().parse().map_err(|()| wrong())?;
        let below_ms = milliseconds(limit.trim()).ok_or_else(wrong)?;
        Ok(Self { figure, below_ms })
    }
}

/// Searches for the highest rate that `holds`: doubles from `from` until one does not, then
/// halves the interval on a logarithmic scale until its ends are within `precision` of each
/// other. Each rate is tried up to three times, and two answers of the same kind decide.
///
/// Returns 0 if not even `from` / 1024 holds.
pub fn highest(from: f64, precision: f64, mut holds: impl FnMut(f64) -> bool) -> f64 {
    let mut majority = |rate: f64| {
        let first = holds(rate);
        let second = holds(rate);
        if first == second {
            first
        } else {
            holds(rate)
        }
    };
    let (mut good, mut bad) = (0.0, f64::INFINITY);
    let mut rate = from;
    while good == 0.0 || bad.is_infinite() {
        if majority(rate) {
            good = rate;
            rate *= 2.0;
        } else {
            bad = rate;
            rate /= 2.0;
            if rate < from / 1024.0 {
                return 0.0;
            }
        }
        if good > 1e8 {
            return good;
        }
    }
    while bad / good > 1.0 + precision {
        let middle = (good * bad).sqrt();
        if majority(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn objectives() {
        let objective: Objective = "p99.9<1.5s".parse().unwrap();
        assert_eq!(objective.below_ms, 1_500.0);
        assert!(matches!(objective.figure, Figure::Quantile(q) if (q - 0.999).abs() < 1e-9));
        assert_eq!("max<2ms".parse::<Objective>().unwrap().figure, Figure::Max);
        for wrong in [
            "p99", "p0<1ms", "p100<1ms", "p99<0ms", "p99<1", "q<1ms", "p99<1h",
        ] {
            assert!(wrong.parse::<Objective>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn it_finds_the_limit(limit in 1.0..1e6f64, from in 10.0..1e5f64) {
            prop_assume!(from / limit < 1000.0);
            let found = highest(from, 0.02, |rate| rate <= limit);
            prop_assert!(found <= limit && found >= limit / 1.02, "{} for {}", found, limit);
        }
    }

    #[test]
    fn one_odd_answer_changes_nothing() {
        let mut asked = 0;
        let found = highest(1_000.0, 0.02, |rate| {
            asked += 1;
            (rate <= 5_000.0) != (asked == 4)
        });
        assert!((4_900.0..=5_000.0).contains(&found), "{found}");
    }

    #[test]
    fn nothing_holds() {
        assert_eq!(highest(1_000.0, 0.02, |_| false), 0.0);
    }
}
