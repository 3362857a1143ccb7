"""Trends: a change is found where it is, noise is no change, and only like is held against like."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from deadheat.history import store, trend
from deadheat.history.database import open_
from deadheat.history.trend import Point

from .made_up import MACHINE, results


def points(logs: Sequence[float]) -> list[Point]:
    return [Point(f"run-{n:03}", f"{n:03}", None, math.exp(log), None) for n, log in enumerate(logs)]


def changes(logs: Sequence[float]) -> dict[int, float]:
    marked = trend.with_changes(points(logs))
    return {n: point.change for n, point in enumerate(marked) if point.change is not None}


@pytest.mark.parametrize("at", [6, 10, 15])
def test_a_change_is_marked_where_it_is(at: int) -> None:
    rng = random.Random(at)
    found = changes([rng.gauss(0.3 if n >= at else 0.0, 0.02) for n in range(20)])
    assert list(found) == [at]
    assert found[at] == pytest.approx(math.exp(0.3), rel=0.05)


def test_two_changes_are_two() -> None:
    rng = random.Random(3)
    found = changes([rng.gauss({0: 0.0, 1: 0.4, 2: 0.1}[n // 10], 0.02) for n in range(30)])
    assert list(found) == [10, 20]


@pytest.mark.parametrize("runs", [8, 12, 20, 40])
def test_noise_alone_is_seldom_a_change(runs: int) -> None:
    rng = random.Random(runs)
    trials = 400
    false = sum(bool(changes([rng.gauss(0, 0.03) for _ in range(runs)])) for _ in range(trials))
    assert false / trials < 0.05


def test_too_few_runs_mark_nothing_and_say_so(tmp_path: Path) -> None:
    assert changes([0, 0, 0, 0, 1, 1, 1]) == {}
    with open_(tmp_path / "h.sqlite") as history:
        store.record(history, results("run-1"), tmp_path)
        (series,) = trend.series(store.contenders(history, "http-hello", "rust"))
    assert not series.enough


def test_only_runs_that_can_be_held_against_each_other_are_in_one_trend(tmp_path: Path) -> None:
    other = {**MACHINE, "cpu_model": "Loud 1000"}
    with open_(tmp_path / "h.sqlite") as history:
        store.record(history, results("run-1", started="1"), tmp_path)
        store.record(history, results("run-2", started="2", machine=other), tmp_path)
        store.record(history, results("run-3", started="3", connections=10), tmp_path)
        store.record(history, results("run-4", started="4", setting="sink"), tmp_path)
        store.record(history, results("run-5", started="5", commit="abc"), tmp_path)
        found = trend.series(store.contenders(history, "http-hello", "rust"))
    plain, sink = sorted(found, key=lambda series: series.setting)
    assert [point.run for point in plain.points] == ["run-1", "run-5"]
    assert [point.commit for point in plain.points] == [None, "abc"]
    assert plain.left_out == 2
    assert [point.run for point in sink.points] == ["run-4"]
