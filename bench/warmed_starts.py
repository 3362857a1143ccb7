"""Whether a race's own warm-up is enough: its ratios against those of starts that were loaded for 60 s first.

    python -m bench.warmed_starts                       # all races that are left, one line each
    python -m bench.warmed_starts --for-seconds 900     # as many as end within that time
    python -m bench.warmed_starts --dry-run             # what is left, and for how long
    python -m bench.warmed_starts --write               # the table of docs/method.md, from the races so far

Of each workload 10 ordinary blocks, in which a start is loaded until it is no longer getting faster, and 10
whose starts were each loaded for 60 s before their slices, in turns of half a second as ever, in turn: one
of either is a pair, minutes from one another, and which comes first alternates. From one hour to the next
ratios move by more than is looked for here. Starts share nothing with those of another block: so each is a
race of one block, of four times as many rounds, and a line. It has no open loop, no long turns and no second
entry of the reference, which would only cost time. A block that somebody else got into does not count by the
plan's limits, and is raced again.
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
from deadheat.model.past import Past
from deadheat.model.plan import DisturbanceLimits, Plan
from deadheat.plan import Asked, learnt
from deadheat.results.tally import Tally, tallied
from deadheat.results.values import sums, throughput_rps
from deadheat.run.disturbance import of_block
from deadheat.run.progress import NoView
from deadheat.run.runner import Runner
from deadheat.stats import FloatArray, steady
from deadheat.storage import run_folder
from deadheat.storage.journal import whole_blocks
from deadheat.studies.drivers import DRIVERS
from deadheat.suite.suite import load
from deadheat.util import clock

from . import one_a_line

RACES = Path("bench/warmed_starts.jsonl")
SUITE = Path("suite")
# Of each workload the reference, and those whose ratios to it are compared.
WORKLOADS = {
    "http-hello": ("go-net-http", ("java-jdk", "node-http", "elixir-otp", "express")),
    "grpc-unary": ("go-grpc", ("java-grpc",)),
}
PAIRS = 10
WARMED_S = 60.0
# Times as many rounds as a race's block has: beside minutes of warm-up they cost little, and where a machine
# is slow for seconds at a time a start's level is not told by two seconds of it.
ROUNDS = 4
WITHIN = 0.03
# About what a block takes beside its warm-ups, and an ordinary one in all, for each of its entries, seconds.
START_S, ORDINARY_S = 9.0, 15.0


@dataclass(frozen=True)
class Block:
    """Of each contender how many replies a second, over all counted parts of its block, and for how long it
    was loaded before them, seconds."""

    rates: Mapping[str, float]
    loaded_s: Mapping[str, float]


@dataclass(frozen=True)
class Raced:
    """One of pair `number`: an ordinary block, or of starts loaded for `warmed_s`; null where it does not
    count."""

    workload: str
    warmed_s: float | None
    number: int
    block: Block | None
    seconds: float
    at: str
    machine: str | None = None


def read() -> list[Raced]:
    """Every race so far."""
    lines = RACES.read_text().splitlines() if RACES.exists() else []
    found = [json.loads(line) for line in lines]
    return [Raced(**{**one, "block": one["block"] and Block(**one["block"])}) for one in found]


def left(done: Sequence[Raced]) -> Iterator[tuple[str, float | None, int]]:
    """Workload, warm-up and pair of what is to be raced, in order; a block that does not count is raced
    again, in its place."""
    for number in range(PAIRS):
        for workload in WORKLOADS:
            raced = {(one.warmed_s, one.number) for one in done if one.workload == workload and one.block}
            kinds = (None, WARMED_S) if number % 2 == 0 else (WARMED_S, None)
            yield from ((workload, kind, number) for kind in kinds if (kind, number) not in raced)


def about_s(workload: str, warmed_s: float | None, _number: int) -> float:
    """As long as those so far took, else by the starts."""
    of = [one.seconds for one in read() if (one.workload, one.warmed_s) == (workload, warmed_s)]
    if of:
        return statistics.median(of)
    entries = 1 + len(WORKLOADS[workload][1])
    return entries * (ORDINARY_S if warmed_s is None else warmed_s + START_S)


def planned(plan: Plan, warmed_s: float | None) -> Plan:
    """An ordinary plan of one race, made one block, and of starts warmed for so long where that is asked: in
    the ordinary turns, as if earlier ones had needed it."""
    (race,) = plan.workloads
    past = race.past or Past()
    if warmed_s is not None:
        ids = {entry.contender for entry in race.entries}
        past = learnt.with_warm_ups(past, dict.fromkeys(ids, [warmed_s] * steady.WATCHED))
    measured = race.slices.replaced(loads=(), long_turns=None)
    entries = tuple(entry for entry in race.entries if not entry.null)
    race = race.replaced(blocks=1, rounds=ROUNDS * race.rounds, measured=measured, entries=entries, past=past)
    return plan.replaced(workloads=(race,))


def unknown(plan: Plan) -> list[str]:
    """Whose warm-up earlier races here have not told yet: in a race of its own each of its blocks would be
    watched, and loaded for longer than those of ordinary races are."""
    (race,) = plan.workloads
    watched = race.past.watched if race.past is not None else {}
    return sorted({e.contender for e in race.entries if watched.get(e.contender, 0) < steady.WATCHED})


def race(workload: str, warmed_s: float | None, number: int) -> Raced:
    """Runs one through the ordinary plan and runner."""
    suite = load(SUITE)
    reference, others = WORKLOADS[workload]
    asked = Asked(workloads=(workload,), contenders=others, reference=reference, margin=0.0, until="the end")
    plan = planned(racing.planned(asked, suite), warmed_s)
    if strangers := unknown(plan):
        ids = [reference, *(id_ for id_ in strangers if id_ != reference)]
        raise SystemExit(
            f"warmed_starts: how long {', '.join(strangers)} warms up is not known on this machine: twice "
            f"deadheat race {workload} {' '.join(f'-c {id_}' for id_ in ids)} first"
        )
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
    if not any(isinstance(one, Started) for one in runner.observations):
        raise SystemExit(f"warmed_starts: {workload} started nobody: deadheat check {workload} says why")
    found = counted(plan, runner.observations)
    return Raced(workload, warmed_s, number, found, round(seconds, 1), clock.stamp())


def counted(plan: Plan, observed: Sequence[Observation]) -> Block | None:
    """The race's block where it counts: one of a single block has no limits of its own, and is held to the
    plan's."""
    tally = tallied(plan.workloads[0], whole_blocks(list(observed)))
    limits = plan.disturbance or DisturbanceLimits()
    if any(of_block(one, limits) is not None for one in tally.interference):
        return None
    block = tally.blocks[0]
    of = [entry.id for entry in tally.race.entries if block in tally.turns.get(entry.id, {})]
    return Block(
        rates={id_: round(_rate(tally, id_, block), 3) for id_ in of},
        loaded_s={id_: warmed.loaded_s for id_ in of for warmed in tally.warmed_up.get(id_, ())},
    )


def _rate(tally: Tally, entry: str, block: int) -> float:
    """Replies over counted time, both summed over all its turns."""
    turns = [sums(throughput_rps, turn) for turn in tally.turns[entry][block]]
    return sum(replies for replies, _ in turns) / sum(seconds for _, seconds in turns)


def log_ratio(block: Block, reference: str, other: str) -> float | None:
    """How many times as fast as the reference; None where either was not in it."""
    of, to = block.rates.get(other), block.rates.get(reference)
    return math.log(of / to) if of and to else None


def pairs(done: Sequence[Raced], workload: str, other: str) -> FloatArray:
    """Log ratios to the reference of whole pairs (pair; ordinary, warmed)."""
    reference, _ = WORKLOADS[workload]
    found: dict[int, dict[bool, float]] = {}
    for one in done:
        if one.workload != workload or one.block is None:
            continue
        if (value := log_ratio(one.block, reference, other)) is not None:
            found.setdefault(one.number, {})[one.warmed_s is not None] = value
    whole = [(of[False], of[True]) for _, of in sorted(found.items()) if len(of) == 2]
    return np.array(whole).reshape(len(whole), 2)


def table(done: Sequence[Raced]) -> list[str]:
    """Of each contender both ratios, and the ordinary one over that of warmed starts."""
    if not done:
        return ["Nothing was raced yet."]
    lines = [
        f"| workload | contender | pairs | warmed up for, median | ratio to Go "
        f"| starts loaded {WARMED_S:g} s | the one over the other (95%) | within {WITHIN:.0%} |",
        "| --- | --- | --: | --: | --: | --: | --: | --- |",
    ]
    for workload, (_, others) in WORKLOADS.items():
        lines += [f"| {workload} | {other} | {_row(done, workload, other)} |" for other in others]
    days = ", ".join(sorted({one.at[:10] for one in done}))
    lost = sum(one.block is None for one in done)
    lines += ["", f"{days}; {sum(one.seconds for one in done) / 60:.0f} minutes in all, "
              f"{lost} of {len(done)} blocks did not count and were raced again."]  # fmt: skip
    return lines


def _row(done: Sequence[Raced], workload: str, other: str) -> str:
    of = pairs(done, workload, other)
    if len(of) < 2:
        return f"{len(of)} | - | - | - | - | not known yet"
    loaded = [
        one.block.loaded_s[other]
        for one in done
        if one.workload == workload and one.warmed_s is None and one.block and other in one.block.loaded_s
    ]
    ordinary, warmed = np.exp(of.mean(axis=0))
    apart = stats.estimate(of[:, 0] - of[:, 1])
    assert apart.ratio is not None and apart.ci is not None
    low, high = apart.ci
    within = "yes" if abs(apart.ratio - 1) <= WITHIN else "**no**"
    return (
        f"{len(of)} | {statistics.median(loaded):.1f} s | {ordinary:.3f} | {warmed:.3f} "
        f"| {apart.ratio:.3f} ({low:.3f} to {high:.3f}) | {within}"
    )


MEASUREMENT = one_a_line.Measurement("warmed_starts", RACES, read, left, race, table, about_s)

if __name__ == "__main__":
    one_a_line.main(__doc__, MEASUREMENT)
