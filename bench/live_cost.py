"""What the live page costs a race: the same server against itself, with ten who watch and with nobody.

    python -m bench.live_cost [--rounds 5] [--budget 28s] [--watched-by readers browsers] [--count 10]
    python -m bench.live_cost --rounds 0 --write docs/reports.md     # the table of what was raced so far

A round is a race with nobody and one with each kind of watchers (bench.live_watchers says what they are), in
random order. Each races http-hello's reference alone, so its null pair is an A/A race. Every race is kept in
bench/live_cost.jsonl and the table is of all that are there; `--afresh` begins anew.

Three things are told of each kind: its A/A ratio with a 95% interval over all blocks, which should cover 1;
how many times as much the A/A ratio varies between blocks as with nobody (the same as how many times as wide
an interval of so many blocks is), with its F interval; and the server's throughput against that with nobody,
by rounds (a t interval). The page costs nothing that this can see where all three cover 1.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict
from scipy import stats as distributions

from bench.live_watchers import KINDS
from bench.load import page
from deadheat import stats
from deadheat.report import words
from deadheat.util import files

DEADHEAT = Path(sys.executable).parent / "deadheat"
RACES = Path(__file__).with_name("live_cost.jsonl")
REFERENCE = "go-net-http"
BEGIN, END = "<!-- live cost: begin -->", "<!-- live cost: end -->"
NOBODY = "nobody"
SHOWN = {
    NOBODY: "nobody",
    "readers": "{} clients that read and do not draw",
    "browsers": "{} browsers, at the lowest priority beside the generator",
    "browsers-own": "{} browsers as they come",
}


class Raced(BaseModel):
    """One race: who watched, requests a second, and the null pair (its log ratio, and sd over blocks)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    round: str
    watched_by: str
    count: int
    machine: str
    date: str
    throughput_rps: float
    blocks: int
    null_log: float
    null_sd: float


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--budget", default="28s")
    arguments.add_argument("--watched-by", nargs="+", choices=KINDS, default=["readers", "browsers"])
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("--afresh", action="store_true")
    arguments.add_argument("--write", type=Path, metavar="PAGE", help="put the table between its marks there")
    asked = arguments.parse_args()
    if asked.afresh:
        RACES.unlink(missing_ok=True)
    for _ in range(asked.rounds):
        key = f"{random.getrandbits(32):08x}"
        for kind in random.sample([NOBODY, *asked.watched_by], 1 + len(asked.watched_by)):
            raced = _race(key, kind, asked.count, asked.budget)
            if raced is None:
                continue
            with RACES.open("a") as file:
                file.write(raced.model_dump_json() + "\n")
            print(
                f"{kind:12} {raced.throughput_rps:10,.0f} requests/s   A/A {math.exp(raced.null_log):.3f}, "
                f"sd between {raced.blocks} blocks {raced.null_sd:.1%}",
                flush=True,
            )
    reported = render([Raced.model_validate_json(line) for line in RACES.read_text().splitlines()])
    print(reported)
    if asked.write is not None:
        before, _, rest = asked.write.read_text().partition(BEGIN)
        _, found, after = rest.partition(END)
        if not found:
            raise SystemExit(f"{asked.write}: has no {BEGIN} ... {END}")
        files.write_whole(asked.write, f"{before}{BEGIN}\n{reported}\n{END}{after}")
    return 0


def render(raced: Sequence[Raced]) -> str:
    """The table, and a sentence a kind that says whether anything is to be seen."""
    nobody = [one for one in raced if one.watched_by == NOBODY]
    kinds = [kind for kind in (NOBODY, *KINDS) if any(one.watched_by == kind for one in raced)]
    head = ("watched by", "races", "A/A ratio", "sd between blocks", "times as wide", "throughput")
    rows: list[Sequence[str]] = [head]
    said = []
    for kind in kinds:
        of = [one for one in raced if one.watched_by == kind]
        name = SHOWN[kind].format(of[0].count)
        cells = [name, f"{len(of)} of {sum(one.blocks for one in of)} blocks", _null(of), f"{_sd(of)[0]:.1%}"]
        if kind == NOBODY:
            cells += ["1", "1"]
        else:
            wider, faster = _wider(of, nobody), _throughput(of, nobody)
            cells += [_reported(wider), _reported(faster)]
            said.append(f"With {name}: {_sentence(wider, faster)}.")
        rows.append(cells)
    dates = sorted({one.date for one in raced})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    about = f"{'; '.join(sorted({one.machine for one in raced}))}, {when}; 95% intervals in brackets."
    return "\n".join([*page.table(rows), "", " ".join([about, *said])])


Interval = tuple[float, float, float]


def _sentence(wider: Interval, faster: Interval) -> str:
    width = (
        "the interval is no wider that this could see"
        if wider[1] <= 1 <= wider[2]
        else f"the interval is {words.ratio(wider[0])} times as wide"
    )
    speed = (
        "nor is the server slower or faster"
        if faster[1] <= 1 <= faster[2]
        else f"and the server does {words.ratio(faster[0])} times the requests"
    )
    return f"{width}, {speed}"


def _reported(found: Interval) -> str:
    return f"{words.ratio(found[0])} ({words.interval(found[1:])})"


def _sd(of: Sequence[Raced]) -> tuple[float, int]:
    """The sd of the null pair's log ratio between blocks, pooled over races, and its degrees of freedom."""
    df = sum(one.blocks - 1 for one in of)
    return math.sqrt(sum((one.blocks - 1) * one.null_sd**2 for one in of) / df), df


def _null(of: Sequence[Raced]) -> str:
    blocks = sum(one.blocks for one in of)
    mean = sum(one.blocks * one.null_log for one in of) / blocks
    sd, df = _sd(of)
    half = float(distributions.t.ppf(0.975, df)) * sd / math.sqrt(blocks)
    return _reported((math.exp(mean), math.exp(mean - half), math.exp(mean + half)))


def _wider(of: Sequence[Raced], nobody: Sequence[Raced]) -> Interval:
    (sd, df), (sd_nobody, df_nobody) = _sd(of), _sd(nobody)
    ratio = sd / sd_nobody
    most, least = (float(distributions.f.ppf(p, df, df_nobody)) for p in (0.975, 0.025))
    return ratio, ratio / math.sqrt(most), ratio / math.sqrt(least)


def _throughput(of: Sequence[Raced], nobody: Sequence[Raced]) -> Interval:
    alone = {one.round: one.throughput_rps for one in nobody}
    logs = [math.log(one.throughput_rps / alone[one.round]) for one in of if one.round in alone]
    found = stats.estimate(np.array(logs))
    assert found.ratio is not None
    return found.ratio, math.exp(found.low), math.exp(found.high)


def _race(key: str, kind: str, count: int, budget: str) -> Raced | None:
    """None where not all who were to watch did: that was no comparison."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        argv = [str(DEADHEAT), "race", "http-hello", "-c", REFERENCE, "--budget", budget, "--out", folder]
        argv += ["--live"] if kind != NOBODY else []
        watchers = Watchers(kind, count) if kind != NOBODY else None
        with subprocess.Popen(argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as race:
            assert race.stderr is not None
            for line in race.stderr:
                if watchers and (found := re.search(r"http://\S+/", line.decode())) is not None:
                    watchers.tell(found[0])
        if watchers is not None:
            watchers.end()
            if watchers.failed:
                return None
        if race.returncode not in (0, 4):
            raise SystemExit(f"the race ended with {race.returncode}")
        results = json.loads((out / "latest" / "results.json").read_text())
    reported = results["workloads"][0]
    row = next(row for row in reported["contenders"] if row["name"] == REFERENCE)
    null, blocks = reported["null_pair"], reported["blocks"]
    low, high = null["ci"]
    half = math.log(high / low) / 2
    machine = results["machine"]
    return Raced(
        round=key,
        watched_by=kind,
        count=count,
        machine=f"{machine['cores']} cores, {machine['cpu_model']}",
        date=results["started"][:10],
        throughput_rps=row["throughput_rps"]["estimate"],
        blocks=blocks,
        null_log=math.log(null["ratio"]),
        # The null pair's own interval is Student's over blocks: what it varies by follows from it.
        null_sd=half * math.sqrt(blocks) / float(distributions.t.ppf(0.975, blocks - 1)),
    )


class Watchers:
    """Started and ready before a race, told the page's address, gone when it is over."""

    def __init__(self, kind: str, count: int) -> None:
        argv = [sys.executable, "-m", "bench.live_watchers", kind, str(count)]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        if self._process.stdout.readline() != b"ready\n":
            raise SystemExit("the watchers could not be started")
        self.failed = False

    def tell(self, url: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(url.encode() + b"\n")
        self._process.stdin.flush()

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self.failed = self._process.wait() != 0


if __name__ == "__main__":
    sys.exit(main())
