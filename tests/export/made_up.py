"""A run made up with a known truth, with servers and programs: what every export is tried on."""

from __future__ import annotations

import json
import random
from collections.abc import Collection
from pathlib import Path

from hdrh.histogram import HdrHistogram

from deadheat.app import reports
from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.measured import InvocationPlan, SlicePlan
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Ended,
    Invocation,
    Observation,
    Slice,
    Started,
)
from deadheat.model.plan import Entry, Plan, RacePlan, contenders_of
from deadheat.storage import journal
from deadheat.storage.run_folder import RunFolder, create
from deadheat.suite.facts import facts_of
from deadheat.suite.suite import Suite, load
from tests.made.slices import COUNTED_NS, made_slice
from tests.made.suite import ECHO, contender

COUNT = """\
title = "Count"
question = "Who counts fastest?"
kind = "program"
metric = "wall_s"
reference = "slow"
oracle = "seq {n}"
[program]
args = ["{n}"]
n = { default = 9, quick = 9, standard = 9, thorough = 9, check = { range = [1, 2], random = [1, 2] } }
"""
CLASSES = {"slow": "idiomatic", "fast": "idiomatic", "same-2": "idiomatic", "ceiling": "ceiling"}
SPEEDS = {"slow": 1.0, "slow'": 1.0, "fast": 1.3, "same-2": 1.0, "ceiling": 4.0}
BLOCKS, ROUNDS, RPS, WALL_S = 6, 4, 30_000, 0.1
RUN = "20260102-030405-quick"


def suite(folder: Path) -> Suite:
    for workload, text, run in (("echo", ECHO, "{port}"), ("count", COUNT, "")):
        for name, class_ in CLASSES.items():
            (folder / workload / name).mkdir(parents=True, exist_ok=True)
            file = folder / workload / name / "contender.toml"
            file.write_text(contender(name, class_, run))
        (folder / workload / "workload.toml").write_text(text)
    return load(folder)


def race(workload: str, blocks: int = BLOCKS) -> RacePlan:
    entries = (
        *(Entry(id=name, contender=name) for name in CLASSES),
        Entry(id="slow'", contender="slow", null=True),
    )
    http = workload == "echo"
    return RacePlan(
        workload=workload,
        kind="http" if http else "program",
        metric="throughput_rps" if http else "wall_s",
        reference="slow",
        entries=entries,
        blocks=blocks,
        rounds=ROUNDS,
        measured=SlicePlan(connections=64) if http else InvocationPlan(n=9),
    )


def run_folder(
    tmp_path: Path,
    workloads: Collection[str] = ("echo", "count"),
    *,
    run: str = RUN,
    blocks: int = BLOCKS,
    planned: int | None = None,
    histograms: bool = True,
    results: bool = True,
    speeds: dict[str, float] | None = None,
    seed: int = 1,
) -> RunFolder:
    """A run's folder. `planned`: blocks of its plan, where fewer were raced; `results` are written too."""
    loaded = suite(tmp_path / "suite")
    races = tuple(race(name, planned or blocks) for name in workloads)
    plan = Plan(
        run=run,
        version="0.1.0",
        started=f"{run[:4]}-{run[4:6]}-{run[6:8]}T03:04:05Z",
        command=("deadheat", "race"),
        suite=str(tmp_path / "suite"),
        preset="quick",
        seed=1,
        margin=0.02,
        server_cpus=(0,),
        generator_cpus=(1,),
        workloads=races,
        facts=facts_of(loaded, contenders_of(races)),
    )
    machine = {"cpu_model": "Quiet 9000", "architecture": "x86_64", "cores": 2}
    folder = create(tmp_path / "runs", plan, machine)
    seen = [
        o
        for name in workloads
        for o in observations(race(name, blocks), {**SPEEDS, **(speeds or {})}, histograms, seed)
    ]
    with journal.Journal(folder.journal) as record:
        for observation in seen:
            record.append(observation)
    if results:
        reports.write(folder, loaded, seen)
    return folder


def observations(of: RacePlan, speeds: dict[str, float], histograms: bool, seed: int) -> list[Observation]:
    rng = random.Random(seed)
    seen: list[Observation] = []
    for name in CLASSES:
        seen.append(
            Built(workload=of.workload, contender=name, status="ready", artifact_bytes=1000, build_s=1)
        )
        seen.append(Checked(workload=of.workload, contender=name, ok=True, cases=12))
    order = tuple(entry.id for entry in of.entries)
    for block in range(of.blocks):
        at = f"2026-01-02T03:{5 + block:02d}:00Z"
        seen.append(BlockStarted(race=of.key, block=block, order=order, at=at))
        start = {entry: rng.gauss(0, 0.01) for entry in order}
        for entry in order if of.kind == "http" else ():
            seen.append(Started(race=of.key, block=block, entry=entry, first_response_ms=5))
        for round_ in range(of.rounds):
            for turn, entry in enumerate((*order, *reversed(order))):
                speed = speeds[entry] * 2.718 ** (start[entry] + rng.gauss(0, 0.02))
                make = _slice if of.kind == "http" else _invocation
                seen.append(make(of, block, round_, turn, entry, speed))
        for entry in order if of.kind == "http" else ():
            hdr = _histogram(rng, speeds[entry]) if histograms else None
            seen.append(
                Ended(
                    race=of.key, block=block, entry=entry, memory_bytes=10_000_000,
                    peak_memory_bytes=12_000_000, threads=2, hdr=hdr,
                )
            )  # fmt: skip
        seen.append(BlockEnded(race=of.key, block=block))
    return seen


def _slice(of: RacePlan, block: int, round_: int, turn: int, entry: str, speed: float) -> Slice:
    replies = round(RPS * speed * COUNTED_NS / 1e9)
    return made_slice(of.key, block, round_, turn, entry, replies, started_ns=turn * 10**9)


def _invocation(of: RacePlan, block: int, round_: int, turn: int, entry: str, speed: float) -> Invocation:
    wall_s = WALL_S / speed
    return Invocation(
        race=of.key,
        block=block,
        round=round_,
        turn=turn,
        entry=entry,
        n=of.invocations.n,
        at_ns=turn * 10**9,
        wall_s=wall_s,
        user_s=wall_s * 0.9,
        system_s=wall_s * 0.05,
        peak_memory_bytes=2_000_000,
    )


def _histogram(rng: random.Random, speed: float) -> str:
    """Latencies of a closed loop at that speed, in HdrHistogram V2 as the engine sends it."""
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for _ in range(2000):
        histogram.record_value(round(2e6 / speed * rng.lognormvariate(0, 0.5)))
    encoded: bytes = histogram.encode()
    return encoded.decode()


def edit(folder: RunFolder, name: str, **changed: object) -> None:
    """Change keys of a JSON file of a run, as another version or a hand would."""
    path = folder.path / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
