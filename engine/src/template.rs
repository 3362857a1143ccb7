//! Texts with `{token}` and `{seq}` in them.
//!
//! The token is the same for a whole turn and is put in once, when the turn begins. The
//! sequence number is each request's own and is put in as the request is written.

pub mod nested;

/// Puts the turn's token in place of every `{token}`.
pub fn with_token(template: &str, token: &str) -> String {
    template.replace("{token}", token)
}

const SEQUENCE: &str = "{seq}";

/// Bytes with zero or more places for a sequence number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    bytes: Vec<u8>,
    /// Where in `bytes` a number goes, in order.
    places: Vec<usize>,
}

impl Pieces {
    /// Takes a template apart whose token is already in place.
    pub fn new(template: &str) -> Self {
        let mut pieces = Self::default();
        pieces.push(template);
        pieces
    }

    /// Adds more of the template behind.
    pub fn push(&mut self, template: &str) {
        let mut parts = template.split(SEQUENCE);
        self.bytes
            .extend_from_slice(parts.next().unwrap_or_default().as_bytes());
        for part in parts {
            self.places.push(self.bytes.len());
            self.bytes.extend_from_slice(part.as_bytes());
        }
    }

    pub fn is_constant(&self) -> bool {
        self.places.is_empty()
    }

    /// The bytes if they are the same for every request.
    #[inline]
    pub fn constant(&self) -> Option<&[u8]> {
        self.is_constant().then_some(&self.bytes)
    }

    /// Appends the bytes with `sequence` in every place.
    #[inline]
    pub fn write(&self, sequence: u64, output: &mut Vec<u8>) {
        let mut from = 0;
        for &place in &self.places {
            output.extend_from_slice(&self.bytes[from..place]);
            push_decimal(output, sequence);
            from = place;
        }
        output.extend_from_slice(&self.bytes[from..]);
    }

    /// Length of what [`Pieces::write`] appends.
    pub fn len(&self, sequence: u64) -> usize {
        self.bytes.len() + self.places.len() * digits(sequence)
    }
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Appends a number in decimal. `write!` costs several times as much.
#[inline]
pub fn push_decimal(output: &mut Vec<u8>, mut number: u64) {
    let mut text = [0; 20];
    let mut at = text.len();
    loop {
        at -= 1;
        text[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    output.extend_from_slice(&text[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_what_replacing_gives(
            parts in prop::collection::vec("[a-z]{0,5}", 1..5),
            sequence in any::<u64>(),
        ) {
            let template = parts.join(SEQUENCE);
            let expected = template.replace(SEQUENCE, &sequence.to_string());
            let pieces = Pieces::new(&template);
            let mut written = Vec::new();
            pieces.write(sequence, &mut written);
            prop_assert_eq!(pieces.len(sequence), written.len());
            prop_assert_eq!(String::from_utf8(written).unwrap(), expected);
            prop_assert_eq!(pieces.is_constant(), parts.len() == 1);
        }

        #[test]
        fn decimals(number in any::<u64>()) {
            let mut text = Vec::new();
            push_decimal(&mut text, number);
            prop_assert_eq!(String::from_utf8(text).unwrap(), number.to_string());
        }
    }

    #[test]
    fn zero_has_one_digit() {
        assert_eq!(digits(0), 1);
    }
}
