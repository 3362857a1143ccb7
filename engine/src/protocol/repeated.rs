//! The same bytes many times over: written at once, and recognised at once.

/// Room for the copies. More would save no further calls and only fill the cache.
const COPIES_BYTES: usize = 4 * 1024;

/// A text and copies of it, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Repeated {
    copies: Vec<u8>,
    length: usize,
    count: usize,
}

impl Repeated {
    /// It is this from now on, with one copy: it may well be something else soon.
    pub fn set(&mut self, text: &[u8]) {
        self.clear();
        self.copies.extend_from_slice(text);
        (self.length, self.count) = (text.len(), 1);
    }

    /// Makes copies, if there are none yet: it turned out to be worth it.
    #[inline]
    pub fn spread(&mut self) {
        if self.count == 1 && (1..=COPIES_BYTES / 2).contains(&self.length) {
            self.count = COPIES_BYTES / self.length;
            self.copies = self.copies.repeat(self.count);
        }
    }

    /// It is nothing, and is recognised nowhere.
    pub fn clear(&mut self) {
        self.copies.clear();
        (self.length, self.count) = (0, 0);
    }

    /// Length of the text.
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends it `n` times.
    #[inline]
    pub fn write(&self, mut n: usize, output: &mut Vec<u8>) {
        while n > self.count && self.count > 0 {
            output.extend_from_slice(&self.copies);
            n -= self.count;
        }
        output.extend_from_slice(&self.copies[..n.min(self.count) * self.length]);
    }

    /// [`Self::count_in`], with copies made where it is found several times at once.
    #[inline]
    pub fn recognise(&mut self, input: &[u8], most: usize) -> usize {
        let found = self.count_in(input, most);
        if found > 1 {
            self.spread();
        }
        found
    }

    /// How often `input` begins with it, `most` times at most. A stretch of copies is compared
    /// at once: where one of them differs, those before it in the stretch are not counted.
    #[inline]
    pub fn count_in(&self, input: &[u8], most: usize) -> usize {
        if self.is_empty() {
            return 0;
        }
        let most = most.min(input.len() / self.length);
        let mut found = 0;
        while found < most {
            let n = self.count.min(most - found);
            let (from, length) = (found * self.length, n * self.length);
            if input[from..from + length] != self.copies[..length] {
                break;
            }
            found += n;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_found_again(
            text in prop::collection::vec(any::<u8>(), 1..3_000),
            n in 0usize..50,
            spread in any::<bool>(),
            rest in prop::collection::vec(any::<u8>(), 0..10),
        ) {
            let mut repeated = Repeated::default();
            repeated.set(&text);
            if spread {
                repeated.spread();
            }
            let mut written = Vec::new();
            repeated.write(n, &mut written);
            prop_assert_eq!(&written, &text.repeat(n));
            prop_assert_eq!(repeated.count_in(&written, usize::MAX), n);
            prop_assert_eq!(repeated.count_in(&written, n / 2), n / 2);
            written.extend_from_slice(&rest);
            prop_assert_eq!(repeated.count_in(&written, n), n);
        }

        #[test]
        fn a_copy_that_differs_is_never_counted(
            text in prop::collection::vec(any::<u8>(), 1..100),
            n in 1usize..100,
            at in any::<prop::sample::Index>(),
        ) {
            let mut repeated = Repeated::default();
            repeated.set(&text);
            repeated.spread();
            let mut input = text.repeat(n);
            let at = at.index(input.len());
            input[at] ^= 1;
            prop_assert!(repeated.count_in(&input, usize::MAX) <= at / text.len());
        }
    }

    #[test]
    fn nothing_is_found_nowhere() {
        let mut repeated = Repeated::default();
        repeated.set(b"");
        repeated.spread();
        assert_eq!(repeated.count_in(b"abc", 5), 0);
        let mut output = Vec::new();
        repeated.write(3, &mut output);
        assert!(output.is_empty());
    }
}
