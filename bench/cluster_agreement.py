"""Whether a race says the same by one machine, by two machines' blocks, and with its load from other hosts.

    python -m bench.cluster_agreement                       # all races that are left, one line each
    python -m bench.cluster_agreement --for-seconds 600     # as many as begin within that time
    python -m bench.cluster_agreement --write               # the table of docs/cluster.md, from those so far

The machines are network namespaces of this one, joined by a bridge as those of tests/cluster are, each with
a node of Ray; the nodes run beside the race by one machine too, so that what they use is in all three. To
each of these machines the others' referees are other programs, on the same CPUs: so a block counts by all
three ways where others used up to OTHERS of them, and the gate other-cpu says whether they did. Each race is
one line of bench/cluster_agreement.jsonl; what was raced is not raced again. Needs root, ip and Ray.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.stats import t as student
from tests.cluster.nodes import Cluster, cluster, unavailable

from deadheat import stats
from deadheat.calibration import servers
from deadheat.export import source
from deadheat.results import figures
from deadheat.storage.run_folder import RunFolder
from deadheat.util import clock

from . import one_a_line
from .programs import ended
from .time_to_verdict import commit

ROOT = Path(__file__).parents[1]
RACES = ROOT / "bench" / "cluster_agreement.jsonl"
PAGE = ROOT / "docs" / "cluster.md"
Way = Literal["one machine", "two machines' blocks", "load from two others"]
WAYS: tuple[Way, ...] = ("one machine", "two machines' blocks", "load from two others")
#: Load on all of a race, seconds; two machines that are one take turns, and have half of it each.
BUDGET_S = 90
# Iterations that are some 100 us, and a fifth more.
WORK = {servers.PLAIN: 30_000, servers.slower(0.2): 36_000}
#: What the ratio of two ways' ratios may be off by.
AGREE = 0.05
# Of the time of a race's CPUs, for a block to be run again.
OTHERS = 0.3
CALL = f"""
import deadheat.plan.races
from deadheat.cli import main
from deadheat.model.plan import DisturbanceLimits
deadheat.plan.races.DISTURBANCE = DisturbanceLimits(others={OTHERS})
main()
"""
# Of a machine, for its error to be known.
FEWEST = 2


@dataclass(frozen=True)
class Pair:
    """A contender and the reference, as the suite has them: None is the planted one."""

    name: str
    workload: str
    contender: str
    reference: str
    suite: Path | None


PAIRS = (
    Pair("planted: 20% more work", servers.WORKLOAD, servers.slower(0.2), servers.PLAIN, None),
    Pair("Node http, Go net/http", "http-hello", "node-http", "go-net-http", ROOT / "suite"),
)


@dataclass(frozen=True)
class Raced:
    """One race. `effects`: of each machine the log ratios of its blocks; `broken`: gates that do not hold."""

    pair: str
    way: Way
    seed: int
    effects: tuple[tuple[float, ...], ...]
    broken: tuple[str, ...]
    seconds: float
    commit: str
    at: str
    machine: str | None = None


@dataclass(frozen=True)
class Mean:
    """Of the machines' means, each of which weighs the same: log ratio, standard error, its freedom."""

    log: float
    error: float
    freedom: float

    @classmethod
    def of(cls, effects: Sequence[Sequence[float]]) -> Mean:
        own = [np.array(one) for one in effects]
        found = stats.pool_machines(own).these if len(own) > 1 else stats.estimate(own[0])
        assert found.log_ratio is not None
        freedom = found.freedom if found.freedom is not None else found.blocks - 1.0
        return cls(found.log_ratio, found.standard_error, freedom)

    def over(self, other: Mean) -> tuple[float, float, float]:
        """The ratio of both ratios and its 95% interval, by Welch and Satterthwaite."""
        squared = (self.error**2, other.error**2)
        freedom = sum(squared) ** 2 / (squared[0] ** 2 / self.freedom + squared[1] ** 2 / other.freedom)
        half = float(student.ppf(0.975, freedom)) * math.sqrt(sum(squared))
        log = self.log - other.log
        return math.exp(log), math.exp(log - half), math.exp(log + half)

    def ci(self) -> tuple[float, float]:
        half = float(student.ppf(0.975, self.freedom)) * self.error
        return math.exp(self.log - half), math.exp(self.log + half)


def read() -> list[Raced]:
    """Every race so far."""
    lines = RACES.read_text().splitlines() if RACES.exists() else []
    found = [json.loads(line) for line in lines]
    return [
        Raced(**{**one, "effects": tuple(map(tuple, one["effects"])), "broken": tuple(one["broken"])})
        for one in found
    ]


def left(done: Sequence[Raced]) -> Iterator[tuple[Pair, Way, int]]:
    """What is to be raced next: each pair by all ways, one after the other."""
    raced = {(one.pair, one.way) for one in done}
    for pair in PAIRS:
        yield from ((pair, way, 1) for way in WAYS if (pair.name, way) not in raced)


def race(pair: Pair, way: Way, seed: int) -> Raced:
    """Runs one, in a cluster of a driver and three machines; what it prints goes to standard error."""
    if (why := unavailable()) is not None:
        raise SystemExit(f"cluster_agreement: {why}")
    with tempfile.TemporaryDirectory(prefix="deadheat-agree-") as scratch, cluster(3) as made:
        suite = pair.suite or servers.write(Path(scratch) / "suite", WORK).folder
        runs = Path(scratch) / "runs"
        argv = [*_argv(pair, way, made), "--seed", str(seed), "--suite", str(suite), "--out", str(runs)]
        began_s = time.monotonic()
        code = ended(argv, env=made.environment(), stdout=sys.stderr)
        seconds = time.monotonic() - began_s
        folders = [folder for folder in sorted(runs.glob("2*")) if (folder / "results.json").exists()]
        if not folders:
            raise SystemExit(f"cluster_agreement: {' '.join(argv)} ended with {code}: see above")
        return of_runs(pair, way, seed, folders, seconds)


def _argv(pair: Pair, way: Way, made: Cluster) -> list[str]:
    argv = [sys.executable, "-c", CALL, "race", pair.workload, "-c", pair.contender, "-c", pair.reference]
    if way == "one machine":
        return [*argv, "--to-the-end", "--budget", f"{BUDGET_S}s"]
    # Namespaces have one machine's id.
    argv += ["--cluster", made.address, "--different-machines"]
    if way == "load from two others":
        return made.inside("n0", *argv, "--load-from", "role=load", "--budget", f"{BUDGET_S}s")
    return made.inside("n0", *argv, "--machines", "2", "--budget", f"{BUDGET_S // 2}s")


def of_runs(pair: Pair, way: Way, seed: int, folders: Sequence[Path], seconds: float) -> Raced:
    """What a race came to, from the folders of its machines' runs."""
    effects, broken = [], set[str]()
    for folder in folders:
        [only] = source.read(RunFolder(folder)).races
        own = figures.compare(only.tally, pair.contender, only.plan.reference_entry, only.plan.judged_by)
        effects.append(tuple(round(effect, 6) for effect in own.effects))
        rows = [row for row in only.result.contenders if row.id in (pair.contender, pair.reference)]
        gates = [*only.result.gates, *(gate for row in rows for gate in row.gates)]
        broken |= {gate.name for gate in gates if not gate.ok}
    return Raced(
        pair=pair.name, way=way, seed=seed, effects=tuple(effects), broken=tuple(sorted(broken)),
        seconds=round(seconds, 1), commit=commit(ROOT),
        at=clock.stamp(),
    )  # fmt: skip


def table(done: Sequence[Raced]) -> list[str]:
    """Of each pair its ratio by each way, and how far that is from the ratio by one machine."""
    if not done:
        return ["Nothing was raced yet."]
    lines = [
        "| pair | by | blocks | ratio | 95% interval | over that by one machine | 95% interval | agree "
        "| gates that do not hold |",
        "| --- | --- | --: | --: | --- | --: | --- | --- | --- |",
    ]
    for pair in PAIRS:
        of = {one.way: one for one in done if one.pair == pair.name}
        for way in (way for way in WAYS if way in of):
            if min(map(len, of[way].effects)) < FEWEST:
                broken = ", ".join(of[way].broken)
                lines.append(f"| {pair.name} | {way} | too few | - | - | - | - | **no** | {broken} |")
                continue
            own = Mean.of(of[way].effects)
            low, high = own.ci()
            cells = [
                pair.name, way, sum(map(len, of[way].effects)), f"{math.exp(own.log):.3f}",
                f"{low:.3f} to {high:.3f}", *_beside(own, of, way), ", ".join(of[way].broken) or "none",
            ]  # fmt: skip
            lines.append(f"| {' | '.join(map(str, cells))} |")
    days = ", ".join(sorted({one.at[:10] for one in done}))
    cpus = len(os.sched_getaffinity(0))
    minutes = sum(one.seconds for one in done) / 60
    lines += ["", f"{days}; {cpus} CPUs; {minutes:.0f} minutes in all, builds and checks with them."]
    return lines


def _beside(own: Mean, of: dict[Way, Raced], way: Way) -> tuple[str, str, str]:
    """Agree: within AGREE of it, and an interval that includes 1."""
    if way == WAYS[0] or WAYS[0] not in of or len(of[WAYS[0]].effects[0]) < FEWEST:
        return "-", "-", "-"
    ratio, low, high = own.over(Mean.of(of[WAYS[0]].effects))
    agree = abs(math.log(ratio)) <= math.log1p(AGREE) and low <= 1 <= high
    return f"{ratio:.3f}", f"{low:.3f} to {high:.3f}", "yes" if agree else "**no**"


def about_s(_pair: Pair, _way: Way, _seed: int) -> float:
    """A cluster comes up, and checks are made."""
    return BUDGET_S + 30.0


MEASUREMENT = one_a_line.Measurement("cluster_agreement", RACES, read, left, race, table, about_s, PAGE)

if __name__ == "__main__":
    one_a_line.main(__doc__, MEASUREMENT)
