//! The figures of streams, beside those of the whole replies.

use super::shown;
use super::summary::LatencyMs;
use super::table::LINES;
use crate::load::streams::StreamCounts;
use serde::Serialize;
use std::fmt;

/// What `--json` says of streams.
#[derive(Clone, Debug, Serialize)]
pub struct StreamSummary {
    pub streams: u64,
    pub without_content: u64,
    pub events: u64,
    pub events_with_content: u64,
    pub events_per_s: f64,
    /// As told by the server in `usage`; `None` if it told nothing.
    pub tokens: Option<u64>,
    pub tokens_per_s: Option<f64>,
    /// In open loop from the intended time, as are the next two.
    pub first_event_ms: LatencyMs,
    pub first_content_ms: LatencyMs,
    pub last_content_ms: LatencyMs,
    /// From one event with content to the next.
    pub gap_ms: LatencyMs,
    /// From first to last content, by the tokens after the first.
    pub per_token_ms: LatencyMs,
}

impl StreamSummary {
    /// `rps_of_one` is what one right reply adds to the rate.
    pub fn new(counts: &StreamCounts, rps_of_one: f64) -> Self {
        let tokens = (counts.with_tokens > 0).then_some(counts.tokens);
        Self {
            streams: counts.streams,
            without_content: counts.without_content,
            events: counts.events,
            events_with_content: counts.contents,
            events_per_s: rps_of_one * counts.events as f64,
            tokens,
            tokens_per_s: tokens.map(|tokens| rps_of_one * tokens as f64),
            first_event_ms: LatencyMs::new(&counts.first_event),
            first_content_ms: LatencyMs::new(&counts.first_content),
            last_content_ms: LatencyMs::new(&counts.last_content),
            gap_ms: LatencyMs::new(&counts.gaps),
            per_token_ms: LatencyMs::new(&counts.per_token),
        }
    }
}

/// For people, within 80 columns.
impl fmt::Display for StreamSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = [
            "first event",
            "first cont.",
            "gap",
            "last cont.",
            "per token",
        ];
        write!(f, "  {:<7}", "streams")?;
        headings
            .iter()
            .try_for_each(|heading| write!(f, "{heading:>13}"))?;
        writeln!(f)?;
        let columns = [
            &self.first_event_ms,
            &self.first_content_ms,
            &self.gap_ms,
            &self.last_content_ms,
            &self.per_token_ms,
        ];
        for (name, figure) in LINES {
            write!(f, "  {name:<7}")?;
            columns
                .iter()
                .try_for_each(|latency| write!(f, "{:>13}", shown::ms(figure(latency))))?;
            writeln!(f)?;
        }
        write!(
            f,
            "events: {} ({:.1}/s), {} with content",
            shown::thousands(self.events),
            self.events_per_s,
            shown::thousands(self.events_with_content)
        )?;
        if self.without_content > 0 {
            let without = shown::thousands(self.without_content);
            write!(f, "; {without} streams without content")?;
        }
        match (self.tokens, self.tokens_per_s) {
            (Some(tokens), Some(per_s)) => {
                let tokens = shown::thousands(tokens);
                writeln!(
                    f,
                    "\ntokens: {tokens} ({per_s:.1}/s), as told by the server"
                )
            }
            _ => writeln!(f),
        }
    }
}
