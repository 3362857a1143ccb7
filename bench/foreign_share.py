"""From which share of a race's CPUs on a neighbour moves a verdict by 1%: the limit of a disturbed block.

    python -m bench.foreign_share                       # all races that are left, one line each
    python -m bench.foreign_share --for-seconds 300     # as many as end within that time
    python -m bench.foreign_share --dry-run             # what is left, and for how long
    python -m bench.foreign_share --write               # the table of docs/method.md, from the races so far

Express, of one thread, against Go, of many, to the planned end, every block counted, beside neighbours that
use 0 to 40% of one core. Of each block is kept what others used, as a race measures it, and the log of
Express's rate over Go's: the slope of the one on the other says what a limit lets through.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from deadheat.app import race as racing
from deadheat.build.builder import Builder
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.held import this_machine
from deadheat.hosts.machine import WINDOW_S
from deadheat.plan import Asked
from deadheat.results.tally import Tally, tallied
from deadheat.results.values import sums, throughput_rps
from deadheat.run.progress import NoView
from deadheat.run.runner import Runner
from deadheat.storage import run_folder
from deadheat.storage.journal import whole_blocks
from deadheat.studies.drivers import DRIVERS
from deadheat.suite.suite import load
from deadheat.util import clock

from . import one_a_line
from .unlike_servers import Neighbour, beside

RACES = Path("bench/foreign_share.jsonl")
SUITE = Path("suite")
WORKLOAD, REFERENCE, OTHER = "http-hello", "go-net-http", "express"
SHARES = (0.0, 0.05, 0.10, 0.20, 0.40)
BURST_S = 0.05
REPEATS = 3
MOVED = 0.01
# About how long a race takes.
RACE_S = 70.0


@dataclass(frozen=True)
class Block:
    """What others used of the race's CPUs (0 to 1), and the log ratio of the rates."""

    others: float
    effect: float


@dataclass(frozen=True)
class Raced:
    """One race beside a neighbour of that share of one core."""

    share: float
    repeat: int
    blocks: tuple[Block, ...]
    at: str
    machine: str | None = None


def read() -> list[Raced]:
    """Every race so far."""
    lines = RACES.read_text().splitlines() if RACES.exists() else []
    found = [json.loads(line) for line in lines]
    return [Raced(**{**one, "blocks": tuple(Block(**block) for block in one["blocks"])}) for one in found]


def left(done: Sequence[Raced]) -> Iterator[tuple[float, int]]:
    """Share and repeat of what is to be raced; the shares in turn, so that a slow hour is in all of them."""
    raced = {(one.share, one.repeat) for one in done}
    for repeat in range(REPEATS):
        shares = SHARES if repeat % 2 == 0 else tuple(reversed(SHARES))
        yield from ((share, repeat) for share in shares if (share, repeat) not in raced)


def race(share: float, repeat: int) -> Raced:
    """Runs one beside its neighbour."""
    neighbour = Neighbour(BURST_S, share, nice=0) if share else None
    # In a process of its own: what a referee has started counts as its own work, not as a neighbour's.
    own = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    with (
        tempfile.TemporaryDirectory(prefix="deadheat-bench-") as scratch,
        own as referee,
        beside(neighbour, Path(scratch)),
    ):
        found = referee.submit(raced_blocks, Path(scratch)).result()
    return Raced(share, repeat, found, clock.stamp())


def raced_blocks(scratch: Path) -> tuple[Block, ...]:
    """A race through the ordinary plan and runner but for the limits of a disturbed block."""
    suite = load(SUITE)
    asked = Asked(workloads=(WORKLOAD,), contenders=(REFERENCE, OTHER), margin=0.0, until="the end")
    plan = racing.planned(asked, suite).replaced(disturbance=None)
    with this_machine(plan.run) as (host, stop), on_cpus(plan.generator_cpus):
        folder = run_folder.create(scratch / "runs", plan, host.machine(WINDOW_S).to_dict())
        runner = Runner(plan, suite, folder, DRIVERS, host, NoView(), stop, [], Builder(host, stop))
        runner.run()
    return tuple(blocks(tallied(plan.workloads[0], whole_blocks(runner.observations))))


def blocks(tally: Tally) -> Iterator[Block]:
    """Of every block that both were in."""
    around = {one.block: one for one in tally.interference}
    for block in tally.common_blocks(REFERENCE, OTHER):
        watched = around[block].wall_ns * len(around[block].cpus)
        effect = math.log(_rate(tally, OTHER, block) / _rate(tally, REFERENCE, block))
        yield Block(others=around[block].others_used_ns / watched, effect=effect)


def _rate(tally: Tally, entry: str, block: int) -> float:
    """Replies over counted time, both summed."""
    turns = [sums(throughput_rps, turn) for turn in tally.turns[entry][block]]
    return sum(replies for replies, _ in turns) / sum(seconds for _, seconds in turns)


def slope(of: Sequence[Block]) -> tuple[float, float]:
    """Log ratio a unit of share, least squares, and the half-width of its 95% interval."""
    x, y = (np.array([getattr(block, name) for block in of]) for name in ("others", "effect"))
    around = x - x.mean()
    found = float((around * y).sum() / (around**2).sum())
    rest = y - y.mean() - found * around
    error = math.sqrt(float((rest**2).sum()) / (len(of) - 2) / float((around**2).sum()))
    return found, float(student.ppf(0.975, len(of) - 2)) * error


def table(done: Sequence[Raced]) -> list[str]:
    """The ratio by share, the slope, and the share at which it has moved by 1%."""
    if not done:
        return ["Nothing was raced yet."]
    lines = ["| neighbour, of one core | races | blocks | others used, median | Express over Go, median |",
             "| --: | --: | --: | --: | --: |"]  # fmt: skip
    for share in SHARES:
        of = [block for one in done if one.share == share for block in one.blocks]
        if of:
            races = sum(one.share == share for one in done)
            others = float(np.median([block.others for block in of]))
            ratio = math.exp(float(np.median([block.effect for block in of])))
            lines.append(f"| {share:.0%} | {races} | {len(of)} | {others:.1%} | {ratio:.4f} |")
    every = [block for one in done for block in one.blocks]
    found, half = slope(every)
    # Where the slope's far end would have moved the ratio by 1%: sure to be no more than that below it.
    steepest = abs(found) + half
    moved, low, high = (f"{0.1 * by:+.1%}" for by in (found, found - half, found + half))
    days = ", ".join(sorted({one.at[:10] for one in done}))
    lines += [
        "",
        f"A neighbour that uses 10% of the race's CPUs moves the ratio by {moved} (95% {low} to {high}), "
        f"over {len(every)} blocks, {days}. It has moved by {MOVED:.0%} at {MOVED / abs(found):.1%} by the "
        f"estimate, at {MOVED / steepest:.1%} by the interval's far end.",
    ]
    return lines


MEASUREMENT = one_a_line.Measurement(
    "foreign_share", RACES, read, left, race, table, about_s=lambda _share, _repeat: RACE_S
)

if __name__ == "__main__":
    one_a_line.main(__doc__, MEASUREMENT)
