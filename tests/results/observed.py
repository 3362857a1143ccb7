"""Observations made up with a known truth: what gates, verdicts and claims are tried on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Ended,
    Observation,
    Slice,
    Surroundings,
)
from deadheat.model.plan import Entry, Plan, WorkloadPlan
from deadheat.suite import Suite, load

WORKLOAD = """\
title = "Echo"
question = "Who echoes fastest?"
kind = "http"
metric = "throughput_rps"
reference = "slow"
[request]
path = "/{token}"
[[conformance]]
path = "/{token}"
body = "{token}"
"""
CONTENDER = 'title = "{0}"\nlanguage = "C"\nclass = "{1}"\nrun = "./{0} {{port}}"\ndefault = true\n'
CLASSES = {"slow": "idiomatic", "fast": "idiomatic", "ceiling": "ceiling"}
SPEEDS = {"slow": 1.0, "slow'": 1.0, "fast": 1.3, "ceiling": 4.0}
COUNTED_NS, LEAD_IN_NS, BIN_MS = 100_000_000, 50_000_000, 5
WALL_NS = 20_000_000_000


def suite(folder: Path) -> Suite:
    """A suite of one workload, written to a folder."""
    for name, class_ in CLASSES.items():
        (folder / "echo" / name).mkdir(parents=True)
        (folder / "echo" / name / "contender.toml").write_text(CONTENDER.format(name, class_))
    (folder / "echo" / "workload.toml").write_text(WORKLOAD)
    return load(folder)


def race(blocks: int = 6, rounds: int = 8) -> WorkloadPlan:
    entries = [Entry(id=name, contender=name) for name in CLASSES]
    return WorkloadPlan(
        workload="echo",
        kind="http",
        metric="throughput_rps",
        reference="slow",
        entries=(*entries, Entry(id="slow'", contender="slow", null=True)),
        blocks=blocks,
        rounds=rounds,
        connections=64,
    )


def plan(of: WorkloadPlan) -> Plan:
    return Plan(
        run="r",
        version="0",
        started="2026-01-02T03:04:05Z",
        command=("deadheat", "race"),
        suite="suite",
        preset="quick",
        seed=1,
        margin=0.02,
        server_cpus=(0,),
        generator_cpus=(1,),
        workloads=(of,),
    )


def observations(
    of: WorkloadPlan,
    speeds: dict[str, float] | None = None,
    noise: float = 0.05,
    seed: int = 1,
    changed: dict[str, dict[str, Any]] | None = None,
    around: dict[str, Any] | None = None,
    ended: dict[str, dict[str, Any]] | None = None,
) -> list[Observation]:
    """A whole race. `changed`: what the slices of an entry say instead; `ended`: its ends; `around`: the
    surroundings of every block."""
    rng = random.Random(seed)
    speeds = SPEEDS | (speeds or {})
    seen: list[Observation] = []
    for name in CLASSES:
        seen.append(Built(workload="echo", contender=name, status="ready", artifact_bytes=1000, build_s=1))
        seen.append(Checked(workload="echo", contender=name, ok=True, cases=12))
    for block in range(of.blocks):
        order = tuple(entry.id for entry in of.entries)
        seen.append(BlockStarted(workload=of.key, block=block, order=order, at="2026-01-02T03:04:05Z"))
        start = {entry: rng.gauss(0, 0.01) for entry in order}
        for round_ in range(of.rounds):
            for turn, entry in enumerate((*order, *reversed(order))):
                replies = round(3000 * speeds[entry] * 2.718 ** (start[entry] + rng.gauss(0, noise)))
                more = (changed or {}).get(entry, {})
                seen.append(_slice(of, block, round_, turn, entry, replies).model_copy(update=more))
        seen += [_ended(of, block, e).model_copy(update=(ended or {}).get(e, {})) for e in order]
        seen.append(_surroundings(of, block).model_copy(update=around or {}))
        seen.append(BlockEnded(workload=of.key, block=block))
    return seen


def _ended(of: WorkloadPlan, block: int, entry: str) -> Ended:
    return Ended(
        workload=of.key,
        block=block,
        entry=entry,
        memory_bytes=10**6,
        peak_memory_bytes=2 * 10**6,
        threads=1,
        frozen_cpu_ns=60_000,
    )


def _surroundings(of: WorkloadPlan, block: int) -> Surroundings:
    """A quiet machine of two CPUs that tells everything."""
    return Surroundings(
        workload=of.key,
        block=block,
        cpus=(0, 1),
        wall_ns=WALL_NS,
        busy_ns=WALL_NS * 3 // 2,
        own_ns=WALL_NS * 3 // 2,
        others_ns=WALL_NS // 100,
        lower_priority_ns=0,
        steal_ns=WALL_NS // 100,
        iowait_ns=0,
        swapped_in_bytes=0,
        swapped_out_bytes=0,
        throttled=0,
        throttled_ns=0,
        frequency_mhz=3000.0,
        clock_step_ns=-40_000,
    )


def _slice(of: WorkloadPlan, block: int, round_: int, turn: int, entry: str, replies: int) -> Slice:
    bins = LEAD_IN_NS // 10**6 // BIN_MS + COUNTED_NS // 10**6 // BIN_MS
    return Slice(
        workload=of.key,
        block=block,
        round=round_,
        turn=turn,
        entry=entry,
        token="00000a",
        started_ns=0,
        counted_from_ns=LEAD_IN_NS,
        counted_until_ns=LEAD_IN_NS + COUNTED_NS,
        drained_ns=LEAD_IN_NS + COUNTED_NS,
        replies=replies,
        replies_all=replies * 3 // 2,
        bin_ms=BIN_MS,
        bins=(*[replies // 20] * bins, 0),
        latency_sum_ns=64 * COUNTED_NS,
        latency_max_ns=10**7,
        in_flight_ns=64 * COUNTED_NS,
        bytes_in=replies * 100,
        bytes_out=replies * 50,
        reconnects=0,
        errors={"status": 0, "body": 0, "protocol": 0, "timeout": 0, "connect": 0},
        first_error=None,
        engine_cpu_ns=COUNTED_NS // 5,
        server_cpu_ns=COUNTED_NS * 9 // 10,
        loop_delay_max_ns=10**5,
        server_runqueue_wait_ns=COUNTED_NS // 10,
    )
