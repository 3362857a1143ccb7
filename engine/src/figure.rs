//! Figures of latency by name, and times as people write them next to them.

use crate::histogram::Latencies;
use std::str::FromStr;

const NS_PER_MS: f64 = 1e6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    Mean,
    Max,
    /// A percentile as a share of 1.
    Quantile(f64),
}

impl FromStr for Figure {
    type Err = ();

    /// `mean`, `max`, `p99.9`.
    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "mean" => Ok(Self::Mean),
            "max" => Ok(Self::Max),
            name => {
                let percent = name.strip_prefix('p').ok_or(())?;
                let percent: f64 = percent.parse().map_err(|_| ())?;
                match percent > 0.0 && percent < 100.0 {
                    true => Ok(Self::Quantile(percent / 100.0)),
                    false => Err(()),
                }
            }
        }
    }
}

impl Figure {
    /// In milliseconds; `None` where too few observations were made to tell it.
    pub fn of(self, latencies: &Latencies) -> Option<f64> {
        let hdr = latencies.as_hdr();
        let some = |ns: f64| (latencies.count() > 0).then_some(ns / NS_PER_MS);
        match self {
            Self::Mean => some(hdr.mean()),
            Self::Max => some(hdr.max() as f64),
            Self::Quantile(quantile) => {
                let ns = latencies.quantile_ns(quantile);
                ns.map(|ns| ns as f64 / NS_PER_MS)
            }
        }
    }
}

/// `20ms`, `500us`, `1.5s`, in milliseconds.
pub fn milliseconds(text: &str) -> Option<f64> {
    let split = text.find(char::is_alphabetic)?;
    let number: f64 = text[..split].trim_end().parse().ok()?;
    let scale = match &text[split..] {
        "us" => 0.001,
        "ms" => 1.0,
        "s" => 1000.0,
        _ => return None,
    };
    (number > 0.0 && number.is_finite()).then_some(number * scale)
}
