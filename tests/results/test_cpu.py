"""CPU time over the reference's, on observations of known truth."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from deadheat.model.measured import InvocationPlan
from deadheat.model.observation import Invocation, Observation, Slice
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.result import CpuRatio
from deadheat.report import cpu_ratios
from deadheat.results import cpu, derive
from deadheat.results.tally import tallied
from tests.export import made_up
from tests.made.observed import observations, plan, race, suite

US_EACH = {"slow": 20.0, "slow'": 20.0, "fast": 14.0, "ceiling": 4.0}


def used(seen: list[Observation], planned: Plan, entry: str) -> CpuRatio:
    rows = derive.results(planned, {}, seen).workloads[0].contenders
    found = next(row.figures.cpu_against_reference for row in rows if row.id == entry)
    assert found is not None
    return found


def with_cpu(o: Observation, rng: random.Random, start: dict[tuple[int, str], float]) -> Observation:
    """Each reply costs what US_EACH says, 3% more or less from start to start and from slice to slice."""
    if not isinstance(o, Slice):
        return o
    drawn = start.setdefault((o.block, o.entry), rng.gauss(0, 0.03)) + rng.gauss(0, 0.03)
    cpu_ns = round(o.replies * US_EACH[o.entry] * 1e3 * math.exp(drawn))
    return o.model_copy(update={"server_cpu_ns": cpu_ns})


def one_run(of: RacePlan, seed: int) -> list[Observation]:
    rng, start = random.Random(seed), dict[tuple[int, str], float]()
    return [with_cpu(o, rng, start) for o in observations(of, noise=0.2, seed=seed)]


def test_its_interval_covers_the_truth_and_its_centre_is_the_figure(tmp_path: Path) -> None:
    planned = plan(race(blocks=8, rounds=2), suite(tmp_path))
    (raced,) = planned.workloads
    held = 0
    for seed in range(100):
        found = cpu.ratio(tallied(raced, one_run(raced, seed)), "fast")
        assert found is not None and found.ci is not None
        assert math.sqrt(found.ci[0] * found.ci[1]) == pytest.approx(found.ratio)
        held += found.ci[0] <= 0.7 <= found.ci[1]
    # 95 of 100 are expected, and fewer than 88 in one case of two hundred.
    assert held >= 88


def test_the_reference_has_none_and_ceilings_have_one(tmp_path: Path) -> None:
    planned = plan(race(), suite(tmp_path))
    seen = one_run(planned.workloads[0], 1)
    rows = {row.id: row for row in derive.results(planned, {}, seen).workloads[0].contenders}
    assert rows["slow"].figures.cpu_against_reference is None
    assert used(seen, planned, "ceiling").ratio == pytest.approx(0.2, rel=0.1)


def test_a_round_whose_cpu_time_is_not_known_counts_for_neither(tmp_path: Path) -> None:
    planned = plan(race(), suite(tmp_path))
    seen = one_run(planned.workloads[0], 1)
    # What cannot be read of fast's first round would have been ten times as much.
    blind = [
        o.model_copy(update={"server_cpu_ns": None if o.entry == "fast" else o.replies * 200_000})
        if isinstance(o, Slice) and o.round == 0
        else o
        for o in seen
    ]
    assert used(blind, planned, "fast").ratio == pytest.approx(0.7, rel=0.05)


def test_blocks_have_theirs_and_their_geometric_mean_is_the_figure(tmp_path: Path) -> None:
    planned = plan(race(), suite(tmp_path))
    seen = one_run(planned.workloads[0], 1)
    blocks = cpu.by_block(tallied(planned.workloads[0], seen), "fast")
    assert len(blocks) == 6
    mean = math.exp(sum(map(math.log, blocks.values())) / 6)
    assert used(seen, planned, "fast").ratio == pytest.approx(mean)


def test_programs_have_theirs_unless_cpu_time_is_what_is_judged(tmp_path: Path) -> None:
    folder = made_up.run_folder(tmp_path)
    planned = folder.plan()
    programs = next(r for r in planned.workloads if isinstance(r.measured, InvocationPlan))
    seen, _ = folder.observations()
    tally = tallied(programs, seen)
    turns = [turn for turn in tally.of("fast") if isinstance(turn, Invocation)]
    assert turns
    theirs = cpu.ratio(tally, "fast")
    assert theirs is not None and theirs.ratio == pytest.approx(1 / 1.3, rel=0.1)
    judged = programs.model_copy(update={"metric": "cpu_s"})
    assert cpu.ratio(tallied(judged, seen), "fast") is None


def test_the_terminal_has_it_the_least_first_without_ceilings(tmp_path: Path) -> None:
    planned = plan(race(), suite(tmp_path))
    (result,) = derive.results(planned, {}, one_run(planned.workloads[0], 1)).workloads
    (line,) = cpu_ratios.lines(result)
    assert line.startswith("CPU a request over slow's: fast 0.") and "ceiling" not in line
