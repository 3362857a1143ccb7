"""Whether a race's own warm-up is enough: its ratios against those of starts that were loaded for 60 s first.

    python -m bench.warmed_starts                       # all races that are left, one line each
    python -m bench.warmed_starts --for-seconds 900     # as many as end within that time
    python -m bench.warmed_starts --dry-run             # what is left, and for how long
    python -m bench.warmed_starts --write               # the table of docs/method.md, from the races so far

Two ordinary races of 5 blocks of each workload, in which a start is loaded until it is no longer getting
faster, and between them 10 blocks whose starts were each loaded for 60 s before their slices. Such a block
takes minutes, and starts share nothing with those of another block: so each is a race of one block, and a
line. It has no open loop and no second entry of the reference, which would both only cost time. A block that
somebody else got into does not count by the plan's limits, and is raced again.
"""

from __future__ import annotations

import json
import math
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from deadheat import stats
from deadheat.app import race as racing
from deadheat.build.builder import Builder
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.held import this_machine
from deadheat.hosts.machine import WINDOW_S
from deadheat.model.observation import Observation, Started
from deadheat.model.plan import DisturbanceLimits, Plan
from deadheat.plan import Asked
from deadheat.results.tally import Tally, tallied
from deadheat.results.values import sums, throughput_rps
from deadheat.run.disturbance import of_block
from deadheat.run.progress import NoView
from deadheat.run.runner import Runner
from deadheat.storage import run_folder
from deadheat.storage.journal import whole_blocks
from deadheat.studies.drivers import DRIVERS
from deadheat.suite.suite import load
from deadheat.util import clock

from . import null_pairs, one_a_line, race_times

RACES = Path("bench/warmed_starts.jsonl")
SUITE = Path("suite")
# Of each workload the reference, and those whose ratios to it are compared.
WORKLOADS = {
    "http-hello": ("go-net-http", ("java-jdk", "node-http", "elixir-otp", "express")),
    "grpc-unary": ("go-grpc", ("java-grpc",)),
}
ORDINARY_BLOCKS, ORDINARY_RACES, WARMED_BLOCKS = 5, 2, 10
WARMED_S = 60.0
WITHIN = 0.03
# About what a block takes beside its warm-ups, and an ordinary one in all, for each of its entries, seconds.
START_S, ORDINARY_S = 3.0, 4.5


@dataclass(frozen=True)
class Block:
    """Of each contender how many replies a second, over all counted parts of its block (of both entries of
    the reference), and for how long it was loaded before them, seconds."""

    rates: Mapping[str, float]
    loaded_s: Mapping[str, float]


@dataclass(frozen=True)
class Raced:
    """One race: an ordinary one, or of starts loaded for `warmed_s` first; its blocks that count."""

    workload: str
    warmed_s: float | None
    number: int
    blocks: tuple[Block, ...]
    seconds: float
    at: str
    machine: str | None = None


def read() -> list[Raced]:
    """Every race so far."""
    lines = RACES.read_text().splitlines() if RACES.exists() else []
    found = [json.loads(line) for line in lines]
    return [Raced(**{**one, "blocks": tuple(Block(**block) for block in one["blocks"])}) for one in found]


def left(done: Sequence[Raced]) -> Iterator[tuple[str, float | None, int]]:
    """Workload, warm-up and number of what is to be raced: an ordinary race before the warmed blocks and one
    behind them, so that an hour that is unlike the others is in both. A block that does not count is raced
    again."""
    for workload in WORKLOADS:
        of = [one for one in done if one.workload == workload and one.blocks]
        raced = {(one.warmed_s, one.number) for one in of}
        order: list[tuple[float | None, int]] = [(None, 0)]
        order += [(WARMED_S, number) for number in range(WARMED_BLOCKS)]
        order += [(None, number) for number in range(1, ORDINARY_RACES)]
        yield from ((workload, *step) for step in order if step not in raced)


def about_s(workload: str, warmed_s: float | None, _number: int) -> float:
    """As long as those so far took, else by the starts."""
    of = [one.seconds for one in read() if (one.workload, one.warmed_s) == (workload, warmed_s)]
    if of:
        return statistics.median(of)
    entries = 1 + len(WORKLOADS[workload][1])
    if warmed_s is None:
        return ORDINARY_BLOCKS * (entries + 1) * ORDINARY_S
    return entries * (warmed_s + START_S)


def planned(plan: Plan, warmed_s: float | None) -> Plan:
    """An ordinary plan of one race, made so long: to its end, or one block of starts warmed for so long."""
    (race,) = plan.workloads
    if warmed_s is None:
        race = race.replaced(blocks=ORDINARY_BLOCKS)
    else:
        measured = race.slices.replaced(warm_up_ms=round(1000 * warmed_s), loads=(), long_turns=None)
        entries = tuple(entry for entry in race.entries if not entry.null)
        race = race.replaced(blocks=1, measured=measured, entries=entries)
    return plan.replaced(workloads=(race,))


def race(workload: str, warmed_s: float | None, number: int) -> Raced:
    """Runs one through the ordinary plan and runner."""
    suite = load(SUITE)
    reference, others = WORKLOADS[workload]
    asked = Asked(workloads=(workload,), contenders=others, reference=reference, margin=0.0, until="the end")
    plan = planned(racing.planned(asked, suite), warmed_s)
    with (
        tempfile.TemporaryDirectory(prefix="deadheat-bench-") as scratch,
        this_machine(plan.run) as (host, stop),
        on_cpus(plan.generator_cpus),
    ):
        folder = run_folder.create(Path(scratch) / "runs", plan, host.machine(WINDOW_S).to_dict())
        runner = Runner(plan, suite, folder, DRIVERS, host, NoView(), stop, [], Builder(host, stop))
        began_s = time.monotonic()
        runner.run()
        stop.check()
        seconds = time.monotonic() - began_s
        if warmed_s is None:
            null_pairs.add([folder.path])
            race_times.add([folder.path])
    if not any(isinstance(one, Started) for one in runner.observations):
        raise SystemExit(f"warmed_starts: {workload} started nobody: deadheat check {workload} says why")
    found = blocks(plan, runner.observations)
    return Raced(workload, warmed_s, number, found, round(seconds, 1), clock.stamp())


def blocks(plan: Plan, observed: Sequence[Observation]) -> tuple[Block, ...]:
    """Those that count. A race of one block has no limits of its own: here it is held to the plan's."""
    tally = tallied(plan.workloads[0], whole_blocks(list(observed)))
    limits = plan.disturbance or DisturbanceLimits()
    disturbed = {one.block for one in tally.interference if of_block(one, limits) is not None}
    return tuple(_block(tally, block) for block in tally.blocks if block not in disturbed)


def _block(tally: Tally, block: int) -> Block:
    names = {entry.contender for entry in tally.race.entries}
    entries = {
        name: [e.id for e in tally.race.entries if e.contender == name and block in tally.turns.get(e.id, {})]
        for name in sorted(names)
    }
    rates = {name: _rate(tally, of, block) for name, of in entries.items() if of}
    loaded = {
        name: [w.loaded_s for e in of for w in tally.warmed_up.get(e, ()) if w.block == block]
        for name, of in entries.items()
    }
    return Block(
        rates={name: round(rate, 3) for name, rate in rates.items()},
        loaded_s={name: statistics.mean(seconds) for name, seconds in loaded.items() if seconds},
    )


def _rate(tally: Tally, entries: Sequence[str], block: int) -> float:
    """Replies over counted time, both summed over all turns of these entries."""
    turns = [sums(throughput_rps, turn) for entry in entries for turn in tally.turns[entry][block]]
    return sum(replies for replies, _ in turns) / sum(seconds for _, seconds in turns)


def ratio(of: Sequence[Block], reference: str, other: str) -> stats.Estimate:
    """How many times as fast as the reference, over the blocks that both were in."""
    both = [block.rates for block in of if block.rates.get(other) and block.rates.get(reference)]
    return stats.estimate(np.array([math.log(rates[other] / rates[reference]) for rates in both]))


def quotient(ordinary: stats.Estimate, warmed: stats.Estimate) -> stats.Estimate | None:
    """The one ratio over the other, with a 95% interval by Welch: independent starts. None without blocks."""
    if ordinary.log_ratio is None or warmed.log_ratio is None or min(ordinary.blocks, warmed.blocks) < 2:
        return None
    squares = [ordinary.standard_error**2, warmed.standard_error**2]
    parts = sum(s * s / (one.blocks - 1) for s, one in zip(squares, (ordinary, warmed), strict=True))
    freedom = sum(squares) ** 2 / parts if parts > 0 else ordinary.blocks + warmed.blocks - 2
    return stats.Estimate(
        log_ratio=ordinary.log_ratio - warmed.log_ratio,
        low=-math.inf,
        high=math.inf,
        confidence=0.95,
        blocks=ordinary.blocks + warmed.blocks,
        standard_error=math.sqrt(sum(squares)),
        freedom=freedom,
    ).at(0.95)


def table(done: Sequence[Raced]) -> list[str]:
    """Of each contender both ratios, and the ordinary one over that of warmed starts."""
    if not done:
        return ["Nothing was raced yet."]
    lines = [
        "| workload | contender | warmed up for, median | ratio to Go, ordinary race | blocks "
        f"| ratio to Go, starts loaded {WARMED_S:g} s | blocks | the one over the other (95%) "
        f"| within {WITHIN:.0%} |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --- |",
    ]
    for workload, (reference, others) in WORKLOADS.items():
        of = [one for one in done if one.workload == workload]
        ordinary, warmed = (
            [block for one in of if (one.warmed_s is not None) == kind for block in one.blocks]
            for kind in (False, True)
        )
        for other in others:
            lines.append(f"| {workload} | {other} | {_row(ordinary, warmed, reference, other)} |")
    days = ", ".join(sorted({one.at[:10] for one in done}))
    lost = sum(not one.blocks for one in done)
    lines += ["", f"{days}; {sum(one.seconds for one in done) / 60:.0f} minutes in all, "
              f"{lost} of {len(done)} races without a block that counts."]  # fmt: skip
    return lines


def _row(ordinary: Sequence[Block], warmed: Sequence[Block], reference: str, other: str) -> str:
    before, after = (ratio(of, reference, other) for of in (ordinary, warmed))
    loaded = [block.loaded_s[other] for block in ordinary if other in block.loaded_s]
    cells = [f"{statistics.median(loaded):.1f} s" if loaded else "-"]
    for one in (before, after):
        cells += [f"{one.ratio:.3f}" if one.ratio is not None else "-", str(one.blocks)]
    apart = quotient(before, after)
    if apart is None or apart.ratio is None or apart.ci is None:
        return " | ".join([*cells, "-", "not known yet"])
    within = abs(apart.ratio - 1) <= WITHIN
    low, high = apart.ci
    return " | ".join([*cells, f"{apart.ratio:.3f} ({low:.3f} to {high:.3f})", "yes" if within else "**no**"])


MEASUREMENT = one_a_line.Measurement("warmed_starts", RACES, read, left, race, table, about_s)

if __name__ == "__main__":
    one_a_line.main(__doc__, MEASUREMENT)
