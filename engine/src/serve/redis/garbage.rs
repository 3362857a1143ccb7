//! What a hostile Redis says. The same for the same seed, so that what it breaks can be had again.

use crate::random::SplitMix64;

/// Replies of every kind of RESP2 and RESP3, and heads whose rest may never come.
const PIECES: [&str; 26] = [
    "+OK\r\n",
    "+\r\n",
    "-OOM command not allowed\r\n",
    "!3\r\nbad\r\n",
    ":5\r\n",
    ":-9223372036854775808\r\n",
    ":9223372036854775808\r\n",
    "$2\r\nok\r\n",
    "$0\r\n\r\n",
    "$-1\r\n",
    "$-2\r\n",
    "$7\r\n",
    "$536870912\r\n",
    "$99999999999999999999\r\n",
    "*3\r\n",
    "*-1\r\n",
    "*2147483647\r\n",
    "%1\r\n",
    "%2147483647\r\n+a\r\n",
    "~2147483647\r\n",
    "|1\r\n+ttl\r\n",
    ">2\r\n+message\r\n",
    "_\r\n",
    "#t\r\n",
    ",1.5\r\n",
    "=7\r\ntxt:abc\r\n",
];
/// Nested deeper than any reply of a Redis.
const DEEP: usize = 20_000;
/// Of so many replies one is spoilt.
const ONE_IN: u64 = 32;

/// Spoils replies, by chance but always the same of a seed.
#[derive(Clone, Debug)]
pub struct Garbage {
    random: SplitMix64,
}

impl Garbage {
    pub fn new(seed: u64) -> Self {
        Self {
            random: SplitMix64::new(seed),
        }
    }

    /// Leaves the reply that begins at `from` as it is, or puts something else in its place.
    pub fn spoil(&mut self, bytes: &mut Vec<u8>, from: usize) {
        if self.below(ONE_IN) == 0 {
            bytes.truncate(from);
            self.put(bytes);
        }
    }

    /// A few bytes that may be a reply, a part of one, or nothing of the kind.
    pub fn put(&mut self, bytes: &mut Vec<u8>) {
        let from = bytes.len();
        match self.below(64) {
            0 => bytes.extend(b"*1\r\n".repeat(DEEP)),
            1 => bytes.resize(from + 70_000, b'+'),
            2..16 => {
                let length = self.below(9);
                bytes.extend((0..length).map(|_| self.below(256) as u8));
            }
            _ => {
                let piece = PIECES[self.below(PIECES.len() as u64) as usize];
                bytes.extend_from_slice(piece.as_bytes());
                self.damage(bytes, from);
            }
        }
    }

    /// One byte is another, is gone or is one too many; or none is.
    fn damage(&mut self, bytes: &mut Vec<u8>, from: usize) {
        let at = from + self.below((bytes.len() - from) as u64) as usize;
        match self.below(6) {
            0 => bytes[at] = self.below(256) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"\r\n0123456789-$*%~|"[self.below(18) as usize]),
            _ => {}
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random.next_u64() % limit
    }
}
