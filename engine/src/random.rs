//! Pseudo-random numbers that are the same for the same seed.

/// SplitMix64 (Steele, Lea, Flood 2014). Any seed will do, 0 too.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The upper 53 bits of the next number: as many as a double holds exactly.
    #[inline]
    pub fn next_53_bits(&mut self) -> u64 {
        self.next_u64() >> 11
    }
}

/// As many different values as [`SplitMix64::next_53_bits`] has.
pub const TWO_TO_53: f64 = (1_u64 << 53) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // Of the reference implementation by Vigna, prng.di.unimi.it/splitmix64.c, with seed 0.
        let mut random = SplitMix64::new(0);
        let first = [random.next_u64(), random.next_u64(), random.next_u64()];
        let expected = [
            0xe220_a839_7b1d_cdaf,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
        ];
        assert_eq!(first, expected);
    }
}
