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
    /// By weight, but not by chance: any stretch has of each as many as its share, to within a few.
    Even,
}

#[derive(Clone, Debug)]
pub enum Mix {
    InTurn(u64),
    /// So many requests, and the seed.
    AtRandom(u64, u64),
    /// Upper ends of the requests' shares of 0 to 1.
    ByWeight(Vec<f64>),
    /// Over and over.
    Pattern(Vec<u32>),
}

impl Mix {
    /// By weight, or rate, if any request has one; those without weigh 1.
    pub fn new(requests: &[Request]) -> Self {
        let has_none = |request: &Request| request.weight.or(request.rate).is_none();
        if requests.iter().all(has_none) {
            return Self::InTurn(requests.len() as u64);
        }
        let weights: Vec<f64> = requests.iter().map(Request::share).collect();
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
            (Draw::Even, Self::ByWeight(ends)) => Self::Pattern(pattern(&ends)),
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
            Self::Pattern(pattern) => pattern[(sequence % pattern.len() as u64) as usize],
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

/// Requests of a pattern at most, unless there are more to choose from.
const LONGEST_PATTERN: f64 = 100_000.0;

/// Requests by the upper ends of their shares, each of them as evenly spread as can be.
fn pattern(ends: &[f64]) -> Vec<u32> {
    let starts = std::iter::once(0.0).chain(ends.iter().copied());
    let shares: Vec<f64> = ends
        .iter()
        .zip(starts)
        .map(|(end, start)| end - start)
        .collect();
    let counts = counts(&shares);
    // Number k of n is at (k + 1/2) / n of the whole.
    let mut places: Vec<(f64, u32)> = Vec::new();
    for (request, &n) in (0..).zip(&counts) {
        places.extend((0..n).map(|k| ((k as f64 + 0.5) / n as f64, request)));
    }
    places.sort_by(|one, other| one.0.total_cmp(&other.0));
    places.into_iter().map(|(_, request)| request).collect()
}

/// The smallest whole numbers in the proportion of these shares, or near it where they would be
/// very large; none of them is 0.
fn counts(shares: &[f64]) -> Vec<u64> {
    let smallest = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let is_whole = |count: f64| (count - count.round()).abs() < 1e-6;
    let most = (LONGEST_PATTERN * smallest).max(1.0);
    let of_smallest = (1..=most as u64).find(|&n| {
        let scale = n as f64 / smallest;
        shares.iter().all(|share| is_whole(share * scale))
    });
    let scale = of_smallest.map_or(LONGEST_PATTERN, |n| n as f64 / smallest);
    let count = |share: &f64| ((share * scale).round() as u64).max(1);
    shares.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    fn even(weights: &[f64]) -> Mix {
        let requests = weights.iter().map(|&weight| Request {
            weight: Some(weight),
            ..Request::get("/")
        });
        let requests: Vec<Request> = requests.collect();
        Mix::new(&requests).drawn(Draw::Even)
    }

    #[test]
    fn evenly_drawn_patterns_are_as_short_as_can_be() {
        let pattern = |weights: &[f64]| match even(weights) {
            Mix::Pattern(pattern) => pattern,
            other => panic!("{other:?}"),
        };
        assert_eq!(pattern(&[200.0, 100.0]), [0, 1, 0]);
        assert_eq!(pattern(&[0.5, 0.5]), [0, 1]);
        assert_eq!(pattern(&[7.5, 2.5, 5.0]).len(), 6);
        assert_eq!(pattern(&[7.0]), [0]);
        let unlike = pattern(&[std::f64::consts::PI, 1.0]);
        assert!(
            (99_990..=100_010).contains(&unlike.len()),
            "{}",
            unlike.len()
        );
    }

    proptest! {
        #[test]
        fn any_stretch_has_its_share_of_each(
            weights in prop::collection::vec(1u32..100, 1..6),
            from in 0u64..10_000,
            length in 0u64..1_000,
        ) {
            let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
            let mix = even(&weights);
            let total: f64 = weights.iter().sum();
            for (request, weight) in (0..).zip(&weights) {
                let picked = (from..from + length).filter(|&n| mix.pick(n) == request);
                let share = weight / total * length as f64;
                prop_assert!((picked.count() as f64 - share).abs() <= 1.0 + weights.len() as f64);
            }
        }
    }

    #[test]
    fn by_weight_is_by_weight() {
        let counts = counts(&[Some(3.0), None]);
        // Standard deviation 43.
        assert!((7_300..7_700).contains(&counts[0]), "{counts:?}");
    }
}
