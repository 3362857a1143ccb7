"""The bias that a null pair could have seen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deadheat import stats
from deadheat.stats.null_pair import detectable_bias


def _estimate(sd: float, blocks: int) -> stats.Estimate:
    rng = np.random.default_rng(1)
    series = [np.array([value]) for value in rng.normal(0, sd, blocks)]
    return stats.compare(series, [np.zeros(1)] * blocks, lower_is_better=False)


def test_it_falls_with_blocks_and_is_unknown_with_one() -> None:
    few, many = (detectable_bias(_estimate(0.02, blocks)) for blocks in (5, 50))
    assert few is not None and many is not None
    assert 1 < many < few < 1.5
    assert detectable_bias(_estimate(0.02, 1)) is None


@pytest.mark.parametrize("sd", [1.0, 10.0, 1e3])
def test_two_blocks_worlds_apart_are_no_error(sd: float) -> None:
    """At 99.9% and one degree of freedom the interval is 637 standard errors wide: e to that is no float."""
    bias = detectable_bias(_estimate(sd, 2))
    assert bias is None or math.isfinite(bias)
