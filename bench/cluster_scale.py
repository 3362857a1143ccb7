"""What 10, 100 and 1,000 machines would take: real blocks, played back through the real scheduling.

    python -m bench.cluster_scale RUN --race http-hello [--machines 1,2,4,10] [--write docs/scale.md]

Each machine is made up: it takes as long for a block as a block of the run took, drawn anew each time, and
says what was observed in it. All else is real: the shares of a race, the driver that takes what machines say
and keeps their journals, the runs put together in the end. Its clock runs from one message to the next, so
hours take seconds. Printed are the time to the verdict, the interval, and what the driver uses.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bench.load import page
from deadheat.cluster.agent import About, Observed
from deadheat.cluster.connection import Node
from deadheat.cluster.driver import Driver
from deadheat.cluster.machines import Machine
from deadheat.cluster.parts import share
from deadheat.cluster.pulse import Pulse
from deadheat.export import source
from deadheat.model.observation import (
    OBSERVATION,
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Interference,
    Observation,
)
from deadheat.model.plan import Plan
from deadheat.report import words
from deadheat.results import derive
from deadheat.results import machines as merging
from deadheat.results.claimed import Race
from deadheat.storage import run_folder
from deadheat.studies.registry import DERIVERS
from deadheat.suite.suite import load
from deadheat.util.interrupt import Stop

MACHINES = (1, 2, 4, 10, 100, 1000)
PROGRAM = "python -m bench.cluster_scale"
# Measured: an agent is there, its suite unpacked (docs/scale.md).
PLACED_S = 1.0


@dataclass(frozen=True)
class Played:
    """So many machines: when the last was done, what came of it, and what the driver took for it."""

    machines: int
    blocks_each: int
    wall_s: float
    ratio: float
    half_width: float
    driver_cpu_s: float
    merge_cpu_s: float
    peak_mb: float
    journals_mb: float


class Clock:
    """Moments of all streams in order; the time is that of the last one taken."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.due: list[tuple[float, int, Stream]] = []
        self._order = itertools.count()

    def add(self, at_s: float, stream: Stream) -> None:
        heapq.heappush(self.due, (at_s, next(self._order), stream))


class Stream:
    """What one made-up machine says, and when."""

    def __init__(self, clock: Clock, said: Iterator[tuple[float, Observed]]) -> None:
        self._clock, self._said = clock, said
        self._next: Observed | None = None
        self._at_s = PLACED_S
        self._advance()

    def _advance(self) -> None:
        after_s, self._next = next(self._said, (0.0, None))
        self._at_s += after_s
        self._clock.add(self._at_s, self)

    def __next__(self) -> Observed:
        if (said := self._next) is None:
            raise StopIteration
        self._advance()
        return said


class Ray:
    """As much of Ray as a driver asks for, on a clock of its own."""

    class exceptions:  # noqa: N801 (as Ray calls it)
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            pass

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def put(self, value: Any) -> Any:
        return value

    def get(self, value: Any) -> Any:
        return value

    def wait(self, streams: Sequence[Stream], num_returns: int, timeout: float) -> tuple[list[Stream], None]:
        self._clock.now_s, _, stream = heapq.heappop(self._clock.due)
        return [stream], None


class Agent:
    """Races by playing back."""

    def __init__(
        self, clock: Clock, blocks: Sequence[Sequence[Observation]], before: Sequence[Observation], seed: int
    ) -> None:
        self._clock, self._blocks, self._before = clock, blocks, before
        self._random = random.Random(seed)

    @property
    def race(self) -> Agent:
        return self

    def options(self, **_options: Any) -> Agent:
        return self

    def remote(self, plan: Plan, _suite: Any, _so_far: Any) -> Stream:
        return Stream(self._clock, self._says(plan))

    def _says(self, plan: Plan) -> Iterator[tuple[float, Observed]]:
        yield 0.0, _lines(self._before)
        [race] = plan.workloads
        for number in range(race.blocks):
            drawn = self._random.choice(self._blocks)
            around = next(o for o in drawn if isinstance(o, Interference))
            begun, *rest = (o.model_copy(update={"block": number}) for o in drawn)
            yield 0.0, _lines([begun])
            yield around.wall_ns / 1e9, _lines(rest)


class NoPulse:
    """Nobody is lost."""

    def lost(self, _node: str) -> None:
        return None


def _lines(observed: Sequence[Observation]) -> Observed:
    return Observed(tuple(OBSERVATION.dump_json(one) for one in observed))


def played(run: Path, key: str, machines: int) -> Played:
    """A race of so many machines, from the blocks of a run's race."""
    folder = run_folder.find(run.parent, run.name)
    plan = folder.plan()
    race = next(one for one in plan.workloads if one.key == key).replaced(
        to_the_end=True, past=None, going_on=None, leaving=None
    )
    observations, _ = folder.observations()
    blocks, before = (
        _blocks(observations, race.key),
        [o for o in observations if isinstance(o, Built | Checked)],
    )
    before = [o for o in before if o.workload == race.workload]
    clock = Clock()
    ray = Ray(clock)
    about = folder.machine()
    made = [
        Machine(
            f"m{n}",
            Node(str(n), f"10.0.{n // 250}.{n % 250}", f"m{n}", {}),
            Agent(clock, blocks, before, n),
            cast(About, None),
        )
        for n in range(1, machines + 1)
    ]
    each = share(race, machines)
    plans = {
        m.name: plan.replaced(run=f"scale-{m.name}", seed=n, workloads=(each,)) for n, m in enumerate(made)
    }
    with tempfile.TemporaryDirectory() as kept:
        folders = {
            m.name: run_folder.create(Path(kept), plans[m.name], {**about, "id": m.name}) for m in made
        }
        began = time.process_time()
        driver = Driver(
            ray,
            load(Path(plan.suite)),
            made,
            cast(Pulse, NoPulse()),
            plans,
            folders,
            lambda _: None,
            lambda _: None,
            Stop(),
        )
        driver.run()
        driver_cpu_s = time.process_time() - began
        size = sum(folder.journal.stat().st_size for folder in folders.values())
        began = time.process_time()
        ratio, half = _answer(plans, folders, machines)
        merge_cpu_s = time.process_time() - began
    return Played(
        machines,
        each.blocks,
        clock.now_s,
        ratio,
        half,
        driver_cpu_s,
        merge_cpu_s,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        size / 1e6,
    )


def _answer(
    plans: dict[str, Plan], folders: dict[str, run_folder.RunFolder], machines: int
) -> tuple[float, float]:
    """The ratio of the first rival, and the half-width of its interval (0.05 is 5%)."""
    runs = []
    for name, folder in folders.items():
        observations, _ = folder.observations()
        results = derive.results(plans[name], folder.machine(), observations, DERIVERS)
        read = source.assemble(plans[name], results, observations)
        runs.append(
            merging.Run(read.plan, folder.machine(), {r.key: Race(r.tally, r.result) for r in read.races})
        )
    if machines == 1:
        [race] = runs[0].races.values()
        row = next(r for r in race.result.contenders if r.against_reference is not None)
        found = row.against_reference
        assert found is not None and found.ci is not None
        return found.ratio, (math.log(found.ci[1] / found.ci[0])) / 2
    merged = merging.merge(runs, known_different=True).races[0].pairs[0].these
    assert merged.ratio is not None and merged.ci is not None
    return merged.ratio, math.log(merged.ci[1] / merged.ci[0]) / 2


def _blocks(observations: Sequence[Observation], race: str) -> list[list[Observation]]:
    """The blocks of a race that count, each from its start to its end."""
    found: list[list[Observation]] = []
    current: list[Observation] | None = None
    for o in observations:
        if isinstance(o, BlockStarted) and o.race == race:
            current = []
        if current is not None and getattr(o, "block", None) is not None:
            current.append(o)
        if isinstance(o, BlockEnded) and current:
            if o.disturbed is None and o.race == race:
                found.append(current)
            current = None
    return found


def table(rows: Sequence[Played]) -> str:
    """As docs/scale.md has it."""
    alone = next(row for row in rows if row.machines == 1)
    columns = (
        "machines",
        "blocks on each",
        "time to the end",
        "of one machine's",
        "half-width",
        "driver's CPU",
        "putting together",
        "peak memory",
        "journals",
    )
    cells = [
        (
            f"{row.machines:,}",
            str(row.blocks_each),
            words.duration(row.wall_s),
            f"{row.wall_s / alone.wall_s:.2f}",
            f"±{row.half_width:.1%}",
            f"{row.driver_cpu_s:.1f} s",
            f"{row.merge_cpu_s:.1f} s",
            f"{row.peak_mb:,.0f} MB",
            f"{row.journals_mb:,.1f} MB",
        )
        for row in rows
    ]
    return "\n".join(page.table([columns, *cells]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--race", required=True, help="which of the run's: http-hello")
    parser.add_argument("--machines", default=",".join(map(str, MACHINES)))
    parser.add_argument("--write", type=Path)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        # A journal each, open for as long as its machine races.
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        print(json.dumps(vars(played(asked.run.resolve(), asked.race, asked.one))))
        return
    rows = []
    command = [sys.executable, "-m", "bench.cluster_scale", str(asked.run), "--race", asked.race]
    for machines in map(int, asked.machines.split(",")):
        # Each in a process of its own: peak memory is a process's.
        ran = subprocess.run(
            [*command, "--one", str(machines)],
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            sys.exit(ran.stderr)
        rows.append(Played(**json.loads(ran.stdout)))
        print(f"{machines} machines: {rows[-1].wall_s:.0f} s", file=sys.stderr)
    print(found := table(rows))
    if asked.write:
        page.put(PROGRAM, found.split("\n"), asked.write)


if __name__ == "__main__":
    main()
