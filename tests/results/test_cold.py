"""Servers from their start on: times to the first, 100th and 10,000th reply, judged as any other metric."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError
from rich.console import Console

from deadheat.export import gobench, openmetrics, source, tables
from deadheat.model.measured import ColdPlan
from deadheat.model.observation import BlockEnded, BlockStarted, Built, Checked, ColdStart, Observation
from deadheat.model.plan import RacePlan
from deadheat.model.result import RaceResult
from deadheat.model.workload import COLD, Metric
from deadheat.plan import Asked, past, races
from deadheat.report import csv_table, markdown, terminal, verdicts
from deadheat.report.html import page
from deadheat.results import derive, judging
from deadheat.results.tally import tallied
from deadheat.results.values import reply_10000_s
from tests.made.observed import CLASSES, plan, race, suite

# Seconds to the first reply, to the 100th, to the 10,000th: fast is up late, and then faster.
TIMES_S = {
    "slow": (0.010, 0.020, 0.400),
    "fast": (0.020, 0.025, 0.200),
    "ceiling": (0.001, 0.002, 0.050),
}


def cold(metric: Metric = "reply_10000_s", blocks: int = 18) -> RacePlan:
    return race(blocks, 1).replaced(metric=metric, measured=ColdPlan(connections=64))


def starts(of: RacePlan, noise: float = 0.05, seed: int = 1) -> Iterator[Observation]:
    """A whole race: each turn a start of its own, all of its times later by one draw."""
    rng = random.Random(seed)
    for name in CLASSES:
        yield Built(workload="echo", contender=name, status="ready", artifact_bytes=1000, build_s=1)
        yield Checked(workload="echo", contender=name, ok=True, cases=12)
    for block in range(of.blocks):
        order = tuple(entry.id for entry in of.entries)
        yield BlockStarted(race=of.key, block=block, order=order, at="2026-01-02T03:04:05Z")
        for turn, entry in enumerate((*order, *reversed(order))):
            drawn = rng.lognormvariate(0, noise)
            first, hundred, most = (one * drawn for one in TIMES_S[of.contender_of(entry)])
            yield ColdStart(
                race=of.key,
                block=block,
                round=0,
                turn=turn,
                entry=entry,
                at_ns=(block * 100 + turn) * 10**9,
                first_reply_s=first,
                reply_100_s=hundred,
                reply_10000_s=most,
                peak_memory_bytes=10**6,
            )
        yield BlockEnded(race=of.key, block=block)


def derived(tmp_path: Path, metric: Metric) -> RaceResult:
    of = cold(metric)
    return derive.results(plan(of, suite(tmp_path)), {}, [*starts(of)]).workloads[0]


@pytest.mark.parametrize(
    ("metric", "winner", "truth"),
    [("first_reply_s", "slow", 2.0), ("reply_100_s", "slow", 1.25), ("reply_10000_s", "fast", 2.0)],
)
def test_each_time_is_a_metric_of_its_own(tmp_path: Path, metric: Metric, winner: str, truth: float) -> None:
    result = derived(tmp_path, metric)
    (verdict,) = result.verdicts
    assert (verdict.verdict, verdict.a, verdict.metric) == ("faster", winner, metric)
    assert verdict.ci is not None and verdict.ci[0] < truth < verdict.ci[1]
    row = next(row for row in result.contenders if row.id == "fast")
    own = row.figures.measure(metric)
    assert own is not None and own.estimate == pytest.approx(TIMES_S["fast"][COLD.index(metric)], rel=0.05)
    assert set(row.figures.cold_against_reference) == {*COLD} - {metric}
    assert row.peak_memory_bytes == 10**6 and row.figures.throughput_rps is None
    assert verdicts.headline(result).endswith("64 connections · 18 blocks, 144 starts")


def test_intervals_hold_the_truth() -> None:
    of, held = cold(), 0
    for seed in range(60):
        found = judging.compare(
            tallied(of, [*starts(of, seed=seed)]), "fast", "slow", reply_10000_s, "reply_10000_s"
        )
        assert found.ci is not None
        held += found.ci[0] <= 2.0 <= found.ci[1]
    # 57 of 60 are expected, and fewer than 51 in one case of a hundred.
    assert held >= 51


def test_every_report_has_all_three(tmp_path: Path) -> None:
    of = cold()
    planned, seen = plan(of, suite(tmp_path)), [*starts(of)]
    found = derive.results(planned, {}, seen)
    console = Console(record=True, width=100)
    terminal.show(found, console)
    assert "time to the 10,000th reply" in console.export_text()
    pasted = markdown.render(found)
    assert "time to the first reply" in pasted and "time to the 100th reply" in pasted
    (row,) = [line for line in pasted.splitlines() if line.startswith("| faster | fast |")]
    # How many times as fast as the reference it is by the other two.
    assert re.search(r"ms: 0\.5\d* \(0\.\d+ to 0\.\d+\)", row) and re.search(r"ms: 0\.8\d* \(", row)
    assert "time to the first reply" in page.render(found, seen)
    assert "reply_10000_s" in csv_table.render(found)
    slices, blocks, _ = tables.tables(source.assemble(planned, found, seen))
    assert slices.rows[0]["reply_10000_s"] and blocks.rows[0]["first_reply_s"]
    made = source.assemble(planned, found, seen)
    for kind in (gobench, openmetrics):
        (text,) = kind.render(made).files.values()
        assert b"10000" in (text if isinstance(text, bytes) else text.encode())


def test_a_ledger_of_loaded_servers_says_nothing_of_cold_ones() -> None:
    warm, of = past.begun(race(), "r", "2026-01-02T03:04:05Z", "here"), cold()
    warm = warm.replaced(excludes=True)
    assert past.of_race(of, [warm], "2026-01-02T03:04:05Z").null_pairs == 0
    same = past.begun(of, "r", "2026-01-02T03:04:05Z", "here").replaced(excludes=False)
    assert past.of_race(of, [warm, same], "2026-01-02T03:04:05Z").null_pairs == 1


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"measure": "cold"}, "metric is one of"),
        ({"metric": "reply_100_s"}, "metric is one of"),
        ({"measure": "cold", "metric": "reply_100_s", "kind": "program"}, "needs a \\[program\\] section"),
    ],
)
def test_a_workload_says_both_or_neither(tmp_path: Path, more: dict[str, str], why: str) -> None:
    echo = suite(tmp_path).workloads["echo"]
    assert echo.measure == "load"
    with pytest.raises(ValidationError, match=why):
        echo.replaced(**more)
    assert echo.replaced(measure="cold", metric="reply_100_s").metric == "reply_100_s"


def test_a_plan_of_it_has_a_start_in_each_turn_and_no_slices(tmp_path: Path) -> None:
    of_echo = suite(tmp_path)
    cold_one = of_echo.workloads["echo"].replaced(measure="cold", metric="first_reply_s")
    planned = races.plan(
        Asked(seed=1, connections=(8,)), replace(of_echo, workloads={"echo": cold_one}), ("http",)
    )
    (one,) = planned.workloads
    assert isinstance(one.measured, ColdPlan) and one.measured.connections == 8
    assert (one.blocks, one.rounds, one.metric) == (18, 1, "first_reply_s")
    shorter = races.plan(
        Asked(seed=1, budget_s=60), replace(of_echo, workloads={"echo": cold_one}), ("http",)
    )
    assert 5 <= shorter.workloads[0].blocks < 18
