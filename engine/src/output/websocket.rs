//! Upgrades and pings of WebSocket, beside the figures of messages.

use super::shown;
use super::summary::LatencyMs;
use crate::load::asides::AsideCounts;
use serde::Serialize;
use std::fmt;

/// What `--json` says of them.
#[derive(Clone, Debug, Serialize)]
pub struct WebSocketSummary {
    /// Since the target was opened, as is their time.
    pub upgrades: u64,
    pub upgrade_ms: LatencyMs,
    /// Pings whose pongs came in the counted part.
    pub pings: u64,
    pub ping_ms: LatencyMs,
    /// Messages that belong to no request.
    pub unasked: u64,
}

impl WebSocketSummary {
    pub fn new(counts: &AsideCounts) -> Self {
        Self {
            upgrades: counts.upgrades.count(),
            upgrade_ms: LatencyMs::new(&counts.upgrades),
            pings: counts.pings.count(),
            ping_ms: LatencyMs::new(&counts.pings),
            unasked: counts.unasked,
        }
    }
}

/// For people.
impl fmt::Display for WebSocketSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "upgrades", self.upgrades, &self.upgrade_ms)?;
        if self.pings > 0 {
            line(f, "pings", self.pings, &self.ping_ms)?;
        }
        if self.unasked > 0 {
            let unasked = shown::thousands(self.unasked);
            writeln!(f, "messages that nobody asked for: {unasked}")?;
        }
        Ok(())
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, count: u64, ms: &LatencyMs) -> fmt::Result {
    let count = shown::thousands(count);
    writeln!(f, "{name}: {count}; {}", ms.in_a_line())
}
