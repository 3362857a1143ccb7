"""What is done to contenders, in which order: against a host that only writes it down, and for real."""

from __future__ import annotations

import re
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from deadheat.model.observation import Failed, Slice
from deadheat.model.plan import Plan
from deadheat.plan import schedule
from deadheat.run.kind import Stage
from tests.made.written_down import UNKNOWN, FakeEngine, FakeHost, Step, observe

from .bench import CALCULATE, Deadheat, twice


def _begun(entry: str) -> list[Step]:
    warm_up: list[Step] = [("thaw", entry), ("warm", entry), ("freeze", entry)]
    return [("start", entry), ("open", entry), ("freeze", entry), *warm_up * UNKNOWN]


def test_a_block_from_start_to_stop(stage: Stage, steps: list[Step]) -> None:
    for block in schedule.blocks(stage.race, stage.plan.seed):
        del steps[:]
        with ExitStack() as stack:
            list(observe(stage, block, stack))
        # They are stopped side by side, so in any order.
        first = min(place for place, step in enumerate(steps) if step[0] == "stop")
        last = first + len(block.start)
        steps[first:last] = sorted(steps[first:last])
        assert steps == [
            ("engine", "up"),
            # No connection waits for its first request while others start and warm up.
            *(step for e in block.start for step in _begun(e)),
            *(step for t in block.turns for step in _turn(t.entry)),
            *(("close", e) for e in block.start),
            *sorted(("stop", e) for e in block.start),
            # The stack's own stops, should the block have ended early; then the engine.
            *(("stop", e) for e in reversed(block.start)),
            ("engine", "down"),
        ]


def test_load_comes_from_beside_the_servers(stage: Stage, steps: list[Step]) -> None:
    """And there the generator reads their CPU time, at the edges of what is counted."""
    with ExitStack() as stack:
        list(observe(stage, schedule.blocks(stage.race, stage.plan.seed)[0], stack))
    assert FakeEngine.where == [stage.host]
    assert FakeEngine.read_along and {tuple(pids) for pids in FakeEngine.read_along} == {(1,)}


def test_load_from_another_host_reads_nobody_s_cpu_time(stage: Stage, steps: list[Step]) -> None:
    """A process's number means something on its own host only."""
    other = FakeHost([])
    with ExitStack() as stack:
        away = replace(stage, load_from=(other,))
        observed = list(observe(away, schedule.blocks(stage.race, stage.plan.seed)[0], stack))
    assert FakeEngine.where == [other] and not other.steps
    assert FakeEngine.read_along and not any(FakeEngine.read_along)
    assert {o.entry for o in observed if isinstance(o, Slice)} == {"good", "copy", "good'"}


def test_blocks_start_in_orders_of_their_own(stage: Stage) -> None:
    race = stage.race.model_copy(update={"blocks": 40})
    assert len({block.start for block in schedule.blocks(race, 1)}) == 6


@pytest.mark.parametrize("after", [0, 1, 3, 4, 8, 14])
def test_wherever_it_ends_all_that_was_started_is_stopped(
    stage: Stage, steps: list[Step], after: int
) -> None:
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observations = observe(stage, block, stack)
        for _ in range(after):
            next(observations)
    started = [entry for verb, entry in steps if verb == "start"]
    assert {entry for verb, entry in steps if verb == "stop"} == set(started)
    assert steps[-1] == ("engine", "down")


def test_only_one_runs_at_a_time(stage: Stage, steps: list[Step]) -> None:
    block = schedule.blocks(stage.race, stage.plan.seed)[1]
    with ExitStack() as stack:
        list(observe(stage, block, stack))
    thawed: set[str] = set()
    for verb, entry in steps:
        match verb:
            case "start" | "thaw":
                assert not thawed
                thawed.add(entry)
            case "freeze":
                thawed.remove(entry)
            case "warm" | "load":
                assert thawed == {entry}
    assert not thawed


@pytest.mark.parametrize("verb", ["start", "thaw", "freeze"])
def test_who_dies_has_no_more_turns_and_the_others_have_theirs(
    stage: Stage, steps: list[Step], verb: str
) -> None:
    host = stage.host
    assert isinstance(host, FakeHost)
    host.dies_at = (verb, "copy")
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observations = list(observe(stage, block, stack))
    failed = [o for o in observations if isinstance(o, Failed)]
    assert [o.entry for o in failed] == ["copy"]
    assert "exited with status 7" in failed[0].reason
    death = steps.index((verb, "copy"))
    assert ("load", "copy") not in steps[death + 1 :]
    loads = [entry for what, entry in steps if what == "load" and entry != "copy"]
    assert loads == [t.entry for t in block.turns if t.entry != "copy"]


def test_programs_run_in_the_order_of_the_plan(home: Path, tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite")
    shutil.rmtree(suite.path / "twice" / "good")
    for name in ("good", "copy"):
        suite.contender("twice", name, f"{CALCULATE} logs {tmp_path / 'log'} {name}")
    deadheat = Deadheat(home, suite.path)
    assert deadheat.run("race", "--budget", "6s", "--seed", "11").code in (0, 4)

    plan = Plan.model_validate_json((deadheat.runs / "latest" / "plan.json").read_bytes())
    race = plan.workloads[0]
    contender = {entry.id: entry.contender for entry in race.entries}
    expected = [
        contender[entry]
        for block in schedule.blocks(race, plan.seed)
        for entry in (*block.start, *(turn.entry for turn in block.turns))
    ]
    ran = re.findall(r"^30 (\w+)$", (tmp_path / "log").read_text(), re.MULTILINE)
    assert ran == expected


def _turn(entry: str) -> tuple[Step, ...]:
    return (("thaw", entry), ("load", entry), ("freeze", entry))
