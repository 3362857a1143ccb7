"""Whether races by several ways say the same: the ratio of their ratios, on blocks whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bench import cluster_agreement
from bench.cluster_agreement import PAIRS, WAYS, Mean, Raced, Way, left, table


def raced(way: Way, *effects: tuple[float, ...], broken: tuple[str, ...] = ()) -> Raced:
    return Raced(PAIRS[0].name, way, 1, effects, broken, 60.0, "abc", "2026-11-24T00:00:00Z")


def blocks(log: float, count: int, seed: int, sd: float = 0.01) -> tuple[float, ...]:
    return tuple(np.random.default_rng(seed).normal(log, sd, count).tolist())


def test_every_pair_is_raced_by_every_way_once() -> None:
    done: list[Raced] = []
    while (following := next(left(done), None)) is not None:
        pair, way, seed = following
        done.append(Raced(pair.name, way, seed, ((0.0,),), (), 1.0, "abc", "2026-11-24T00:00:00Z"))
    assert [(one.pair, one.way) for one in done] == [(pair.name, way) for pair in PAIRS for way in WAYS]


def test_the_interval_of_the_ratio_of_ratios_covers() -> None:
    """Of two ways with the same truth 95% of intervals include 1, one of them of two machines."""
    held = 0
    for seed in range(400):
        ours = Mean.of([blocks(0.18, 6, 3 * seed)])
        theirs = Mean.of([blocks(0.18, 3, 3 * seed + 1), blocks(0.18, 3, 3 * seed + 2, 0.02)])
        _, low, high = theirs.over(ours)
        held += low <= 1 <= high
    assert 0.92 <= held / 400 <= 0.98


@pytest.mark.parametrize(("log", "agree"), [(0.185, "yes"), (0.30, "**no**")])
def test_the_table_says_whether_they_agree(log: float, agree: str) -> None:
    done = [
        raced("one machine", blocks(0.18, 6, 1)),
        raced("load from two others", blocks(log, 6, 2), broken=("other-cpu",)),
    ]
    row = next(line for line in table(done) if "load from two others" in line)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2] == "6" and cells[7] == agree and cells[8] == "other-cpu"
    assert float(cells[5]) == pytest.approx(math.exp(log - 0.18), rel=0.02)


def test_a_way_without_blocks_agrees_with_nothing() -> None:
    done = [
        raced("one machine", blocks(0.18, 6, 1)),
        raced("load from two others", (), broken=("other-cpu",)),
    ]
    assert any("too few" in line and "**no**" in line for line in table(done))


def test_what_was_raced_so_far_can_be_read() -> None:
    done = cluster_agreement.read()
    assert {one.way for one in done} <= {*WAYS}
    assert all(isinstance(effect, float) for one in done for of in one.effects for effect in of)
