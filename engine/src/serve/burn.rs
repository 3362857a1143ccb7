//! Work of a known size, to make one server slower than another by a known amount.

use crate::clock;
use std::hint::black_box;

/// Does `iterations` of work that no optimiser can leave out; each depends on the one before.
pub fn burn(iterations: u64) {
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..iterations {
        state = black_box(
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        );
    }
    black_box(state);
}

/// How many iterations take `us` microseconds here and now: the best of ten tries, so that a
/// disturbance in one of them counts for nothing.
pub fn iterations_for(us: f64) -> u64 {
    const PROBE: u64 = 200_000;
    let best_ns = (0..10)
        .map(|_| {
            let from_ns = clock::now_ns();
            burn(PROBE);
            clock::now_ns() - from_ns
        })
        .min()
        .unwrap_or(1)
        .max(1);
    (us * 1000.0 * PROBE as f64 / best_ns as f64).round() as u64
}
