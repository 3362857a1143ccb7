//! Thresholds that a run has to keep: `p99 > 20ms`, `errors > 0.1%`, `rate < 0.99`.

use crate::figure::{milliseconds, Figure};
use crate::histogram::Latencies;
use crate::load::streams::StreamCounts;
use std::fmt;
use std::str::FromStr;

/// A share of errors is known early where at least so many came.
const ERRORS_FOR_A_SHARE: u64 = 10;

/// What a run must not be.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    text: String,
    what: What,
    is_above: bool,
    limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// In milliseconds.
    Latency(Figure),
    /// The same of streams.
    Stream(StreamTime, Figure),
    /// The same of messages that have replies of their own.
    Message(Figure),
    /// Of all requests.
    ErrorShare,
    Errors,
    /// Achieved rate by asked rate.
    Rate,
    /// Right replies a second.
    Throughput,
}

/// What is timed of streams.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StreamTime {
    FirstEvent,
    FirstContent,
    Gap,
    LastContent,
    PerToken,
}

impl StreamTime {
    fn of(self, counts: &StreamCounts) -> &Latencies {
        match self {
            Self::FirstEvent => &counts.first_event,
            Self::FirstContent => &counts.first_content,
            Self::Gap => &counts.gaps,
            Self::LastContent => &counts.last_content,
            Self::PerToken => &counts.per_token,
        }
    }
}

impl FromStr for StreamTime {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "first-event" => Ok(Self::FirstEvent),
            "first-content" => Ok(Self::FirstContent),
            "gap" => Ok(Self::Gap),
            "last-content" => Ok(Self::LastContent),
            "per-token" => Ok(Self::PerToken),
            _ => Err(()),
        }
    }
}

/// What a run came to, or has come to so far.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub latencies: &'a Latencies,
    pub replies: u64,
    pub errors: u64,
    /// Only of a run that is over.
    pub end: Option<End<'a>>,
}

/// What only the end of a run tells.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    pub throughput_rps: f64,
    /// Achieved rate by asked rate; in open loop only.
    pub rate: Option<f64>,
    /// Where replies are streams.
    pub streams: Option<&'a StreamCounts>,
    /// Where messages have replies of their own.
    pub messages: Option<&'a Latencies>,
}

/// What became of a threshold.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Judged {
    pub fail_if: String,
    /// In the threshold's own unit (times in milliseconds, shares of 1); `None` where it cannot be
    /// told.
    pub value: Option<f64>,
    /// `None`: there is no verdict.
    pub failed: Option<bool>,
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("{text:?} is no threshold, such as 'p99 > 20ms', 'errors > 0.1%', 'rate < 0.99', 'rps < 5000'")
        };
        let at = text.find(['<', '>']).ok_or_else(wrong)?;
        let (figure, limit) = (text[..at].trim(), text[at + 1..].trim());
        let number = |text: &str| {
            let number = text.parse().ok();
            number.filter(|&number: &f64| number >= 0.0 && number.is_finite())
        };
        let share = limit
            .strip_suffix('%')
            .and_then(|limit| number(limit.trim_end()));
        let (what, limit) = match (figure, share, number(limit)) {
            ("errors", Some(percent), _) => (What::ErrorShare, Some(percent / 100.0)),
            ("errors", None, count) => (What::Errors, count),
            ("rate", Some(percent), _) => (What::Rate, Some(percent / 100.0)),
            ("rate", None, share) => (What::Rate, share),
            ("rps", None, rate) => (What::Throughput, rate),
            (figure, ..) => {
                let what = match figure.split_once(' ') {
                    Some(("message", figure)) => {
                        What::Message(figure.trim().parse().map_err(|()| wrong())?)
                    }
                    Some((time, figure)) => {
                        let time = time.parse().map_err(|()| wrong())?;
                        What::Stream(time, figure.trim().parse().map_err(|()| wrong())?)
                    }
                    None => What::Latency(figure.parse().map_err(|()| wrong())?),
                };
                (what, milliseconds(limit))
            }
        };
        Ok(Self {
            text: text.trim().to_owned(),
            what,
            is_above: text[at..].starts_with('>'),
            limit: limit.ok_or_else(wrong)?,
        })
    }
}

impl Threshold {
    /// Whether it needs a rate that was asked for.
    pub fn needs_a_rate(&self) -> bool {
        self.what == What::Rate
    }

    /// Whether it needs replies that are streams.
    pub fn needs_streams(&self) -> bool {
        matches!(self.what, What::Stream(..))
    }

    /// Whether it needs messages with replies of their own.
    pub fn needs_messages(&self) -> bool {
        matches!(self.what, What::Message(..))
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its verdict on a run; in the midst of one only what it can say already.
    pub fn judge(&self, seen: &Seen<'_>) -> Judged {
        let value = self.value(seen);
        let failed = value.map(|value| match self.is_above {
            true => value > self.limit,
            false => value < self.limit,
        });
        Judged {
            fail_if: self.text.clone(),
            value,
            failed,
        }
    }

    fn value(&self, seen: &Seen<'_>) -> Option<f64> {
        match self.what {
            What::Latency(figure) => figure.of(seen.latencies),
            What::Stream(time, figure) => figure.of(time.of(seen.end?.streams?)),
            What::Message(figure) => figure.of(seen.end?.messages?),
            What::Errors => Some(seen.errors as f64),
            What::ErrorShare => {
                let all = seen.replies + seen.errors;
                let is_known = seen.end.is_some() || seen.errors >= ERRORS_FOR_A_SHARE;
                (is_known && all > 0).then(|| seen.errors as f64 / all as f64)
            }
            What::Rate => seen.end?.rate,
            What::Throughput => Some(seen.end?.throughput_rps),
        }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.failed {
            Some(true) => "FAILED",
            Some(false) => "kept",
            None => "no verdict",
        };
        write!(f, "{word}: fail if {}", self.fail_if)?;
        match self.value {
            Some(value) => write!(f, " (it was {value:.6})"),
            None => f.write_str(" (too few observations to tell)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, seen: &Seen<'_>) -> Option<bool> {
        text.parse::<Threshold>().expect(text).judge(seen).failed
    }

    #[test]
    fn verdicts() {
        let mut latencies = Latencies::default();
        (1..=1_000).for_each(|ms| latencies.record(ms * 1_000_000));
        let mut streams = StreamCounts::default();
        (1..=100).for_each(|ms| streams.first_content.record(ms * 1_000_000));
        let end = End {
            throughput_rps: 500.0,
            rate: Some(0.985),
            streams: Some(&streams),
            messages: Some(&latencies),
        };
        let seen = Seen {
            latencies: &latencies,
            replies: 1_000,
            errors: 2,
            end: Some(end),
        };
        for (text, failed) in [
            ("p99 > 900ms", Some(true)),
            ("p99>1s", Some(false)),
            ("p99.9 > 1ms", None),
            ("max > 999ms", Some(true)),
            ("mean < 1ms", Some(false)),
            ("errors > 0.1%", Some(true)),
            ("errors > 0.2 %", Some(false)),
            ("errors > 1", Some(true)),
            ("errors > 2", Some(false)),
            ("rate < 0.99", Some(true)),
            ("rate < 98%", Some(false)),
            ("rps < 501", Some(true)),
            ("first-content p50 > 49ms", Some(true)),
            ("first-content  p50 > 51ms", Some(false)),
            ("first-content p99 > 1ms", None),
            ("gap p50 > 1ms", None),
            ("message p99 > 900ms", Some(true)),
            ("message max > 2s", Some(false)),
        ] {
            assert_eq!(judged(text, &seen), failed, "{text}");
        }
        let midst = Seen { end: None, ..seen };
        assert_eq!(judged("rate < 0.99", &midst), None);
        assert_eq!(judged("errors > 0.1%", &midst), None);
        assert_eq!(judged("errors > 1", &midst), Some(true));
        let many = Seen {
            errors: 10,
            ..midst
        };
        assert_eq!(judged("errors > 0.1%", &many), Some(true));
    }

    #[test]
    fn what_is_no_threshold() {
        for text in [
            "",
            "p99",
            "p99 = 3ms",
            "p99 > 3",
            "p101 > 3ms",
            "errors > x",
            "rate < -1",
            "rps < 9%",
            "q > 1ms",
            "second-content p50 > 1ms",
            "gap errors > 1ms",
            "gap > 1ms",
            "message > 1ms",
        ] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }
}
