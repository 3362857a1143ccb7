"""Races of unlike servers beside neighbours: do the printed intervals hold the quiet ratio?

    python -m bench.unlike_servers                      # every race that is left, one line each
    python -m bench.unlike_servers --for-seconds 900    # as many as end within that time
    python -m bench.unlike_servers --dry-run            # what is left, and for how long
    python -m bench.unlike_servers --write              # the table of docs/method.md, from the races so far

Each pair is raced with nothing beside it until it has QUIET_BLOCKS blocks, whose mean is its quiet ratio,
half of them before and half behind its races beside each light neighbour, and one pair beside each heavy one:
these use more of the CPUs than the limit of a disturbed block, those less, so those are what a wrong verdict
could come from. All that is held together is of one day and one start of the machine: from one to another
quiet ratios moved by 4 to 9%. Every race is an ordinary `deadheat race http-hello`, and one line of
bench/unlike_servers.jsonl; what was raced is not raced again. Null pairs and times of the quiet ones are kept
as those of any race are (bench.null_pairs, bench.race_times); those beside a neighbour leave nothing in this
machine's ledger, whose starts size later races.
"""

from __future__ import annotations

import contextlib
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat.storage import past_races
from deadheat.util import clock
from deadheat.util.files import write_whole

from . import null_pairs, one_a_line, race_times
from .programs import ended

RACES = Path("bench/unlike_servers.jsonl")
WORKLOAD = "http-hello"
QUIET_BLOCKS = 20
# Longer than any race: the neighbour is stopped with the race, and this is for when that did not happen.
NEIGHBOUR_S = 900.0
HOLD, ERROR = 27 / 30, 0.02
# About how many blocks a quiet race has, and how long a race takes, before any is known.
BLOCKS, RACE_S = 8, 90.0


@dataclass(frozen=True)
class Neighbour:
    """Busy for `share` of one core in bursts of `burst_s`; `io`: disk and network instead of arithmetic."""

    burst_s: float
    share: float
    nice: int
    io: bool = False

    def __str__(self) -> str:
        kind = "disk and network" if self.io else f"nice {self.nice}"
        return f"{100 * self.share:g}% of one core, bursts of {self.burst_s * 1e3:g} ms, {kind}"


PAIRS = (
    ("go-net-http", "crystal-http-server"),
    ("go-net-http", "node-http"),
    ("go-net-http", "express"),
    ("go-net-http", "java-jdk"),
    ("crystal-http-server", "node-http"),
)
HEAVY = (
    Neighbour(0.005, 0.10, 0),
    Neighbour(0.05, 0.10, 19),
    Neighbour(0.05, 0.25, 0),
    Neighbour(0.5, 0.25, 19),
    Neighbour(2.0, 0.50, 0),
    Neighbour(0.05, 0.10, 0, io=True),
)
# With what an idle machine does anyway, 0.5%, just below the limit of 2% of two CPUs.
LIGHT = tuple(replace(one, share=0.025) for one in HEAVY)


# By pair and sitting.
Quiet = dict[tuple[tuple[str, str], str], float]


@dataclass(frozen=True)
class Raced:
    """One race: the second's rate over the first's with its judged interval, and who was beside it."""

    pair: tuple[str, str]
    neighbour: Neighbour | None
    blocks: int
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str | None
    broken: tuple[str, ...]
    disturbed: int
    seconds: float
    at: str
    machine: str | None = None
    boot: str | None = None

    @property
    def sitting(self) -> str:
        """The day, and which start of the machine: what was raced in one is held together."""
        return sitting(self.at, self.boot)

    @property
    def printed(self) -> bool:
        """Whether the race gave a verdict to rely on: an interval, and no gate of its own broken."""
        return self.low is not None and self.verdict not in (None, "invalid")


def sitting(at: str, boot: str | None) -> str:
    """`2026-11-27`, or where the start of the machine is known `2026-11-27 (6f0c)`."""
    return f"{at[:10]} ({boot})" if boot else at[:10]


def this_boot() -> str:
    """Four digits of the kernel's name for this start of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text()[:4]


def read() -> list[Raced]:
    """Every race so far."""
    lines = RACES.read_text().splitlines() if RACES.exists() else []
    return [_raced(json.loads(line)) for line in lines]


def _raced(line: dict) -> Raced:  # type: ignore[type-arg]
    beside = Neighbour(**line["neighbour"]) if line["neighbour"] else None
    given = {**line, "pair": tuple(line["pair"]), "broken": tuple(line["broken"]), "neighbour": beside}
    return Raced(**given)


def left(done: Sequence[Raced], now: str | None = None) -> Iterator[tuple[tuple[str, str], Neighbour | None]]:
    """What is to be raced next, in order, as far as it is known: pair by pair half of its quiet blocks, its
    neighbours, and the other half. Of an earlier sitting counts what has its quiet blocks there."""
    now = sitting(clock.stamp(), this_boot()) if now is None else now
    for pair in PAIRS:
        of = [r for r in done if r.pair == pair]
        counting = [r for r in of if r.sitting == now or quiet_ratio(of, pair, r.sitting) is not None]
        raced = {r.neighbour for r in counting}
        to_come = [neighbour for neighbour in neighbours_of(pair) if neighbour not in raced]
        if not to_come and not any(r.neighbour is not None and r.sitting == now for r in of):
            continue
        quiet = sum(r.blocks for r in quiet_of(of, pair, now))
        half = QUIET_BLOCKS // 2
        yield from [(pair, None)] * math.ceil((half - quiet) / BLOCKS)
        yield from ((pair, neighbour) for neighbour in to_come)
        yield from [(pair, None)] * math.ceil((QUIET_BLOCKS - max(quiet, half)) / BLOCKS)


def neighbours_of(pair: tuple[str, str]) -> list[Neighbour]:
    """All light ones, and each heavy one of one pair alone."""
    heavy = [one for number, one in enumerate(HEAVY) if PAIRS[number % len(PAIRS)] == pair]
    return [*LIGHT, *heavy]


@contextlib.contextmanager
def beside(neighbour: Neighbour | None, folder: Path) -> Iterator[None]:
    """The neighbour at work until the race is over."""
    if neighbour is None:
        yield
        return
    argv = [sys.executable, "-m", "bench.neighbour", f"--burst={neighbour.burst_s}",
            f"--share={neighbour.share}", f"--nice={neighbour.nice}", f"--for-seconds={NEIGHBOUR_S}",
            *([f"--io={folder}"] if neighbour.io else [])]  # fmt: skip
    process = subprocess.Popen(argv)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """This machine's ledger is as it was before, whatever raced meanwhile."""
    file = past_races.file()
    before = file.read_text() if file.exists() else None
    try:
        yield
    finally:
        if before is None:
            file.unlink(missing_ok=True)
        else:
            write_whole(file, before)


def race(pair: tuple[str, str], neighbour: Neighbour | None) -> Raced:
    """Runs one; what it prints goes to standard error."""
    deadheat = str(Path(sys.executable).parent / "deadheat")
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as folder:
        out = Path(folder) / "runs"
        argv = [deadheat, "race", WORKLOAD, "-c", pair[0], "-c", pair[1], "--reference", pair[0],
                "--margin", "0%", "--out", str(out)]  # fmt: skip
        began_s = time.monotonic()
        with unheard() if neighbour else contextlib.nullcontext(), beside(neighbour, Path(folder)):
            ended(argv, stdout=sys.stderr)
        seconds = time.monotonic() - began_s
        found = sorted(out.glob("2*/results.json"))
        if not found:
            raise SystemExit(f"unlike_servers: no results of {' '.join(argv[1:])}: see above")
        result = json.loads(found[-1].read_text())["workloads"][0]
        if neighbour is None:
            null_pairs.add([found[-1].parent])
            race_times.add([found[-1].parent])
    verdict = next((v for v in result["verdicts"] if {v["a"], v["b"]} == set(pair)), None)
    disturbed = sum(f["blocks"] for f in result["findings"] if f["finding"] == "disturbed-blocks")
    ratio, low, high = _second_over_first(verdict, pair)
    return Raced(
        pair=pair, neighbour=neighbour, blocks=verdict["blocks"] if verdict else 0,
        ratio=ratio, low=low, high=high, verdict=verdict["verdict"] if verdict else None,
        broken=tuple(g["name"] for g in result["gates"] if not g["ok"]),
        disturbed=disturbed, seconds=round(seconds, 1), at=clock.stamp(), boot=this_boot(),
    )  # fmt: skip


def _second_over_first(verdict: dict | None, pair: tuple[str, str]) -> tuple[float | None, ...]:  # type: ignore[type-arg]
    """The ratio and its interval the way round this table has them."""
    if verdict is None or verdict["ratio"] is None:
        return None, None, None
    ratio, (low, high) = verdict["ratio"], verdict["ci"] or (None, None)
    if verdict["a"] == pair[1]:
        return ratio, low, high
    return 1 / ratio, high and 1 / high, low and 1 / low


def quiet_of(done: Sequence[Raced], pair: tuple[str, str], sitting: str) -> list[Raced]:
    """Its races of that sitting with nothing beside them."""
    return [r for r in done if r.pair == pair and r.neighbour is None and r.sitting == sitting]


def quiet_ratio(done: Sequence[Raced], pair: tuple[str, str], sitting: str) -> float | None:
    """The mean of all its quiet blocks of a sitting, on the log scale; nothing before there are enough."""
    of = [r for r in quiet_of(done, pair, sitting) if r.ratio is not None]
    return _mean_ratio(of) if sum(r.blocks for r in of) >= QUIET_BLOCKS else None


def _mean_ratio(of: Sequence[Raced]) -> float:
    """Over all blocks of these, on the log scale."""
    logs = [math.log(r.ratio) * r.blocks for r in of if r.ratio is not None]
    return math.exp(sum(logs) / sum(r.blocks for r in of if r.ratio is not None))


def table(done: Sequence[Raced]) -> list[str]:
    """Of each neighbour: how many races printed a verdict, how many intervals hold that of its sitting."""
    if not done:
        return ["Nothing was raced yet."]
    quiet: Quiet = {
        (r.pair, r.sitting): ratio
        for r in done
        if (ratio := quiet_ratio(done, r.pair, r.sitting)) is not None
    }
    lines = ["| pair | day | quiet blocks | quiet ratio |", "| --- | --- | --: | --: |"]
    for (pair, of_one), ratio in sorted(quiet.items(), key=lambda one: (PAIRS.index(one[0][0]), one[0][1])):
        blocks = sum(r.blocks for r in quiet_of(done, pair, of_one))
        lines.append(f"| {pair[1]} over {pair[0]} | {of_one} | {blocks} | {ratio:.3f} |")
    lines += ["", "| beside | races | printed a verdict | of them hold the quiet ratio | median error |",
              "| --- | --: | --: | --: | --: |"]  # fmt: skip
    everything: list[Raced] = []
    for neighbour in (*LIGHT, *HEAVY):
        of = [r for r in done if r.neighbour == neighbour and (r.pair, r.sitting) in quiet]
        everything += of
        lines.append(f"| {neighbour} | {_row(of, [quiet[r.pair, r.sitting] for r in of])} |")
    lines.append(f"| **all** | {_row(everything, [quiet[r.pair, r.sitting] for r in everything])} |")
    alone = [r for r in done if r.neighbour is None]
    beside_nothing = _row(alone, [_of_the_others(done, r) for r in alone])
    lines += [f"| nothing: each quiet race against the others of its sitting | {beside_nothing} |", ""]
    days = sorted({r.at[:10] for r in done})
    planned = sum(len(neighbours_of(pair)) for pair in PAIRS)
    lines.append(
        f"{len(everything)} of {planned} races beside a neighbour, {', '.join(days)}, "
        f"{sum(r.seconds for r in done) / 60:.0f} minutes in all. Wanted: {HOLD:.0%} hold, and a median "
        f"error of {ERROR:.0%} or less."
    )
    return lines


def _row(of: Sequence[Raced], ratios: Sequence[float | None]) -> str:
    """Of these races, each held against its ratio; against none is none held."""
    printed = [(r, ratio) for r, ratio in zip(of, ratios, strict=True) if r.printed and ratio is not None]
    holds = sum(r.low <= ratio <= r.high for r, ratio in printed)  # type: ignore[operator]
    errors = [abs(math.log(r.ratio / ratio)) for r, ratio in printed if r.ratio]
    error = f"{statistics.median(errors):.1%}" if errors else "-"
    return f"{len(of)} | {len(printed)} | {holds} | {error}"


def _of_the_others(done: Sequence[Raced], race: Raced) -> float | None:
    """The ratio of the other quiet races of its sitting: how far off the machine's noise alone has it."""
    others = [r for r in quiet_of(done, race.pair, race.sitting) if r is not race and r.ratio is not None]
    return _mean_ratio(others) if others else None


def _about_s(_pair: tuple[str, str], neighbour: Neighbour | None) -> float:
    """As long as those so far took."""
    of = [r.seconds for r in read() if (r.neighbour is None) == (neighbour is None)]
    return statistics.median(of) if of else RACE_S


MEASUREMENT = one_a_line.Measurement("unlike_servers", RACES, read, left, race, table, _about_s)

if __name__ == "__main__":
    one_a_line.main(__doc__, MEASUREMENT)
