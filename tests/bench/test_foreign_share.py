"""What a neighbour's share moves a ratio by: the slope, on blocks whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from bench import foreign_share
from bench.foreign_share import REPEATS, SHARES, Block, Raced


def test_every_share_is_raced_as_often_and_there_and_back() -> None:
    done: list[Raced] = []
    while (following := next(foreign_share.left(done), None)) is not None:
        done.append(Raced(*following, blocks=(), at="2026-11-22T00:00:00Z"))
    assert [one.share for one in done[: 2 * len(SHARES)]] == [*SHARES, *reversed(SHARES)]
    assert len(done) == REPEATS * len(SHARES)


def test_the_slope_is_found_within_its_interval() -> None:
    rng = np.random.default_rng(1)
    of = [Block(x, 0.3 - 0.25 * x + float(rng.normal(0, 0.01))) for x in np.linspace(0, 0.2, 60)]
    found, half = foreign_share.slope(of)
    assert found == pytest.approx(-0.25, abs=half) and half < 0.06


def test_the_table_says_at_which_share_the_ratio_has_moved_by_one_percent() -> None:
    of = [Block(x, -2.0 - 0.2 * x) for x in (0.0, 0.05, 0.1)]
    lines = foreign_share.table([Raced(0.0, 0, tuple(of), "2026-11-22T00:00:00Z")])
    assert "at 5.0% by the estimate" in lines[-1]
