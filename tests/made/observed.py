"""Observations made up with a known truth: what gates, verdicts and claims are tried on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from deadheat.model.measured import SlicePlan
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Ended,
    Interference,
    Observation,
    OtherProcess,
)
from deadheat.model.plan import Entry, Plan, RacePlan
from deadheat.model.suite_facts import SuiteFacts
from deadheat.suite.facts import facts_of
from deadheat.suite.suite import Suite, load

from .slices import COUNTED_NS, LEAD_IN_NS, made_slice
from .suite import ECHO, contender

__all__ = ["COUNTED_NS", "LEAD_IN_NS", "facts", "observations", "plan", "race", "suite"]

CLASSES = {"slow": "idiomatic", "fast": "idiomatic", "ceiling": "ceiling"}
SPEEDS = {"slow": 1.0, "slow'": 1.0, "fast": 1.3, "ceiling": 4.0}
WALL_NS = 20_000_000_000


def suite(folder: Path) -> Suite:
    """A suite of one workload, written to a folder."""
    for name, class_ in CLASSES.items():
        (folder / "echo" / name).mkdir(parents=True)
        (folder / "echo" / name / "contender.toml").write_text(contender(name, class_, "{port}"))
    (folder / "echo" / "workload.toml").write_text(ECHO)
    return load(folder)


def facts(of: Suite) -> SuiteFacts:
    """What a plan keeps of it."""
    return facts_of(of, {name: [c.id for c in found] for name, found in of.contenders.items()})


def race(blocks: int = 6, rounds: int = 8, setting: str | None = None, **slices: Any) -> RacePlan:
    """`slices`: what they are to be like, where it is not the usual."""
    entries = [Entry(id=name, contender=name) for name in CLASSES]
    return RacePlan(
        workload="echo",
        kind="http",
        metric="throughput_rps",
        reference="slow",
        entries=(*entries, Entry(id="slow'", contender="slow", null=True)),
        blocks=blocks,
        rounds=rounds,
        setting=setting,
        measured=SlicePlan(**{"connections": 64, **slices}),
    )


def plan(of: RacePlan, raced: Suite | None = None) -> Plan:
    """`raced`: the suite, where results are to be derived from the plan."""
    return Plan(
        run="r",
        version="0",
        started="2026-01-02T03:04:05Z",
        command=("deadheat", "race"),
        suite="suite",
        preset="quick",
        seed=1,
        margin=0.02,
        disturbance=None,
        server_cpus=(0,),
        generator_cpus=(1,),
        workloads=(of,),
        facts=facts(raced) if raced is not None else SuiteFacts(),
    )


def observations(
    of: RacePlan,
    speeds: dict[str, float] | None = None,
    noise: float = 0.05,
    seed: int = 1,
    changed: dict[str, dict[str, Any]] | None = None,
    around: dict[str, Any] | None = None,
    ended: dict[str, dict[str, Any]] | None = None,
) -> list[Observation]:
    """A whole race. `changed`: what the slices of an entry say instead; `ended`: its ends; `around`: the
    interference around every block."""
    rng = random.Random(seed)
    speeds = SPEEDS | (speeds or {})
    seen: list[Observation] = []
    for name in CLASSES:
        seen.append(Built(workload="echo", contender=name, status="ready", artifact_bytes=1000, build_s=1))
        seen.append(Checked(workload="echo", contender=name, ok=True, cases=12))
    for block in range(of.blocks):
        order = tuple(entry.id for entry in of.entries)
        seen.append(BlockStarted(race=of.key, block=block, order=order, at="2026-01-02T03:04:05Z"))
        start = {entry: rng.gauss(0, 0.01) for entry in order}
        for round_ in range(of.rounds):
            for turn, entry in enumerate((*order, *reversed(order))):
                replies = round(3000 * speeds[entry] * 2.718 ** (start[entry] + rng.gauss(0, noise)))
                more = (changed or {}).get(entry, {})
                slice_ = made_slice(of.key, block, round_, turn, entry, replies)
                seen.append(slice_.model_copy(update=more))
        seen += [_ended(of, block, e).model_copy(update=(ended or {}).get(e, {})) for e in order]
        seen.append(interference(of.key, block).model_copy(update=around or {}))
        seen.append(BlockEnded(race=of.key, block=block))
    return seen


def _ended(of: RacePlan, block: int, entry: str) -> Ended:
    return Ended(
        race=of.key,
        block=block,
        entry=entry,
        memory_bytes=10**6,
        peak_memory_bytes=2 * 10**6,
        threads=1,
        frozen_cpu_ns=60_000,
    )


def interference(race: str, block: int, wall_s: float = WALL_NS / 1e9) -> Interference:
    """A quiet machine of two CPUs that tells everything."""
    return Interference(
        race=race,
        block=block,
        cpus=(0, 1),
        wall_ns=round(wall_s * 1e9),
        busy_ns=WALL_NS * 3 // 2,
        own_ns=WALL_NS * 3 // 2,
        others_ns=WALL_NS // 100,
        others_by_cpu_ns=(WALL_NS // 100, 0),
        busiest=(OtherProcess(pid=812, name="cargo", cpu_ns=WALL_NS // 100, cpu=0),),
        steal_ns=WALL_NS // 100,
        iowait_ns=0,
        swapped_in_bytes=0,
        swapped_out_bytes=0,
        throttled=0,
        throttled_ns=0,
        frequency_mhz=3000.0,
        clock_step_ns=-40_000,
    )
