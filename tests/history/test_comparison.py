"""Two runs held against each other: coverage on simulated runs of known truth, and what is said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from deadheat.history import comparison
from deadheat.history.comparison import compare
from deadheat.history.spread import DEFAULT_SD, FEWEST, Level, change, spread
from deadheat.model.result import ContenderResult, ProgramResult, Results

from .made_up import MACHINE, results

BLOCKS = 6
TRIALS = 3000


def drawn(rng: np.random.Generator, runs: int, truth: float, between: float, within: float) -> list[Level]:
    """Runs of one ratio: each moved by `between` (sd, log), its 6 blocks by `within` each."""
    moved = truth + rng.normal(0, between, runs)
    blocks = moved[:, None] + rng.normal(0, within, (runs, BLOCKS))
    return [Level(float(run.mean()), float(run.var(ddof=1)) / BLOCKS, BLOCKS - 1) for run in blocks]


def covered(
    history: int,
    between: float,
    within: float,
    truth: float = 0.1,
    *,
    moves: Sequence[float] = (0.0,),
    own_within: float | None = None,
) -> float:
    """The share of trials in which the interval holds the true change. `moves`: levels of the history."""
    rng = np.random.default_rng([history, round(between * 1e4), round(within * 1e4), len(moves)])
    held = 0
    for _ in range(TRIALS):
        past = [level for move in moves for level in drawn(rng, history // len(moves), move, between, within)]
        (before,) = drawn(rng, 1, 0.0, between, own_within or within)
        (after,) = drawn(rng, 1, truth, between, own_within or within)
        ci = change(before, after, spread(past)).ci
        held += ci[0] <= math.exp(truth) <= ci[1]
    return held / TRIALS


@pytest.mark.parametrize("runs", [4, 6, 12, 30])
@pytest.mark.parametrize(("between", "within"), [(0.0, 0.03), (0.02, 0.03), (0.06, 0.02)])
def test_the_interval_covers_the_truth(runs: int, between: float, within: float) -> None:
    assert covered(runs, between, within) > 0.935


def test_runs_that_know_less_of_themselves_than_the_history_get_more_room() -> None:
    assert covered(12, 0.01, 0.02, own_within=0.08) > 0.935


def test_a_change_in_the_history_is_not_taken_for_noise() -> None:
    """Two levels far apart: the interval covers, and is not as wide as the step between them."""
    assert covered(24, 0.02, 0.02, moves=(0.0, 0.5)) > 0.93
    rng = np.random.default_rng(1)
    past = [*drawn(rng, 12, 0.0, 0.02, 0.02), *drawn(rng, 12, 0.5, 0.02, 0.02)]
    found = spread(past)
    assert found is not None and found.sd < 0.05


def test_without_the_spread_between_runs_it_would_not_cover() -> None:
    """What the two runs say of themselves is not enough: this is why there is a history."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(TRIALS):
        before, after = drawn(rng, 2, 0.0, 0.06, 0.02)
        own = math.sqrt(before.variance + after.variance)
        held += abs(after.log - before.log) <= 2.23 * own
    assert held / TRIALS < 0.5


@pytest.mark.parametrize("between", [0.0, 0.01, DEFAULT_SD])
def test_the_default_covers_up_to_what_it_says(between: float) -> None:
    assert covered(0, between, 0.03) > 0.94


def test_too_few_runs_are_no_spread() -> None:
    rng = np.random.default_rng(1)
    assert spread(drawn(rng, FEWEST - 1, 0, 0.02, 0.02)) is None


def test_both_anchors_must_bear_a_change_out() -> None:
    before, same = results("run-1"), results("run-2")
    faster = results("run-3", {"rust": 2.4})
    reference_slower = results("run-4", {"rust": 1.5, "go": 0.6})
    assert findings(before, same) == {"go": "no change is seen", "rust": "no change is seen"}
    assert findings(before, faster)["rust"] == "faster than before"
    assert findings(faster, before)["rust"] == "slower than before"
    # The reference got slower: rust gained on it, and not on the ceiling.
    found = findings(before, reference_slower)
    assert found["go"] == "slower than before"
    assert found["rust"] == "moved against go alone, which may itself have changed"


def test_absolute_figures_play_no_part() -> None:
    """The same run on a machine that does everything at half the speed."""
    before = results("run-1")
    slow = results("run-1", {"go": 0.5, "rust": 0.75, "ceiling": 2.0}).model_copy(update={"run": "run-2"})
    (race,) = compare(before, slow, []).races
    for contender in race.contenders:
        assert all(anchored.change.ratio == pytest.approx(1) for anchored in contender.by)


def test_times_are_inverted() -> None:
    program: dict[str, Any] = {"metric": "wall_s", "kind": "program"}
    before, after = (
        results(run, {"rust": rust}, **program) for run, rust in (("run-1", 1.5), ("run-2", 3.0))
    )
    for run in (before, after):
        rows = run.workloads[0].contenders
        moved = tuple(
            ProgramResult(
                **{name: getattr(row, name) for name in ContenderResult.model_fields},
                wall_s=row.figures.throughput_rps,
            )
            for row in rows
        )
        object.__setattr__(run.workloads[0], "contenders", moved)
    assert findings(before, after)["rust"] == "slower than before"


def test_the_two_runs_are_not_their_own_history() -> None:
    before, after = results("run-1"), results("run-2", {"rust": 3.0})
    history = [before, *(results(f"past-{n}") for n in range(5)), after]
    (race,) = compare(before, after, history).races
    assert {a.between.runs for c in race.contenders for a in c.by if a.between} == {5}


def test_only_runs_at_the_same_load_are_history() -> None:
    history = [results(f"past-{n}", connections=10) for n in range(9)]
    (race,) = compare(results("run-1"), results("run-2"), history).races
    assert all(a.between is None for c in race.contenders for a in c.by)


def test_another_machine_is_said() -> None:
    other = results("run-2", machine={**MACHINE, "cpu_model": "Loud 1000"})
    assert "different machines" in compare(results("run-1"), other, []).notes[0]
    assert compare(results("run-1"), results("run-2"), []).notes == ()


def test_one_block_is_no_level() -> None:
    one = results("run-1", blocks=1)
    assert comparison.level(one.workloads[0], "rust", "go") is None
    (race,) = compare(one, results("run-2"), []).races
    assert race.contenders == ()


def findings(before: Results, after: Results) -> dict[str, str]:
    (race,) = compare(before, after, []).races
    return {contender.contender: contender.finding for contender in race.contenders}
