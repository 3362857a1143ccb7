//! Which format a scrape asks for.

/// How figures are written for Prometheus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    /// `MetricFamily` messages, each behind its length.
    Protobuf,
}

/// Parameters of the protobuf that is written; one that a scrape does not give may be anything.
const PROTOBUF: [(&str, &str); 2] = [
    ("proto", "io.prometheus.client.MetricFamily"),
    ("encoding", "delimited"),
];

impl Format {
    /// The one that `accept` likes best (RFC 9110 section 12.5.1), text where it likes none:
    /// whoever asks for nothing that there is gets what everybody reads.
    pub fn of_accept(accept: &str) -> Self {
        let mut best = (0.0, Self::Text);
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let media = parts.next().unwrap_or_default().to_ascii_lowercase();
            let parameters: Vec<(&str, &str)> = parts.filter_map(|it| it.split_once('=')).collect();
            let format = match media.as_str() {
                "application/vnd.google.protobuf" if is_ours(&parameters) => Self::Protobuf,
                "text/plain" | "text/*" | "*/*" => Self::Text,
                _ => continue,
            };
            let quality = quality(&parameters);
            if quality > best.0 {
                best = (quality, format);
            }
        }
        best.1
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::Protobuf => {
                "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
            }
        }
    }
}

fn is_ours(parameters: &[(&str, &str)]) -> bool {
    parameters.iter().all(|(name, value)| {
        let ours = PROTOBUF
            .iter()
            .find(|(of, _)| of.eq_ignore_ascii_case(name));
        ours.is_none_or(|(_, ours)| ours == &value.trim_matches('"'))
    })
}

/// 1 where none is given, 0 where it is no number.
fn quality(parameters: &[(&str, &str)]) -> f64 {
    let given = parameters
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("q"));
    given.map_or(1.0, |(_, value)| value.parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_liked_of_two() {
        let proto = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily";
        for (accept, format) in [
            // What Prometheus asks for with native histograms, and without.
            (format!("{proto};encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"), Format::Protobuf),
            ("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2".into(), Format::Text),
            (format!("{proto}; encoding=delimited"), Format::Protobuf),
            (format!("text/plain;q=0.2, {proto};Encoding=\"delimited\""), Format::Protobuf),
            ("Application/vnd.google.protobuf".into(), Format::Protobuf),
            (format!("{proto};encoding=delimited;q=0.5, text/plain"), Format::Text),
            (format!("{proto};encoding=delimited;q=0"), Format::Text),
            (format!("{proto};encoding=compact-text"), Format::Text),
            ("application/vnd.google.protobuf;proto=other.Message".into(), Format::Text),
            ("application/json".into(), Format::Text),
            (String::new(), Format::Text),
        ] {
            assert_eq!(Format::of_accept(&accept), format, "{accept}");
        }
    }
}
