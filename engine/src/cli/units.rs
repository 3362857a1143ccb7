//! Times and shares as people write them.

use std::time::Duration;

/// `10s`, `500ms`, `200us`, `2m`, `1h`; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .parse()
        .map_err(|_| format!("{text:?} is no time, such as 10s"))?;
    let seconds = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        _ => return Err(format!("{unit:?} is no unit of time (us, ms, s, m, h)")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| format!("{text:?} is too long"))
}

/// The same in whole milliseconds.
pub fn milliseconds(text: &str) -> Result<u64, String> {
    let duration = duration(text)?;
    if !duration.is_zero() && duration.as_millis() == 0 {
        return Err(format!("{text:?} is under a millisecond"));
    }
    Ok(duration.as_millis() as u64)
}

/// `1s/5s`: the last second of every five.
pub fn stall(text: &str) -> Result<(Duration, Duration), String> {
    let (length, period) = text
        .split_once('/')
        .ok_or_else(|| format!("{text:?} is no stall, such as 1s/5s"))?;
    let (length, period) = (duration(length)?, duration(period)?);
    if length >= period {
        return Err(format!("{text:?}: a stall is shorter than its period"));
    }
    Ok((length, period))
}

/// `1/1000`: every thousandth.
pub fn every(text: &str) -> Result<u64, String> {
    match text.strip_prefix("1/").map(str::parse) {
        Some(Ok(n)) if n > 0 => Ok(n),
        _ => Err(format!("{text:?} is no share, such as 1/1000")),
    }
}

/// Requests a second.
pub fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1e8 => Ok(rate),
        _ => Err(format!("{text:?} is no rate, such as 20000")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(milliseconds("10s"), Ok(10_000));
        assert_eq!(milliseconds("1.5"), Ok(1_500));
        assert_eq!(milliseconds("2m"), Ok(120_000));
        assert_eq!(duration("200us"), Ok(Duration::from_micros(200)));
        for wrong in ["", "s", "-1s", "1x", "1.2.3s", "99999999999999999999h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(milliseconds("200us").is_err());
    }

    #[test]
    fn shares() {
        assert_eq!(every("1/1000"), Ok(1000));
        assert!(every("1/0").is_err() && every("2/3").is_err() && every("5").is_err());
        assert!(stall("1s/5s").is_ok() && stall("5s/1s").is_err() && stall("1s").is_err());
    }
}
