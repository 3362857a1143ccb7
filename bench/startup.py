"""How long the verbs that only look take: `python -m bench.startup [--write]`, on a quiet machine.

Each command is started 21 times in a fresh process, by turns with the others; the first round warms caches
and is left out. `--write` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.load import page
from deadheat.util import clock

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 21
DEADHEAT = str(Path(sys.executable).parent / "deadheat")
COMMANDS: dict[str, tuple[tuple[str, ...], float | None]] = {
    "`python -c pass`, for comparison": ((sys.executable, "-c", "pass"), None),
    "`deadheat --help`": ((DEADHEAT, "--help"), 0.1),
    "`deadheat list`": ((DEADHEAT, "list"), 0.2),
    "`deadheat race --help`": ((DEADHEAT, "race", "--help"), None),
}


@dataclass(frozen=True)
class Start:
    """One start: its wall time and its CPU time, which a busy machine lengthens far less."""

    wall_s: float
    cpu_s: float


def measure() -> dict[str, list[Start]]:
    """Each command, round by round."""
    took: dict[str, list[Start]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, (command, _goal) in COMMANDS.items():
            began = time.perf_counter()
            child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
            _, child.returncode, used = os.wait4(child.pid, 0)
            if child.returncode:
                raise subprocess.CalledProcessError(child.returncode, command)
            took[name].append(Start(time.perf_counter() - began, used.ru_utime + used.ru_stime))
    return {name: starts[1:] for name, starts in took.items()}


def imports(*words: str) -> int:
    """How many modules a command imports."""
    say = f"import sys, atexit\nsys.argv = {['deadheat', *words]}\n" + (
        "atexit.register(lambda: sys.stderr.write(str(len(sys.modules))))\n"
        "from deadheat.cli import main\nmain()"
    )
    ran = subprocess.run([sys.executable, "-c", say], cwd=ROOT, capture_output=True, text=True, check=True)
    return int(json.loads(ran.stderr))


def table(took: dict[str, list[Start]]) -> list[str]:
    rows = [
        "| command | median, s | fastest, s | CPU, median, s | goal, s |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, starts in took.items():
        goal = COMMANDS[name][1]
        walls = [start.wall_s for start in starts]
        cpu_s = statistics.median(start.cpu_s for start in starts)
        said = goal if goal is not None else ""
        rows.append(f"| {name} | {statistics.median(walls):.3f} | {min(walls):.3f} | {cpu_s:.3f} | {said} |")
    count = f"{imports('--help')} modules are imported for `--help`, {imports('list')} for `list`"
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs"
    return [*rows, "", f"Of {ROUNDS - 1} starts each, {clock.stamp()[:10]}, {load}. {count}."]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    write = parser.parse_args().write
    lines = table(measure())
    print("\n".join(lines))
    if write:
        page.put("python -m bench.startup", lines)


if __name__ == "__main__":
    main()
