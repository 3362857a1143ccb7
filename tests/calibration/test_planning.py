"""Blocks and rounds of servers by what a calibration says of this machine's noise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat.app import race as races
from deadheat.calibration import store
from deadheat.hosts.held import this_host
from deadheat.model.calibration import Calibration
from deadheat.model.plan import RacePlan
from deadheat.plan import Asked
from deadheat.report import calibration as words
from deadheat.suite.suite import Suite, load

from .made_up import HERE

SUITE = Path(__file__).parents[2] / "suite"
SOME = ("go-net-http", "node-http")
ASKED = Asked(workloads=("http-hello",), contenders=SOME, seed=1, preset="standard")


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def calibration(start_sd: float, round_sd: float) -> Calibration:
    return Calibration(
        id="0123abcd",
        made="2026-01-02T03:04:05Z",
        machine=HERE,
        identical=1,
        false_winners=0,
        false_winner_rate=(0.0, 0.975),
        found=(),
        settles={3: 0.02},
        lengths=(),
        lead_in_ms=50,
        counted_ms=100,
        start_variance=start_sd**2,
        slice_variance=round_sd**2,
        block_s=0.9,
        round_s=0.65,
    )


def planned(asked: Asked, suite: Suite) -> RacePlan:
    (one,) = planning.plan(asked, suite, ("http", "program")).workloads
    return one


def test_where_starts_differ_there_are_more_blocks_and_where_slices_do_more_rounds(suite: Suite) -> None:
    starts = planned(replace(ASKED, calibration=calibration(0.1, 0.05)), suite)
    slices = planned(replace(ASKED, calibration=calibration(0.001, 0.3)), suite)
    assert starts.blocks > slices.blocks and starts.rounds < slices.rounds


@pytest.mark.parametrize("budget_s", [None, 300.0])
def test_they_take_no_longer_than_without(suite: Suite, budget_s: float | None) -> None:
    usual = planned(replace(ASKED, budget_s=budget_s), suite)
    sized = planned(replace(ASKED, budget_s=budget_s, calibration=calibration(0.1, 0.1)), suite)
    assert sized != usual
    times = [planning.estimated_s(one, ASKED) for one in (sized, usual)]
    assert 0.9 * times[1] < times[0] < 1.05 * (budget_s or times[1])


def test_the_expected_interval_is_never_wider(suite: Suite) -> None:
    known = calibration(0.1, 0.1)

    def error(of: RacePlan) -> float:
        return (known.start_variance + known.slice_variance / of.rounds) / of.blocks

    assert error(planned(replace(ASKED, calibration=known), suite)) < error(planned(ASKED, suite))


def test_a_budget_for_few_blocks_is_fitted_as_without(suite: Suite) -> None:
    short = replace(ASKED, budget_s=25.0)
    assert planned(replace(short, calibration=calibration(0.05, 0.05)), suite) == planned(short, suite)


def test_programs_are_not_what_it_calibrates(suite: Suite) -> None:
    fib = replace(ASKED, workloads=("fib",), contenders=("go",), budget_s=60.0)
    assert planned(replace(fib, calibration=calibration(0.1, 0.05)), suite) == planned(fib, suite)


def test_one_that_is_stale_sizes_nothing(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path))
    uncalibrated = races.planned(ASKED, suite)
    assert uncalibrated.calibration is None
    assert words.sizing(None).startswith("not calibrated") and "the preset's" in words.sizing(None)
    mine = calibration(0.1, 0.05).model_copy(update={"machine": store.of_host(this_host())})
    store.write(mine)
    fresh = races.planned(ASKED, suite)
    assert fresh.workloads[0].blocks > uncalibrated.workloads[0].blocks
    assert fresh.calibration is not None and fresh.calibration.id == mine.id
    assert mine.id in words.sizing(fresh.calibration) and "it chose" in words.sizing(fresh.calibration)
    store.write(mine.model_copy(update={"machine": mine.machine.model_copy(update={"kernel": "other"})}))
    stale = races.planned(ASKED, suite)
    assert stale.workloads == uncalibrated.workloads
    assert "is stale" in words.sizing(stale.calibration) and "the preset's" in words.sizing(stale.calibration)
