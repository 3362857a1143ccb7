//! What an error says beside its message: `grpc-status-details-bin`, a google.rpc.Status.

use super::fields::fields;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::DecodePaddingMode;
use base64::{alphabet, Engine as _};

/// Characters of all details that are told.
const SHOWN: usize = 300;

/// Numbers of fields: `Status.details`, and `Any.type_url` and `Any.value`.
const DETAILS: u64 = 3;
const TYPE_URL: u64 = 1;
const VALUE: u64 = 2;

/// Levels of messages in a detail that are looked into.
const DEEPEST: u32 = 8;

/// The types of the details, each with the texts in it, as
/// `google.rpc.ErrorInfo(STOCKOUT, spanner.googleapis.com)`; nothing if there are none or they
/// cannot be read.
#[cold]
pub fn explain(header: &[u8]) -> String {
    // Padding is left out by some.
    let lenient =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&alphabet::STANDARD, lenient);
    let Ok(status) = engine.decode(header.trim_ascii()) else {
        return String::new();
    };
    let details = fields(&status).into_iter();
    let details = details.filter(|(number, _)| *number == DETAILS);
    let told: Vec<String> = details.map(|(_, any)| detail(any)).collect();
    told.join("; ").chars().take(SHOWN).collect()
}

fn detail(any: &[u8]) -> String {
    let fields = fields(any);
    let of = |wanted: u64| {
        let mut found = fields.iter().filter(|(number, _)| *number == wanted);
        found.next().map_or(&[][..], |(_, bytes)| bytes)
    };
    let url = String::from_utf8_lossy(of(TYPE_URL)).into_owned();
    let name = url.rsplit('/').next().unwrap_or_default().to_owned();
    let mut texts = Vec::new();
    collect_texts(of(VALUE), DEEPEST, &mut texts);
    match texts.is_empty() {
        true => name,
        false => format!("{name}({})", texts.join(", ")),
    }
}

/// All that reads as a text in a message and the messages in it, so many levels down.
fn collect_texts(message: &[u8], levels: u32, texts: &mut Vec<String>) {
    for (_, bytes) in fields(message) {
        let text = std::str::from_utf8(bytes).ok();
        match text.filter(|text| !text.is_empty() && !text.contains(char::is_control)) {
            Some(text) => texts.push(text.to_owned()),
            None if levels > 0 => collect_texts(bytes, levels - 1, texts),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
    use proptest::prelude::*;

    fn with_length(number: u8, content: &[u8]) -> Vec<u8> {
        [&[(number << 3) | 2, content.len() as u8], content].concat()
    }

    fn status() -> Vec<u8> {
        let value = [with_length(1, b"STOCKOUT"), with_length(2, b"shop.test")].concat();
        let any = [
            with_length(1, b"type.googleapis.com/google.rpc.ErrorInfo"),
            with_length(2, &value),
        ];
        // A violation is a message within the message.
        let violation = [with_length(1, b"name"), with_length(2, b"too long")].concat();
        let nested = [
            with_length(1, b"type.googleapis.com/google.rpc.BadRequest"),
            with_length(2, &with_length(1, &violation)),
        ];
        let code = vec![8, 3];
        let details = [
            with_length(3, &any.concat()),
            with_length(3, &nested.concat()),
        ];
        [code, with_length(2, b"no"), details.concat()].concat()
    }

    #[test]
    fn types_and_texts() {
        let expected =
            "google.rpc.ErrorInfo(STOCKOUT, shop.test); google.rpc.BadRequest(name, too long)";
        assert_eq!(explain(STANDARD.encode(status()).as_bytes()), expected);
        assert_eq!(
            explain(STANDARD_NO_PAD.encode(status()).as_bytes()),
            expected
        );
        assert_eq!(explain(b"not base64!"), "");
        assert_eq!(explain(b""), "");
    }

    proptest! {
        #[test]
        fn any_bytes_will_do(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let told = explain(STANDARD.encode(bytes).as_bytes());
            prop_assert!(told.chars().count() <= SHOWN);
        }
    }
}
