"""How often `deadheat ab` fails a change on this machine: none, and planted ones.

    python -m bench.ab_series                      # every race that is left, one line each
    python -m bench.ab_series --for-seconds 900    # as many as end within that time
    python -m bench.ab_series --dry-run            # what is left, and for how long
    python -m bench.ab_series --write              # the table of docs/method.md, from the races so far

Each race is an ordinary `deadheat ab HEAD~1 HEAD --fail-if 'slower > 3%'` of two commits of a Go server that
does a counted amount of work for each request: commits that differ in a compiled-in string and nothing else,
and commits that make a request cost 8% or 4% more, by a pilot before the first race. It is one line of
bench/ab_series.jsonl; what was raced is not raced again. Needs go, git and taskset.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deadheat.export import source
from deadheat.plan.looks import looks_of
from deadheat.results import figures
from deadheat.stats.estimate import t_quantile
from deadheat.storage.run_folder import RunFolder
from deadheat.util import clock

from . import one_a_line
from .programs import ended
from .time_to_verdict import commit

ROOT = Path(__file__).parents[1]
RACES = ROOT / "bench" / "ab_series.jsonl"
THRESHOLD = 0.03
# Iterations that are some 100 us, and of the pilot how long and how often.
WORK, PILOT_S, PILOTS = 60_000, 2.0, 3
# Of a race without a change, how often its blocks' signs are exchanged: in all 10,000 times.
EXCHANGES = 500
TIMEOUT_S, BUILDS_S = 3600.0, 30.0


@dataclass(frozen=True)
class Series:
    """So many races of a change that makes a request cost `worse` more (0.08 is 8%), and what is wanted."""

    name: str
    worse: float
    budget: str
    races: int
    wanted: str


SERIES = (
    Series("no change", 0.0, "3m", 20, "at most 1 fails"),
    Series("8% slower", 0.08, "3m", 8, "at least 7 fail"),
    Series("4% slower", 0.04, "8m", 5, "at least 4 are told slower"),
)


@dataclass(frozen=True)
class Raced:
    """One race. `state`: whether the condition fails, holds or is open; `chances`: how often it fails by
    chance, as the race printed it, by how much worse the truth is. `effects`: of each block the log of how
    many times as fast head was; `levels`: the level that each look was judged at, by its blocks."""

    series: str
    seed: int
    iterations: tuple[int, int]
    answer: str
    state: str
    slower: float | None
    ci: tuple[float, float] | None
    chances: tuple[tuple[float, float], ...]
    effects: tuple[float, ...]
    levels: tuple[tuple[int, float], ...]
    seconds: float
    commit: str
    at: str
    machine: str | None = None


def read() -> list[Raced]:
    """Every race so far."""
    lines = RACES.read_text().splitlines() if RACES.exists() else []
    return [_raced(json.loads(line)) for line in lines]


def _raced(line: dict[str, Any]) -> Raced:
    pairs = {name: tuple(map(tuple, line[name])) for name in ("chances", "levels")}
    lists = {name: tuple(line[name]) for name in ("iterations", "effects")}
    return Raced(**{**line, **pairs, **lists, "ci": line["ci"] and tuple(line["ci"])})


def left(done: Sequence[Raced]) -> Iterator[tuple[Series, int, tuple[int, int] | None]]:
    """What is to be raced next: the series side by side, each as far along as the others. With the
    iterations of the series' first race, so that all races of a series are of one pair."""
    counts = {series.name: sum(one.series == series.name for one in done) for series in SERIES}
    known = {one.series: one.iterations for one in reversed(done)}
    while waiting := [series for series in SERIES if counts[series.name] < series.races]:
        series = min(waiting, key=lambda series: counts[series.name] / series.races)
        counts[series.name] += 1
        yield series, counts[series.name], known.get(series.name)


def server(version: str, iterations: int) -> str:
    """A Go program that answers after so many iterations of xorshift."""
    return f"""\
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
)

const version = "{version}"

var last atomic.Uint64

func main() {{
	if len(os.Args) != 2 {{
		fmt.Println(version)
		return
	}}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {{
		x := uint64(88172645463325252)
		for i := 0; i < {iterations}; i++ {{
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}}
		last.Store(x)
		io.WriteString(w, "done")
	}})
	http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}}
"""


BENCH_FILE = 'build = "go build -buildvcs=false -o app ."\nrun = "./app {port}"\n'


def repository(folder: Path, iterations: tuple[int, int]) -> None:
    """Two commits, which differ in a string, and where it was asked for in how much is done."""
    (folder / "bench").mkdir(parents=True)
    (folder / "bench" / "deadheat.toml").write_text(BENCH_FILE)
    (folder / "go.mod").write_text("module planted\n\ngo 1.22\n")
    _git(folder, "init", "--quiet", "--initial-branch=main")
    for version, count in zip(("one", "two"), iterations, strict=True):
        (folder / "main.go").write_text(server(version, count))
        _git(folder, "add", "--all")
        _git(folder, "commit", "--quiet", "-m", version)


def _git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Nobody", "-c", "user.email=nobody@localhost")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def counted(worse: float) -> tuple[int, int]:
    """Iterations of base and of head, whose request costs so much more in all, what HTTP takes with it."""
    if not worse:
        return WORK, WORK
    idle, busy = (statistics.median(_request_us(count) for _ in range(PILOTS)) for count in (0, WORK))
    return WORK, planted(worse, idle, busy)


def planted(worse: float, idle_us: float, busy_us: float) -> int:
    """Head's iterations, where a request takes `idle_us` with none and `busy_us` with WORK."""
    return round(WORK * (1 + worse * busy_us / (busy_us - idle_us)))


def _request_us(iterations: int) -> float:
    """What a request takes on the server's CPU, which the load keeps busy."""
    with tempfile.TemporaryDirectory(prefix="deadheat-pilot-") as scratch:
        folder = Path(scratch)
        (folder / "go.mod").write_text("module planted\n\ngo 1.22\n")
        (folder / "main.go").write_text(server("pilot", iterations))
        subprocess.run(["go", "build", "-buildvcs=false", "-o", "app", "."], cwd=folder, check=True)
        port = _free_port()
        with subprocess.Popen(["taskset", "-c", "0", str(folder / "app"), str(port)]) as process:
            try:
                time.sleep(0.3)
                load = str(Path(sys.executable).parent / "deadheat-load")
                argv = [
                    "taskset",
                    "-c",
                    "1",
                    load,
                    f"http://127.0.0.1:{port}/",
                    "-d",
                    f"{PILOT_S}s",
                    "--json",
                ]
                ran = subprocess.run([*argv, "-q"], capture_output=True, text=True, check=True)
            finally:
                process.terminate()
    return 1e6 / float(json.loads(ran.stdout)["throughput_rps"])


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def race(series: Series, seed: int, known: tuple[int, int] | None) -> Raced:
    """Runs one; what it prints goes to standard error."""
    iterations = known or counted(series.worse)
    deadheat = str(Path(sys.executable).parent / "deadheat")
    with tempfile.TemporaryDirectory(prefix="deadheat-ab-") as scratch:
        folder = Path(scratch)
        repository(folder / "repository", iterations)
        argv = [deadheat, "ab", "HEAD~1", "HEAD", "--fail-if", f"slower > {THRESHOLD:.0%}",
                "--budget", series.budget, "--seed", str(seed), "--out", str(folder / "runs")]  # fmt: skip
        began_s = time.monotonic()
        env = {**os.environ, "DEADHEAT_CACHE": str(folder / "cache")}
        code = ended(argv, env=env, cwd=folder / "repository", stdout=sys.stderr, timeout_s=TIMEOUT_S)
        seconds = time.monotonic() - began_s
        found = sorted((folder / "runs").glob("2*/ab.json"))
        if not found:
            raise SystemExit(f"ab_series: {' '.join(argv[1:])} ended with {code}: see above")
        return of_run(found[-1].parent, series.name, seed, iterations, seconds)


def of_run(folder: Path, series: str, seed: int, iterations: tuple[int, int], seconds: float) -> Raced:
    """What a race came to, from its folder."""
    comparison = json.loads((folder / "ab.json").read_text())
    [workload], [decided] = comparison["workloads"], comparison["conditions"]
    slower = next((one for one in workload["figures"] if one["figure"] == "slower"), None)
    [only] = source.read(RunFolder(folder)).races
    effects = list(figures.by_block(only.tally, "head", "base").values())
    looks = looks_of(only.plan)
    seen = [blocks for blocks in looks.blocks if looks.may_end(blocks) and blocks <= len(effects)]
    at = [*seen, *([len(effects)] if len(effects) > 1 and len(effects) not in seen else [])]
    return Raced(
        series=series, seed=seed, iterations=iterations, answer=workload["answer"], state=decided["state"],
        slower=slower and slower["ratio"], ci=slower and slower["ci"] and tuple(slower["ci"]),
        chances=tuple((truth, share) for truth, share in decided["chances"]),
        effects=tuple(round(one, 6) for one in effects),
        levels=tuple((blocks, looks.nominal(0.05, blocks)) for blocks in at),
        seconds=round(seconds, 1), commit=commit(ROOT), at=clock.stamp(),
    )  # fmt: skip


def exchanged(raced: Raced, times: int = EXCHANGES) -> float:
    """How often the condition fails (0 to 1) where the signs of the blocks' effects are drawn: base and head
    are one, so which of them was called head is chance. Looked at as the race was, and judged at the first
    look whose interval lies on one side of the threshold."""
    if not raced.levels:
        return 0.0
    rng = np.random.default_rng(raced.seed)
    signs = rng.choice([-1.0, 1.0], size=(times, len(raced.effects)))
    worse, edge = -signs * np.array(raced.effects), math.log1p(THRESHOLD)
    failed, over = np.zeros(times, dtype=bool), np.zeros(times, dtype=bool)
    for number, (blocks, level) in enumerate(raced.levels, 1):
        mean = worse[:, :blocks].mean(axis=1)
        error = worse[:, :blocks].std(axis=1, ddof=1) / math.sqrt(blocks)
        half = error * t_quantile(1 - level, blocks - 1)
        low, high = mean - half, mean + half
        clear = (low > edge) | (high < edge) if number < len(raced.levels) else True
        ends = ~over & clear
        failed |= ends & ((low > edge) | ((low > 0) & (mean > edge)))
        over |= ends
    return float(failed.mean())


def table(done: Sequence[Raced]) -> list[str]:
    """Of each series how many fail, hold and are open, and how often they would by their own account."""
    if not done:
        return ["Nothing was raced yet."]
    lines = [
        "| change | races | budget | fail | hold | open | told slower | median slowdown found "
        "| fails by chance, told by the races | wanted |",
        "| --- | --: | --- | --: | --: | --: | --: | --: | --: | --- |",
    ]
    for series in SERIES:
        of = [one for one in done if one.series == series.name]
        states = [sum(one.state == state for one in of) for state in ("fails", "holds", "open")]
        told = sum(one.answer == "worse" for one in of)
        found = [1 / one.slower - 1 for one in of if one.slower]
        chance = [share for one in of for truth, share in one.chances if math.isclose(truth, _near(series))]
        cells = [
            f"{len(of)} of {series.races}", series.budget, *states, told,
            f"{statistics.median(found):.1%}" if found else "-",
            f"{statistics.mean(chance):.1%} of {_near(series):.0%}" if chance else "-",
            series.wanted,
        ]  # fmt: skip
        lines.append(f"| {series.name} | {' | '.join(map(str, cells))} |")
    same = [one for one in done if one.series == SERIES[0].name]
    if same:
        rate = statistics.mean(exchanged(one) for one in same)
        drawn = f"With the signs of their blocks exchanged, {len(same) * EXCHANGES:,} times, {rate:.1%}"
        lines += ["", f"{drawn} of the races without a change fail (wanted: at most 5%)."]
    minutes = sum(one.seconds for one in done) / 60
    days = ", ".join(sorted({one.at[:10] for one in done}))
    lines += ["", f"{days}; {minutes:.0f} minutes in all, builds with them."]
    return lines


def _near(series: Series) -> float:
    """Of the truths that races tell chances of (none, the threshold, twice that) the nearest."""
    return min((0.0, THRESHOLD, 2 * THRESHOLD), key=lambda truth: abs(truth - series.worse))


def _about_s(series: Series, _seed: int, _known: tuple[int, int] | None) -> float:
    """As long as those of the series so far took, else its budget and the builds."""
    of = [one.seconds for one in read() if one.series == series.name]
    return statistics.median(of) if of else 60 * float(series.budget.removesuffix("m")) + BUILDS_S


MEASUREMENT = one_a_line.Measurement("ab_series", RACES, read, left, race, table, _about_s)


def main() -> None:
    one_a_line.main(__doc__, MEASUREMENT)


if __name__ == "__main__":
    main()
