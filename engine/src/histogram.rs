//! Latencies in an HdrHistogram, and its portable encoding.

use base64::Engine as _;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use hdrhistogram::Histogram;

/// Range and precision of docs/engine-protocol.md: 1 us to 1 h at 3 significant digits.
const LOWEST_NS: u64 = 1_000;
const HIGHEST_NS: u64 = 3_600_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;

/// A percentile is told only if at least this many observations lie beyond it.
const NEEDED_BEYOND: f64 = 10.0;

/// Latencies in nanoseconds. Values beyond the range count at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self(
            Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
                .expect("the bounds are constants and valid"),
        )
    }
}

impl Latencies {
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.record_n(latency_ns, 1);
    }

    /// `n` times the same latency.
    #[inline]
    pub fn record_n(&mut self, latency_ns: u64, n: u64) {
        self.0.saturating_record_n(latency_ns, n);
    }

    pub fn count(&self) -> u64 {
        self.0.len()
    }

    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// Adds every observation of `other`; nothing is lost, the bins are the same.
    pub fn merge(&mut self, other: &Self) {
        self.0.add(&other.0).expect("same bounds everywhere");
    }

    /// The latency that `quantile` (0 to 1) of the observations do not exceed, or `None` where
    /// fewer than 10 observations lie beyond it.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        let beyond = self.count() as f64 * (1.0 - quantile);
        // A count times a quantile is rarely whole: half a thousandth absorbs its rounding.
        (beyond + 0.0005 >= NEEDED_BEYOND).then(|| self.0.value_at_quantile(quantile))
    }

    /// Standard deviation, to the precision of the bins.
    pub fn deviation_ns(&self) -> f64 {
        self.0.stdev()
    }

    /// HdrHistogram V2, deflated, base64: what every HdrHistogram library reads.
    pub fn encoded(&self) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.0, &mut bytes)
            .expect("a Vec takes every byte");
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }

    /// What [`Self::encoded`] gave, or another program's of the same unit.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn decoded(text: &str) -> Result<Self, String> {
        let bytes = base64::engine::general_purpose::STANDARD.decode(text);
        let bytes = bytes.map_err(|_| "no base64".to_owned())?;
        let read: Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| format!("no HdrHistogram V2 ({error})"))?;
        let mut latencies = Self::default();
        match latencies.0.add(&read) {
            Ok(()) => Ok(latencies),
            Err(_) => Err("latencies beyond an hour".into()),
        }
    }

    pub fn as_hdr(&self) -> &Histogram<u64> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Latencies {
        let mut latencies = Latencies::default();
        values.iter().for_each(|&value| latencies.record(value));
        latencies
    }

    #[test]
    fn a_percentile_needs_ten_observations_beyond_it() {
        let values: Vec<u64> = (1..=999).map(|ms| ms * 1_000_000).collect();
        assert!(of(&values).quantile_ns(0.99).is_none());
        let values: Vec<u64> = (1..=1000).map(|ms| ms * 1_000_000).collect();
        assert!(of(&values).quantile_ns(0.99).is_some());
        assert!(of(&values).quantile_ns(0.999).is_none());
    }

    proptest! {
        #[test]
        fn merged_histograms_are_the_histogram_of_the_merged_data(
            a in prop::collection::vec(0..4_000_000_000_000u64, 0..50),
            b in prop::collection::vec(0..4_000_000_000_000u64, 0..50),
        ) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let together = of(&[a, b].concat());
            prop_assert_eq!(merged.as_hdr(), together.as_hdr());
        }

        #[test]
        fn the_encoding_reads_back(values in prop::collection::vec(0..3_600_000_000_000u64, 1..50)) {
            let latencies = of(&values);
            let back = Latencies::decoded(&latencies.encoded()).expect("our own");
            prop_assert_eq!(back.as_hdr(), latencies.as_hdr());
        }
    }
}
