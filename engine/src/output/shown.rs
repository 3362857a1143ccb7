//! Numbers for people.

/// `196us`, `2.12ms`, `1.05s`; `-` where nothing is known.
pub fn ms(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(ms) if ms < 1.0 => format!("{:.0}us", ms * 1000.0),
        Some(ms) if ms < 1000.0 => format!("{ms:.2}ms"),
        Some(ms) => format!("{:.2}s", ms / 1000.0),
    }
}

pub fn bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{:.2} kB", b / 1e3),
        b if b < 1e9 => format!("{:.2} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}

/// `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(ms(Some(0.1964)), "196us");
        assert_eq!(ms(Some(2.123)), "2.12ms");
        assert_eq!(ms(Some(1_050.0)), "1.05s");
        assert_eq!(ms(None), "-");
        assert_eq!(bytes(2_340_000.0), "2.34 MB");
    }
}
