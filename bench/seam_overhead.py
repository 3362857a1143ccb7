"""What a block takes beside its load, by this tree and by a checkout of another commit, in turn.

    git worktree add ../before 9f4b4f3
    python -m bench.seam_overhead ../before [--blocks 20] [--for-seconds 450]

9f4b4f3 is the commit before hosts became a seam that all goes through. Both trees race the same two servers
by this interpreter and this tree's own programs, with the same seeds, so that only the referee differs. What
a block takes beside its load is its wall time less that of every turn: starts, checks, warming up,
freezing and thawing, counters read, lines written. Of both trees the median, and the ratio of the geometric
means over blocks with its 95% interval.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t as student

from .time_to_verdict import PLAIN, SLOWER, suite

ROOT = Path(__file__).parents[1]
BUDGET_S = 45
ITERATIONS = (30_000, 36_000)


def blocks_beside(lines: Iterable[Mapping[str, Any]]) -> list[tuple[float, float, int]]:
    """Of each block of a journal its wall time and what of it was no load, seconds, and its turns."""
    load_s: dict[int, float] = defaultdict(float)
    turns: dict[int, int] = defaultdict(int)
    found = []
    for line in lines:
        kind = line["type"]
        if kind == "slice":
            load_s[line["block"]] += (line["drained_ns"] - line["started_ns"]) / 1e9
            turns[line["block"]] += 1
        elif kind == "open-loop":
            load_s[line["block"]] += (line.get("counted_ms") or 0) / 1e3
        elif kind == "interference":
            wall_s = line["wall_ns"] / 1e9
            found.append((wall_s, wall_s - load_s[line["block"]], turns[line["block"]]))
    return found


def raced(checkout: Path, seed: int) -> list[tuple[float, float, int]]:
    """The blocks of one race by a tree's own Python, its cache its own."""
    program = Path(sys.executable).parent / "deadheat-load"
    with tempfile.TemporaryDirectory(prefix="deadheat-seam-") as scratch:
        folder = Path(scratch)
        suite(folder / "suite", program, ITERATIONS)
        call = "from deadheat.cli import main; main()"
        argv = [sys.executable, "-c", call, "race", "planted", "-c", PLAIN, "-c", SLOWER, "--to-the-end",
                "--budget", f"{BUDGET_S}s", "--seed", str(seed), "--suite", str(folder / "suite"),
                "--out", str(folder / "runs")]  # fmt: skip
        env = {**os.environ, "PYTHONPATH": str(checkout / "src"), "DEADHEAT_CACHE": str(folder / "cache")}
        ended = subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True, check=False)
        journals = list((folder / "runs").glob("2*/journal.jsonl"))
        if not journals:
            raise SystemExit(f"{checkout}: {' '.join(argv)} ended with {ended.returncode}:\n{ended.stderr}")
        return blocks_beside(map(json.loads, journals[0].read_text().splitlines()))


def compared(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """The ratio of the geometric means, with its 95% interval (Welch)."""
    logs = [np.log(np.array(of)) for of in (ours, theirs)]
    squared = [float(np.var(of, ddof=1)) / len(of) for of in logs]
    log, error = float(logs[0].mean() - logs[1].mean()), math.sqrt(sum(squared))
    freedom = sum(squared) ** 2 / sum(s**2 / (len(of) - 1) for s, of in zip(squared, logs, strict=True))
    half = float(student.ppf(0.975, freedom)) * error
    return math.exp(log), math.exp(log - half), math.exp(log + half)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="a checkout of another commit")
    parser.add_argument("--blocks", type=int, default=20, help="of each tree")
    parser.add_argument("--for-seconds", type=float, default=math.inf, help="no race begins after so long")
    asked = parser.parse_args()
    until_s = time.monotonic() + asked.for_seconds
    trees = {"this tree": ROOT, "the other": asked.other.resolve()}
    found: dict[str, list[tuple[float, float, int]]] = {name: [] for name in trees}
    seed = 0
    while min(map(len, found.values())) < asked.blocks and time.monotonic() < until_s:
        # Who begins changes from pair to pair, so that a machine that warms up is nobody's friend.
        for name in sorted(trees, reverse=bool(seed % 2)):
            found[name] += raced(trees[name], seed)
        seed += 1
    for name, blocks in found.items():
        wall_s, beside_s = (float(np.median([block[at] for block in blocks])) for at in (0, 1))
        turns = sorted({block[2] for block in blocks})
        said = f"{turns[0]}" if len(turns) == 1 else f"{turns[0]} to {turns[-1]}"
        print(f"{name}: {len(blocks)} blocks of {wall_s:.2f} s and {said} turns, {beside_s:.2f} s no load")
    ours, theirs = ([block[1] for block in found[name]] for name in trees)
    ratio, low, high = compared(ours, theirs)
    print(f"beside its load a block takes {ratio:.3f} times as long ({low:.3f} to {high:.3f})")
    ours, theirs = ([block[0] for block in found[name]] for name in trees)
    ratio, low, high = compared(ours, theirs)
    print(f"a block takes {ratio:.3f} times as long in all ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
