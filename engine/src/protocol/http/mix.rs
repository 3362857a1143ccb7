//! Which of several requests is sent next: in turn, or by weight.

use super::request::Request;
use crate::random::{SplitMix64, TWO_TO_53};

/// How requests are drawn from several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Draw {
    /// In turn, or by weight if any has one.
    #[default]
    Turn,
    /// Each as likely as the others, independent of those before; the same for the same seed.
    Random,
}

#[derive(Clone, Debug)]
pub enum Mix {
    InTurn(u64),
    /// So many requests, and the seed.
    AtRandom(u64, u64),
    /// Upper ends of the requests' shares of 0 to 1.
    ByWeight(Vec<f64>),
}

impl Mix {
    /// By weight if any request has one; those without weigh 1.
    pub fn new(requests: &[Request]) -> Self {
        if requests.iter().all(|request| request.weight.is_none()) {
            return Self::InTurn(requests.len() as u64);
        }
        let weights: Vec<f64> = requests
            .iter()
            .map(|request| request.weight.unwrap_or(1.0))
            .collect();
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        Self::ByWeight(
            weights
                .iter()
                .map(|weight| {
                    sum += weight / total;
                    sum
                })
                .collect(),
        )
    }

    /// The same requests, drawn in this way.
    #[must_use]
    pub fn drawn(self, draw: Draw) -> Self {
        match (draw, self) {
            (Draw::Random, Self::InTurn(n)) => Self::AtRandom(n, 0),
            (_, mix) => mix,
        }
    }

    /// Draws at random begin afresh.
    pub fn seed(&mut self, new: u64) {
        if let Self::AtRandom(_, seed) = self {
            *seed = new;
        }
    }

    /// Index of the request with this number. By weight: at random, but the same every time.
    #[inline]
    pub fn pick(&self, sequence: u64) -> u32 {
        match self {
            Self::InTurn(1) => 0,
            Self::InTurn(n) => (sequence % n) as u32,
            Self::AtRandom(n, seed) => {
                let drawn = SplitMix64::new(seed ^ sequence).next_u64();
                ((u128::from(drawn) * u128::from(*n)) >> 64) as u32
            }
            Self::ByWeight(ends) => {
                // Neighbouring seeds give unrelated first numbers.
                let unit = SplitMix64::new(sequence).next_53_bits() as f64 / TWO_TO_53;
                ends.iter()
                    .position(|&end| unit < end)
                    .unwrap_or(ends.len() - 1) as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(weights: &[Option<f64>]) -> Vec<u32> {
        let requests: Vec<Request> = weights
            .iter()
            .map(|&weight| Request {
                weight,
                ..Request::get("/")
            })
            .collect();
        let mix = Mix::new(&requests);
        let mut counts = vec![0; weights.len()];
        for sequence in 0..10_000 {
            counts[mix.pick(sequence) as usize] += 1;
        }
        counts
    }

    #[test]
    fn in_turn_is_even() {
        assert_eq!(counts(&[None, None]), [5_000, 5_000]);
    }

    #[test]
    fn at_random_is_even_and_by_the_seed() {
        let requests = vec![Request::get("/"); 100];
        let mut mix = Mix::new(&requests).drawn(Draw::Random);
        let mut drawn = |seed| -> Vec<u32> {
            mix.seed(seed);
            (0..10_000).map(|sequence| mix.pick(sequence)).collect()
        };
        let first = drawn(7);
        assert_eq!(first, drawn(7));
        assert_ne!(first, drawn(8));
        let mut counts = [0; 100];
        first.iter().for_each(|&index| counts[index as usize] += 1);
        // Standard deviation 10.
        assert!(
            counts.iter().all(|count| (50..150).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn by_weight_is_by_weight() {
        let counts = counts(&[Some(3.0), None]);
        // Standard deviation 43.
        assert!((7_300..7_700).contains(&counts[0]), "{counts:?}");
    }
}
