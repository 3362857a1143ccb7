//! Which of several requests is sent next: in turn, or by weight.

use super::request::Request;

#[derive(Clone, Debug)]
pub(in crate::protocol) enum Mix {
    InTurn(u64),
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

    /// Index of the request with this number. By weight: at random, but the same every time.
    #[inline]
    pub fn pick(&self, sequence: u64) -> u32 {
        match self {
            Self::InTurn(1) => 0,
            Self::InTurn(n) => (sequence % n) as u32,
            Self::ByWeight(ends) => {
                // The finaliser of SplitMix64: neighbouring numbers become unrelated ones.
                let mut z = sequence.wrapping_add(0x9e37_79b9_7f4a_7c15);
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
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
    fn by_weight_is_by_weight() {
        let counts = counts(&[Some(3.0), None]);
        // Standard deviation 43.
        assert!((7_300..7_700).contains(&counts[0]), "{counts:?}");
    }
}
