//! Header blocks.

use crate::protocol::h2::hpack::{literal, Decoder};

/// No field list beyond its bound, and what was decoded is the same when it is spelled out.
/// Blocks are set apart by 0xff 0xff, so that the table has a past.
pub fn blocks(bytes: &[u8]) {
    let mut decoder = Decoder::default();
    let mut rest = bytes;
    loop {
        let end = memchr::memmem::find(rest, b"\xff\xff").unwrap_or(rest.len());
        let mut fields = Vec::new();
        let mut size = 0;
        let result = decoder.decode(&rest[..end], |name, value| {
            size += name.len() + value.len();
            fields.push((name.to_vec(), value.to_vec()));
        });
        assert!(size <= 64 * 1024);
        if result.is_err() {
            return;
        }
        let spelled: Vec<u8> = fields
            .iter()
            .flat_map(|(name, value)| literal(name, value))
            .collect();
        let mut again = Vec::new();
        Decoder::default()
            .decode(&spelled, |name, value| {
                again.push((name.to_vec(), value.to_vec()));
            })
            .expect("spelled by ourselves");
        assert_eq!(again, fields);
        match rest.get(end + 2..) {
            Some(behind) if !behind.is_empty() => rest = behind,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::h2::hpack::{indexed, literal_indexed, size_update};
    use proptest::prelude::*;

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            (1usize..70).prop_map(indexed),
            (0usize..5000).prop_map(size_update),
            ("[a-z]{0,9}", "[ -~]{0,40}")
                .prop_map(|(name, value)| literal_indexed(name.as_bytes(), value.as_bytes())),
            Just(b"\xff\xff".to_vec()),
            prop::collection::vec(any::<u8>(), 0..6),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_short_run(pieces in prop::collection::vec(piece(), 0..12)) {
            super::blocks(&pieces.concat());
        }
    }
}
