//! Waiting a little so that one wake-up serves several replies.
//!
//! Where the server is the limit, most of the generator's CPU time is wake-ups. A pause before
//! the next wait costs nothing as long as the server still has requests to work on. Replies are
//! then read late, so their arrival is told by the kernel's receive timestamps.

use std::str::FromStr;
use std::time::Duration;

/// When to pause, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coalesce {
    #[default]
    Off,
    /// Half the time that the server needs for what is in flight, so that it never runs dry.
    Auto,
    Fixed(Duration),
}

impl FromStr for Coalesce {
    type Err = String;

    /// `off`, `auto`, or a time in microseconds such as `200us`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "auto" => Ok(Self::Auto),
            _ => text
                .strip_suffix("us")
                .and_then(|us| us.parse().ok())
                .filter(|us| (1..=10_000).contains(us))
                .map(|us| Self::Fixed(Duration::from_micros(us)))
                .ok_or_else(|| format!("{text:?} is not off, auto or 1us to 10000us")),
        }
    }
}

/// Shorter pauses save no wake-up, longer ones would be noticed.
const SHORTEST_NS: u64 = 20_000;
const LONGEST_NS: u64 = 500_000;

/// Watches how fast replies come and decides on pauses.
#[derive(Debug, Default)]
pub struct Coalescer {
    mode: Coalesce,
    /// Replies a nanosecond, averaged over some 10 ms.
    rate: f64,
    since_ns: u64,
    replies: u64,
}

const MEASURE_NS: u64 = 5_000_000;

impl Coalescer {
    pub fn new(mode: Coalesce) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }

    pub fn is_on(&self) -> bool {
        self.mode != Coalesce::Off
    }

    /// How long to pause after `events` were handled at once with `in_flight` requests out;
    /// `replies` is a running count. No pause when half of them or more came together anyhow.
    pub fn pause_ns(&mut self, now_ns: u64, events: usize, in_flight: u64, replies: u64) -> u64 {
        if events as u64 * 2 >= in_flight {
            return 0;
        }
        match self.mode {
            Coalesce::Off => 0,
            Coalesce::Fixed(pause) => pause.as_nanos() as u64,
            Coalesce::Auto => {
                self.measure(now_ns, replies);
                let half_ns = in_flight as f64 / 2.0 / self.rate.max(1e-12);
                let pause_ns = (half_ns as u64).min(LONGEST_NS);
                // Before the first measurement the rate is 0: no pause on a guess.
                if self.rate > 0.0 && pause_ns >= SHORTEST_NS {
                    pause_ns
                } else {
                    0
                }
            }
        }
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

    #[test]
    fn words() {
        assert_eq!("off".parse(), Ok(Coalesce::Off));
        assert_eq!(
            "200us".parse(),
            Ok(Coalesce::Fixed(Duration::from_micros(200)))
        );
        for wrong in ["", "on", "0us", "1ms", "20000us"] {
            assert!(wrong.parse::<Coalesce>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn auto_waits_for_half_of_what_is_in_flight() {
        let mut coalescer = Coalescer::new(Coalesce::Auto);
        assert_eq!(coalescer.pause_ns(1_000_000_000, 1, 64, 0), 0);
        // 500 replies in 5 ms: 64 requests are 640 us of work.
        assert_eq!(coalescer.pause_ns(1_005_000_000, 1, 64, 500), 320_000);
        assert_eq!(coalescer.pause_ns(1_005_000_000, 32, 64, 500), 0);
        // A tenth of the rate: half would be 2.9 ms, but no pause is that long.
        assert_eq!(coalescer.pause_ns(1_010_000_000, 1, 64, 550), LONGEST_NS);
        // One request alone is always half or more of what is in flight.
        assert_eq!(coalescer.pause_ns(1_010_000_000, 1, 1, 550), 0);
        // An idle second later the rate is unknown again.
        assert_eq!(coalescer.pause_ns(2_010_000_000, 1, 64, 550), 0);
    }

    #[test]
    fn off_never_waits() {
        let mut coalescer = Coalescer::new(Coalesce::Off);
        assert_eq!(coalescer.pause_ns(1_000_000_000, 0, 64, 0), 0);
        assert!(!coalescer.is_on());
    }
}
