//! Requests that are streams of messages: how many there are, and when each is sent.

use std::time::Duration;

/// The messages of each request of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessagePlan {
    /// At least 1.
    pub count: u64,
    pub pace: Pace,
    /// Each is answered by a message of its own, in their order.
    pub are_answered: bool,
}

/// When the messages of a request are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The first with the request, each other when the one before it is answered.
    Answers,
    /// So far apart, whatever is answered.
    Clock(Duration),
}

impl MessagePlan {
    /// How long it takes to send them, where that is known.
    pub fn length(&self) -> Duration {
        match self.pace {
            Pace::Answers => Duration::ZERO,
            Pace::Clock(interval) => {
                let gaps = u32::try_from(self.count - 1).unwrap_or(u32::MAX);
                interval.saturating_mul(gaps)
            }
        }
    }
}
