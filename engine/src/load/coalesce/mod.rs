//! Waiting a little so that one wake-up serves several replies.
//!
//! Where the server is the limit, most of the CPU time that a generator can save goes into
//! wake-ups. A pause before the next wait costs nothing as long as the server still has
//! requests to work on. Replies are then read late, so their arrival is told by the kernel's
//! receive timestamps.

mod auto;

use self::auto::Auto;
use std::str::FromStr;
use std::time::Duration;

/// When to pause, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coalesce {
    #[default]
    Off,
    /// For most of the time that the server needs for what is in flight, as long as that does
    /// not keep it waiting; where requests are sent at ticks, until the next one.
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

/// One round of the load loop, between two waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// When the wait was over.
    pub woke_ns: u64,
    /// When everything that it brought was handled.
    pub now_ns: u64,
    /// What it brought.
    pub events: usize,
    /// Requests out now.
    pub in_flight: u64,
    /// A running count.
    pub replies: u64,
    /// For so long nothing will be sent, whatever is answered; `None`: that is not known.
    pub nothing_to_send_ns: Option<u64>,
}

/// Decides on pauses.
#[derive(Debug, Default)]
pub struct Coalescer {
    mode: Coalesce,
    auto: Auto,
}

impl Coalescer {
    pub fn new(mode: Coalesce) -> Self {
        Self {
            mode,
            auto: Auto::default(),
        }
    }

    pub fn is_on(&self) -> bool {
        self.mode != Coalesce::Off
    }

    /// Something arrived then.
    #[inline]
    pub fn arrived(&mut self, arrived_ns: u64) {
        if self.mode == Coalesce::Auto {
            self.auto.arrived(arrived_ns);
        }
    }

    /// How long to pause after this round.
    pub fn pause_ns(&mut self, round: &Round) -> u64 {
        match self.mode {
            Coalesce::Off => 0,
            // Half of them or more came together anyhow.
            Coalesce::Fixed(_) if round.events as u64 * 2 >= round.in_flight => 0,
            Coalesce::Fixed(pause) => pause.as_nanos() as u64,
            // No reply makes the server's next request come sooner.
            Coalesce::Auto => match round.nothing_to_send_ns {
                Some(pause_ns) => pause_ns,
                None => self.auto.pause_ns(round),
            },
        }
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
    fn off_never_waits() {
        let mut coalescer = Coalescer::new(Coalesce::Off);
        assert_eq!(coalescer.pause_ns(&Round::default()), 0);
        assert!(!coalescer.is_on());
    }

    #[test]
    fn a_fixed_pause_is_left_out_where_half_came_together() {
        let mut coalescer = Coalescer::new(Coalesce::Fixed(Duration::from_micros(200)));
        let round = |events| Round {
            events,
            in_flight: 64,
            ..Round::default()
        };
        assert_eq!(coalescer.pause_ns(&round(31)), 200_000);
        assert_eq!(coalescer.pause_ns(&round(32)), 0);
    }
}
