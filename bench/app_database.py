"""The database of the application by itself: what a fresh one costs a block, and how much one does at most.

    python -m bench.app_database            # some four minutes, on a quiet machine
    python -m bench.app_database --write    # and puts both tables into docs/app.md

Fresh: a PostgreSQL is started and a database made on it for each of 13 entries, as at the beginning of a
block of 12 stacks, 11 times for each workload; the first, in which `initdb` runs, is left out. At most:
pgbench asks what the workload's requests ask, prepared, over 16 sessions, on the CPUs that the load has in a
race, and does nothing with it; what one request takes is sent at once and with one Sync, which no stack may
do. Medians of three runs.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.load import page
from deadheat.hosts.affinity import on_cpus
from deadheat.hosts.local import LocalHost
from deadheat.kinds import alone
from deadheat.kinds.services import databases
from deadheat.kinds.services import start as services
from deadheat.run.kind import Stage
from deadheat.suite.suite import Suite, load
from deadheat.util import clock
from deadheat.util.interrupt import Stop

ROOT = Path(__file__).resolve().parents[1]
ENTRIES = tuple(f"entry {number}" for number in range(13))
BLOCKS = 11
GOAL_S = 0.3
SESSIONS, SECONDS, RUNS = 16, 5, 3
# Of each session its own rows: no two wait for one another.
ROWS = "".join(
    f"\\set id{n} 600 * :client_id + 30 * {n} + random(1, 30)\n\\set value{n} random(1, 10000)\n"
    for n in range(20)
)
READ = "".join(f"SELECT id, randomnumber FROM world WHERE id = :id{n};\n" for n in range(20))
NEW = ", ".join(f"(:id{n}::integer, :value{n}::integer)" for n in range(20))
WRITE = (
    f"UPDATE world SET randomnumber = new.value FROM (VALUES {NEW}) AS new (id, value)"
    " WHERE world.id = new.id;\n"
)
SCRIPTS = {
    "app-db": "\\set id random(1, 10000)\nSELECT id, randomnumber FROM world WHERE id = :id;\n",
    "app-queries": f"{ROWS}\\startpipeline\n{READ}\\endpipeline\n",
    "app-updates": f"{ROWS}\\startpipeline\n{READ}{WRITE}\\endpipeline\n",
    "app-fortunes": "SELECT id, message FROM fortune;\n",
}


@dataclass(frozen=True)
class Made:
    """Seconds until a PostgreSQL answered, until all databases were on it, and until it had stopped."""

    started_s: float
    filled_s: float
    stopped_s: float

    @property
    def each_s(self) -> float:
        """What a database takes of all that."""
        return (self.started_s + self.filled_s + self.stopped_s) / len(ENTRIES)


@contextmanager
def staged(suite: Suite, workload: str) -> Iterator[Stage]:
    """A workload's stage, nobody on it."""
    with LocalHost() as host, tempfile.TemporaryDirectory(prefix="deadheat-bench-") as logs:
        yield alone.stage(suite, workload, host=host, stop=Stop(), logs=Path(logs))


def fresh(suite: Suite, workload: str) -> Iterator[Made]:
    """Block after block, all but the first."""
    with staged(suite, workload) as stage:
        for number in range(BLOCKS):
            began = time.perf_counter()
            with ExitStack() as stack:
                there, running = services.beside(stage, stack, ENTRIES)
                started = time.perf_counter()
                databases.beside(there, running, stack, ENTRIES, f"fresh:{number}")
                filled = time.perf_counter()
            if number:
                yield Made(started - began, filled - started, time.perf_counter() - filled)


def fresh_row(workload: str, blocks: list[Made]) -> str:
    """Medians of its blocks, and the slowest of what a database took."""
    parts = [
        [getattr(one, part) for one in blocks] for part in ("started_s", "filled_s", "stopped_s", "each_s")
    ]
    slowest = max(parts[-1])
    return (
        f"| {workload} | {' | '.join(f'{statistics.median(part):.3f}' for part in parts)} | {slowest:.3f} |"
    )


def at_most(suite: Suite, workload: str) -> float:
    """So many requests a second. Raises CalledProcessError where pgbench fails."""
    with staged(suite, workload) as stage, ExitStack() as stack:
        there, running = services.beside(stage, stack, ENTRIES[:1])
        there, _ = databases.beside(there, running, stack, ENTRIES[:1], "at most")
        script = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "script.sql"
        script.write_text(SCRIPTS[workload])
        url = str(there.of_entries[ENTRIES[0]]["database_url"])
        argv = [
            "pgbench",
            "-n",
            "-M",
            "prepared",
            "-c",
            str(SESSIONS),
            "-T",
            str(SECONDS),
            "-f",
            str(script),
            url,
        ]
        found = []
        with on_cpus(stage.plan.generator_cpus):
            for _ in range(RUNS):
                ended = subprocess.run(argv, check=True, capture_output=True, text=True)
                said = re.search(r"^tps = ([\d.]+)", ended.stdout, re.MULTILINE)
                assert said is not None, ended.stdout
                found.append(float(said[1]))
    return statistics.median(found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="put the tables into docs/app.md")
    write = parser.parse_args().write
    suite = load(ROOT / "suite")
    lines = [
        f"| seconds of a block | PostgreSQL starts | {len(ENTRIES)} databases are made | it stops "
        "| of all this a database | at most |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    with_one = sorted(name for name, workload in suite.workloads.items() if workload.database is not None)
    lines += [fresh_row(name, list(fresh(suite, name))) for name in with_one]
    lines += ["", f"Of {BLOCKS - 1} blocks each, {clock.stamp()[:10]}; the goal is {GOAL_S} s a database."]
    lines += ["", "| the database alone, by pgbench | requests/s |", "| --- | --: |"]
    lines += [f"| {name} | {at_most(suite, name):,.0f} |" for name in SCRIPTS]
    print("\n".join(lines))
    if write:
        page.put("python -m bench.app_database", lines, ROOT / "docs" / "app.md")


if __name__ == "__main__":
    main()
