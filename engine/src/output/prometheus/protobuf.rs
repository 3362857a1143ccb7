//! Prometheus' protobuf format: messages of `io/prometheus/client/metrics.proto`, of their fields
//! those that are used here.

use super::{Exposition, LATENCY, LATENCY_HELP, NS_PER_S};
use hdrhistogram::Histogram as Hdr;
use prost::Message;

/// Each bucket of a native histogram ends at 2^(1/16) times the end of the one before it: 4% apart,
/// so that a percentile from them is off by 2%.
const SCHEMA: i32 = 4;
/// Latencies below it would be in the zero bucket; there are none. 2^-128, as clients have it.
const ZERO_THRESHOLD: f64 = 0.5 / (1_u128 << 127) as f64;

const COUNTER: i32 = 0;
const HISTOGRAM: i32 = 4;

#[derive(Clone, PartialEq, Message)]
struct MetricFamily {
    #[prost(string, optional, tag = "1")]
    name: Option<String>,
    #[prost(string, optional, tag = "2")]
    help: Option<String>,
    #[prost(int32, optional, tag = "3")]
    kind: Option<i32>,
    #[prost(message, repeated, tag = "4")]
    metric: Vec<Metric>,
}

#[derive(Clone, PartialEq, Message)]
struct Metric {
    #[prost(message, optional, tag = "3")]
    counter: Option<Counter>,
    #[prost(message, optional, tag = "7")]
    histogram: Option<Histogram>,
}

#[derive(Clone, PartialEq, Message)]
struct Counter {
    #[prost(double, optional, tag = "1")]
    value: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
struct Histogram {
    #[prost(uint64, optional, tag = "1")]
    sample_count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    sample_sum: Option<f64>,
    #[prost(message, repeated, tag = "3")]
    bucket: Vec<Bucket>,
    #[prost(sint32, optional, tag = "5")]
    schema: Option<i32>,
    #[prost(double, optional, tag = "6")]
    zero_threshold: Option<f64>,
    #[prost(uint64, optional, tag = "7")]
    zero_count: Option<u64>,
    #[prost(message, repeated, tag = "12")]
    positive_span: Vec<Span>,
    #[prost(sint64, repeated, packed = "false", tag = "13")]
    positive_delta: Vec<i64>,
}

/// Of a classic histogram.
#[derive(Clone, PartialEq, Message)]
struct Bucket {
    #[prost(uint64, optional, tag = "1")]
    cumulative_count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    upper_bound: Option<f64>,
}

/// Buckets of a native histogram that follow upon each other.
#[derive(Clone, PartialEq, Message)]
struct Span {
    /// After the end of the span before it; of the first one its number.
    #[prost(sint32, optional, tag = "1")]
    offset: Option<i32>,
    #[prost(uint32, optional, tag = "2")]
    length: Option<u32>,
}

impl Exposition {
    pub(super) fn protobuf(&self) -> Vec<u8> {
        let counters = self.counters().into_iter().map(|counter| {
            let metric = Metric {
                counter: Some(Counter {
                    value: Some(counter.value as f64),
                }),
                histogram: None,
            };
            family(counter.name, counter.help, COUNTER, metric)
        });
        let histogram = Metric {
            counter: None,
            histogram: Some(self.histogram()),
        };
        let histogram = family(LATENCY, LATENCY_HELP, HISTOGRAM, histogram);
        let families = counters.chain([histogram]);
        families
            .flat_map(|it| it.encode_length_delimited_to_vec())
            .collect()
    }

    /// Classic buckets and native ones: who scrapes takes either.
    fn histogram(&self) -> Histogram {
        let (positive_span, positive_delta) = spans(&native(self.latencies.as_hdr()));
        Histogram {
            sample_count: Some(self.latencies.count()),
            sample_sum: Some(self.sum_s()),
            bucket: self
                .buckets()
                .map(|(end_s, count)| Bucket {
                    cumulative_count: Some(count),
                    upper_bound: Some(end_s),
                })
                .collect(),
            schema: Some(SCHEMA),
            zero_threshold: Some(ZERO_THRESHOLD),
            zero_count: Some(0),
            positive_span,
            positive_delta,
        }
    }
}

fn family(name: &str, help: &str, kind: i32, metric: Metric) -> MetricFamily {
    MetricFamily {
        name: Some(name.into()),
        help: Some(help.into()),
        kind: Some(kind),
        metric: vec![metric],
    }
}

/// Numbers of the buckets that hold any latency, in their order, and how many. Bucket `i` ends with
/// 2^(i/16) seconds, which are in it. Latencies count at the upper end of their bin.
fn native(latencies: &Hdr<u64>) -> Vec<(i32, u64)> {
    let mut buckets: Vec<(i32, u64)> = Vec::new();
    for bin in latencies.iter_recorded() {
        let seconds = bin.value_iterated_to() as f64 / NS_PER_S;
        let number = (seconds.log2() * f64::from(1 << SCHEMA)).ceil() as i32;
        let count = bin.count_since_last_iteration();
        match buckets.last_mut() {
            Some((last, sum)) if *last == number => *sum += count,
            _ => buckets.push((number, count)),
        }
    }
    buckets
}

/// The same as runs of buckets, and each count as its difference to the one before it.
fn spans(buckets: &[(i32, u64)]) -> (Vec<Span>, Vec<i64>) {
    let (mut spans, mut deltas): (Vec<Span>, Vec<i64>) = Default::default();
    let (mut next, mut before) = (0, 0);
    for &(number, count) in buckets {
        match spans.last_mut() {
            Some(span) if number == next => span.length = span.length.map(|length| length + 1),
            _ => spans.push(Span {
                offset: Some(number - next),
                length: Some(1),
            }),
        }
        deltas.push(count as i64 - before);
        (next, before) = (number + 1, count as i64);
    }
    (spans, deltas)
}
