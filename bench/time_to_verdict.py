"""Wall time to a verdict: this tree against a checkout of another commit, the same planted pair, in turn.

    git worktree add ../before f6a1ed6 && make -C ../before setup
    python -m bench.time_to_verdict ../before [--races 10] [--for-seconds 280] [--out FILE.jsonl]
    python -m bench.time_to_verdict --write            # the table of docs/method.md, from the races so far

The pair are two copies of one server; the second does 3% more of a counted work of about 100 us a request.
Each tree races it at margin 0 with its own referee and generator, but the servers are this tree's program
for both. A race is a line of FILE, flushed when it ends: a call goes on where the last one ended. Printed
are, of each tree, the median wall time of its races and how many were right, and the ratio of the medians.
A race is right where plain is called faster, and wrong or open else; its time counts all the same.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .load import page
from .one_a_line import METHOD
from .programs import ended

ROOT = Path(__file__).parents[1]
RACES = ROOT / "bench" / "time_to_verdict.jsonl"
TREES = ("this tree", "the other")
PLANTED, WORK_US, MARGIN = 0.03, 100.0, "0"
PLAIN, SLOWER = "plain", "slower"
# Of the pilot: iterations long enough for serving itself to be nothing beside them, and how often.
PILOT, TRIES = 5_000_000, 7
READY_S = 30.0
MANIFEST = """\
title = "Planted"
question = "Is a known difference found?"
kind = "http"
metric = "throughput_rps"
reference = "plain"
[request]
path = "/{token}"
[load]
connections = 32
[[conformance]]
path = "/{token}"
body = "Hello from {token}!"
"""


@dataclass(frozen=True)
class Race:
    """One race of a tree: its wall time from the command's start to its end, and what it came to. `ratio` is
    how many times as fast plain was called, with its interval; `iterations` of both servers."""

    tree: str
    commit: str
    seed: int
    seconds: float
    blocks: int
    verdict: str
    ratio: float | None
    ci: tuple[float, float] | None
    right: bool
    iterations: tuple[int, int]


def read(file: Path) -> list[Race]:
    """The whole lines of a file, none where there is none; a torn last line is left out."""
    if not file.exists():
        return []
    return [_race(json.loads(line)) for line in file.read_text().split("\n")[:-1]]


def _race(found: dict[str, Any]) -> Race:
    pairs = {name: tuple(found[name]) for name in ("ci", "iterations") if found[name] is not None}
    return Race(**{**found, **pairs})


def following(races: Sequence[Race], trees: Sequence[str], wanted: int) -> tuple[str, int] | None:
    """Whose race is next, and its seed, the same for both trees; None where all have as many as wanted.

    Who begins changes from pair to pair, so that a machine that warms up is nobody's friend.
    """
    done = {tree: sum(race.tree == tree for race in races) for tree in trees}
    fewest = min(done.values())
    if fewest >= wanted:
        return None
    order = list(trees) if fewest % 2 == 0 else list(reversed(trees))
    return next(tree for tree in order if done[tree] == fewest), fewest


def table(races: Sequence[Race], trees: Sequence[str]) -> list[str]:
    """A line a tree, and the ratio of this tree's median to the other's, where both have one."""
    lines, medians = [], []
    for tree in trees:
        of = [race for race in races if race.tree == tree]
        if not of:
            lines.append(f"{tree}: no race yet")
            continue
        seconds = [race.seconds for race in of]
        medians.append(statistics.median(seconds))
        blocks = statistics.median(race.blocks for race in of)
        lines.append(
            f"{tree} ({of[-1].commit[:7]}): median {medians[-1]:.0f} s ({min(seconds):.0f} to "
            f"{max(seconds):.0f}), {blocks:g} blocks, {sum(race.right for race in of)} of {len(of)} right"
        )
    if len(medians) == len(trees):
        lines.append(f"ratio of the medians: {medians[0] / medians[1]:.2f}")
    return lines


def outcome(results: dict[str, Any]) -> tuple[str, float | None, tuple[float, float] | None, int]:
    """Of a run's results.json, whatever its schema: the verdict on the pair, plain's ratio, the blocks."""
    (workload,) = results["workloads"]
    found = next((v for v in workload["verdicts"] if {v["a"], v["b"]} == {PLAIN, SLOWER}), None)
    if found is None:
        return "none", None, None, workload["blocks"]
    ratio, ci = found["ratio"], found["ci"]
    if found["a"] != PLAIN and ratio is not None:
        ratio, ci = 1 / ratio, None if ci is None else (1 / ci[1], 1 / ci[0])
    word = found["verdict"] if found["verdict"] != "faster" else f"{found['a']} is faster"
    return word, ratio, None if ci is None else (ci[0], ci[1]), workload["blocks"]


def suite(folder: Path, program: Path, iterations: Sequence[int]) -> None:
    """Both servers, each a known number of iterations a request, of one program."""
    for name, count in zip((PLAIN, SLOWER), iterations, strict=True):
        contender = folder / "planted" / name
        contender.mkdir(parents=True)
        (contender / "contender.toml").write_text(
            f'title = "{name}"\nlanguage = "Rust"\nclass = "idiomatic"\ndefault = true\n'
            f'run = "{program} serve http --port {{port}} --burn-iters {count}"\n'
        )
    (folder / "planted" / "workload.toml").write_text(MANIFEST)


def counted(program: Path) -> tuple[int, int]:
    """Iterations of plain, which are some WORK_US of work here, and of the slower one."""
    argv = [str(program), "serve", "http", "--port", "0", "--burn-iters", str(PILOT)]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            said = re.search(r"\S*:(\d+)", server.stderr.readline())
            if said is None:
                raise SystemExit(f"{program} does not say where it serves")
            took_s = min(_asked_s(int(said[1])) for _ in range(TRIES))
        finally:
            server.terminate()
    plain = round(WORK_US * PILOT / (took_s * 1e6))
    return plain, round(plain * (1 + PLANTED))


def _asked_s(port: int) -> float:
    began_s = time.perf_counter()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/a", timeout=READY_S) as answer:
        answer.read()
    return time.perf_counter() - began_s


def raced(tree: str, checkout: Path, folder: Path, suite_folder: Path, seed: int,
          iterations: tuple[int, int]) -> Race:  # fmt: skip
    """One race by a tree's own `deadheat`, builds and ledger in a cache of its own."""
    argv = [str(checkout / ".venv" / "bin" / "deadheat"), "race", "planted", "--suite", str(suite_folder)]
    argv += ["--margin", MARGIN, "--seed", str(seed), "--out", str(folder / "runs")]
    began_s = time.monotonic()
    env = {**os.environ, "DEADHEAT_CACHE": str(folder / "cache")}
    code = ended(argv, env=env, cwd=checkout, stdout=sys.stderr)
    seconds = time.monotonic() - began_s
    files = sorted((folder / "runs").glob("2*/results.json"))
    if not files:
        raise SystemExit(f"{' '.join(argv)} ended with {code}: see above")
    verdict, ratio, ci, blocks = outcome(json.loads(files[-1].read_text()))
    right = verdict == f"{PLAIN} is faster"
    return Race(
        tree, commit(checkout), seed, round(seconds, 1), blocks, verdict, ratio, ci, right, iterations
    )


def commit(checkout: Path) -> str:
    found = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def write(races: Path = RACES, method: Path = METHOD) -> None:
    """Put the table between its marks in docs/method.md."""
    done = read(races)
    lines = [f"- {line}" for line in table(done, TREES)] if done else ["Nothing was raced yet."]
    page.put("python -m bench.time_to_verdict", lines, method)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "other", type=Path, nargs="?", help="a checkout of another commit, set up (make setup)"
    )
    parser.add_argument("--races", type=int, default=10, help="of each tree, in all")
    parser.add_argument("--for-seconds", type=float, default=math.inf, help="no race begins after so long")
    parser.add_argument("--out", type=Path, default=RACES)
    parser.add_argument("--write", action="store_true", help="only put the table into docs/method.md")
    asked = parser.parse_args()
    if asked.write:
        write(asked.out)
        return
    if asked.other is None:
        parser.error("which checkout to race against")
    until_s = time.monotonic() + asked.for_seconds
    checkouts = dict(zip(TREES, (ROOT, asked.other.resolve()), strict=True))
    program = Path(sys.executable).parent / "deadheat-load"
    races = read(asked.out)
    iterations = races[-1].iterations if races else counted(program)
    while time.monotonic() < until_s:
        turn = following(races, list(checkouts), asked.races)
        if turn is None:
            break
        tree, seed = turn
        with tempfile.TemporaryDirectory(prefix="deadheat-verdict-") as scratch:
            folder = Path(scratch)
            suite(folder / "suite", program, iterations)
            race = raced(tree, checkouts[tree], folder, folder / "suite", seed, iterations)
        with asked.out.open("a") as out:
            out.write(json.dumps(asdict(race)) + "\n")
        races.append(race)
        print(f"{race.tree}: {race.seconds:.0f} s, {race.blocks} blocks, {race.verdict}", flush=True)
    print("\n".join(table(races, list(checkouts))))


if __name__ == "__main__":
    main()
