//! How late the generator itself was, in milliseconds.

use super::shown;
use crate::load::open_loop::OpenReport;
use serde::Serialize;
use std::fmt;

const NS_PER_MS: f64 = 1e6;

/// Of the counted requests that had a connection in time; null where too few observations.
#[derive(Clone, Debug, Serialize)]
pub struct LatenessMs {
    pub requests: u64,
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    pub max: Option<f64>,
}

impl LatenessMs {
    pub fn new(open: &OpenReport) -> Self {
        let lateness = &open.lateness;
        let ms = |ns: Option<u64>| ns.map(|ns| ns as f64 / NS_PER_MS);
        Self {
            requests: lateness.count(),
            p50: ms(lateness.quantile_ns(0.5)),
            p99: ms(lateness.quantile_ns(0.99)),
            max: ms(lateness.max_ns()),
        }
    }
}

impl fmt::Display for LatenessMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "sent late: 50% {}, 99% {}, max {}, of {} that had a connection in time",
            shown::ms(self.p50),
            shown::ms(self.p99),
            shown::ms(self.max),
            shown::thousands(self.requests)
        )
    }
}
