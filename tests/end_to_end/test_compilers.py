"""A JVM's compilers: where they run, and that a server is not warm while they have much to do"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import replace

import pytest

from deadheat.hosts import Host
from deadheat.kinds.server import warm_up
from deadheat.model.observation import Slice, WarmedUp
from deadheat.plan import schedule
from deadheat.run.kind import Stage
from tests.made.warming import reporting, warms_up
from tests.made.written_down import UNKNOWN, FakeHost, Step, observe


@pytest.mark.parametrize(("generator_cpus", "apart"), [((1,), {1}), ((0,), None)])
def test_compilers_have_the_generators_cpus_while_nothing_counts(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    generator_cpus: tuple[int, ...],
    apart: set[int] | None,
) -> None:
    """Where these are not the servers' own."""
    warms_up(monkeypatch, [50], 0.5)
    host = stage.host
    assert isinstance(host, FakeHost)
    stage = replace(stage, plan=stage.plan.replaced(generator_cpus=generator_cpus))
    where: dict[bool, list[Collection[int] | None]] = {True: [], False: []}

    def seen(target: str, lead_in_ms: int, _counted_ms: int) -> dict[str, object]:
        where[lead_in_ms > 0].append(host.compilers.get(target))
        return {}

    reporting(monkeypatch, seen)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    assert where[True] == [None] * len(block.turns)
    assert where[False] == [apart] * (UNKNOWN * len(block.start))
    assert {o.compilers for o in observed if isinstance(o, WarmedUp)} == {1}


@pytest.mark.parametrize(("turns_of_compiling", "loads"), [(0, UNKNOWN), (8, 12), (300, 60)])
def test_a_server_whose_compilers_are_at_work_is_not_warm(
    stage: Stage, steps: list[Step], monkeypatch: pytest.MonkeyPatch, turns_of_compiling: int, loads: int
) -> None:
    """Whatever its rate is: until they had little or nothing to do in the last five turns."""
    warms_up(monkeypatch, [50], 0.5)
    stage = replace(stage, plan=stage.plan.replaced(generator_cpus=(1,)))
    _compiling(
        monkeypatch, stage.host, lambda target, lead_in_ms: steps.count(("warm", target)) < turns_of_compiling
    )
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        list(observe(stage, block, stack))
    assert {entry: steps.count(("warm", entry)) for entry in block.start} == dict.fromkeys(block.start, loads)


@pytest.mark.parametrize(("slices_with", "again"), [(0, 0), (1, 1), (300, warm_up.MOST_CALMING)])
def test_code_that_was_thrown_away_is_translated_before_the_next_slice(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, slices_with: int, again: int
) -> None:
    """By turns that count for nothing, and not for ever."""
    warms_up(monkeypatch, [50], 0.5)
    stage = replace(stage, plan=stage.plan.replaced(generator_cpus=(1,)))
    loaded = {entry.id: 0 for entry in stage.race.entries}

    def compiles(target: str, lead_in_ms: int) -> bool:
        loaded[target] += lead_in_ms > 0
        return 0 < loaded[target] <= slices_with

    _compiling(monkeypatch, stage.host, compiles)
    block = schedule.blocks(stage.race, stage.plan.seed)[0]
    with ExitStack() as stack:
        observed = list(observe(stage, block, stack))
    first = next(n for n, o in enumerate(observed) if isinstance(o, Slice) and not o.warm_up)
    last = max(n for n, o in enumerate(observed) if isinstance(o, Slice))
    within = [o.entry for o in observed[first:last] if isinstance(o, Slice) and o.warm_up]
    slices = [o.entry for o in observed if isinstance(o, Slice) and not o.warm_up]
    for entry in block.start:
        # Behind its last slice nobody waits for it.
        assert within.count(entry) == again * min(slices_with, slices.count(entry) - 1)


def _compiling(monkeypatch: pytest.MonkeyPatch, host: Host, compiles: Callable[[str, int], bool]) -> None:
    """Compilers use half of the time of such turns."""
    assert isinstance(host, FakeHost)

    def compiled(target: str, lead_in_ms: int, counted_ms: int) -> dict[str, object]:
        took_ns = (lead_in_ms + counted_ms) * 10**6
        host.compiled_ns += took_ns // 2 if compiles(target, lead_in_ms) else 0
        return {"drained_ns": took_ns}

    reporting(monkeypatch, compiled)
