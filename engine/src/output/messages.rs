//! Requests that are streams of messages: the figures of their messages.

use super::shown;
use super::summary::LatencyMs;
use crate::load::messages::MessageCounts;
use serde::Serialize;
use std::fmt;

/// What `--json` says of them; of right replies alone.
#[derive(Clone, Debug, Serialize)]
pub struct MessageSummary {
    pub sent: u64,
    pub sent_per_s: f64,
    /// Where messages have replies of their own.
    #[serde(flatten)]
    pub replies: Option<ReplySummary>,
}

/// Of the replies to messages, matched by their order.
#[derive(Clone, Debug, Serialize)]
pub struct ReplySummary {
    pub replies: u64,
    pub replies_per_s: f64,
    pub unanswered: u64,
    pub unasked: u64,
    /// From when each message was due to its reply.
    pub latency_ms: LatencyMs,
}

impl MessageSummary {
    /// `rps_of_one` is what one right reply adds to the rate.
    pub fn new(counts: &MessageCounts, rps_of_one: f64) -> Self {
        let latencies = counts.latencies.as_ref();
        Self {
            sent: counts.sent,
            sent_per_s: rps_of_one * counts.sent as f64,
            replies: latencies.map(|latencies| ReplySummary {
                replies: counts.replies,
                replies_per_s: rps_of_one * counts.replies as f64,
                unanswered: counts.unanswered,
                unasked: counts.unasked,
                latency_ms: LatencyMs::new(latencies),
            }),
        }
    }
}

/// For people.
impl fmt::Display for MessageSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sent = shown::thousands(self.sent);
        write!(f, "messages: {sent} sent ({:.1}/s)", self.sent_per_s)?;
        let Some(replies) = &self.replies else {
            return writeln!(f);
        };
        let came = shown::thousands(replies.replies);
        write!(f, ", {came} replies ({:.1}/s)", replies.replies_per_s)?;
        for (n, what) in [
            (replies.unanswered, "unanswered"),
            (replies.unasked, "unasked"),
        ] {
            if n > 0 {
                write!(f, ", {} {what}", shown::thousands(n))?;
            }
        }
        writeln!(f, "\nmessage latency: {}", replies.latency_ms.in_a_line())
    }
}
