"""Whether a result hangs on one block."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deadheat import stats
from deadheat.stats import FloatArray
from deadheat.stats.verdict import log_margin

effects_of = hnp.arrays(float, st.integers(2, 12), elements=st.floats(-1, 1, width=32))


def test_each_is_left_out_once() -> None:
    np.testing.assert_allclose(stats.leave_one_out(np.array([1.0, 2.0, 6.0])), [4.0, 3.5, 1.5])
    assert len(stats.leave_one_out(np.array([1.0]))) == 0


def test_the_odd_block_is_named() -> None:
    found = stats.estimate(np.log([1.2, 1.21, 1.9, 1.19]))
    telling = stats.most_influential(found)
    assert telling is not None
    assert telling[0] == 2
    assert math.isclose(telling[1], (1.2 * 1.21 * 1.19) ** (1 / 3))
    assert stats.most_influential(stats.estimate(np.array([0.1]))) is None


@given(effects_of, st.sampled_from([0.0, 0.02, 0.1]))
def test_no_verdict_can_hang_on_one_block(effects: FloatArray, margin: float) -> None:
    """Why nothing is withheld by it: a t interval clear of an edge stays on its side without any block."""
    verdict = stats.judge(stats.estimate(effects), margin)
    edge, without = log_margin(margin), stats.leave_one_out(effects)
    if verdict.kind == "faster":
        sign = 1 if verdict.winner == "a" else -1
        assert (sign * without > edge).all()
    elif verdict.kind == "dead heat":
        assert (np.abs(without) < edge).all()
