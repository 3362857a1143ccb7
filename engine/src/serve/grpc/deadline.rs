//! How long a call may take, as its client says.

/// The value of `grpc-timeout`: up to 8 digits and a unit (gRPC over HTTP/2, "Timeout"). `None`:
/// it is none, and the call may take as long as it likes.
pub fn timeout_ns(value: &[u8]) -> Option<u64> {
    const MOST_DIGITS: usize = 8;
    let (unit, digits) = value.split_last()?;
    let unit_ns: u64 = match unit {
        b'n' => 1,
        b'u' => 1_000,
        b'm' => 1_000_000,
        b'S' => 1_000_000_000,
        b'M' => 60 * 1_000_000_000,
        b'H' => 3_600 * 1_000_000_000,
        _ => return None,
    };
    if digits.is_empty() || digits.len() > MOST_DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(number.saturating_mul(unit_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts() {
        for (value, ns) in [
            ("100m", Some(100_000_000)),
            ("1n", Some(1)),
            ("20S", Some(20_000_000_000)),
            ("99999999H", Some(u64::MAX)),
            ("0u", Some(0)),
            ("999999999S", None),
            ("100", None),
            ("m", None),
            ("", None),
            ("-1S", None),
        ] {
            assert_eq!(timeout_ns(value.as_bytes()), ns, "{value}");
        }
    }
}
