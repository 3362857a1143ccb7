"""The long measurements behind docs/method.md, one after the other: `make calibrate-full`

    python -m bench.calibrate_full                      # all that is left, hours
    python -m bench.calibrate_full --budget 25m         # what ends within that time
    python -m bench.calibrate_full --dry-run            # what is left of each, and for how long
    python -m bench.calibrate_full --only warmed_starts # this one alone; may be given more than once

Each race is a line of a file in bench/, written when it ends: the same command goes on from there, whatever
stopped it. At the end, and at Ctrl-C too, the tables of all of them are written into docs/method.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench import (
    calibration_table,
    foreign_share,
    null_pairs,
    race_times,
    time_to_verdict,
    unlike_servers,
    warmed_starts,
)
from bench.one_a_line import METHOD, Measurement
from bench.programs import ended
from deadheat.calibration import steps, store
from deadheat.cli.values import DURATION_S
from deadheat.errors import ExitCode

CALIBRATION = "calibration"
# First what takes least: a short budget leaves something of most.
MEASUREMENTS: tuple[Measurement, ...] = (
    foreign_share.MEASUREMENT,
    unlike_servers.MEASUREMENT,
    warmed_starts.MEASUREMENT,
)
NAMES = (CALIBRATION, *(one.name for one in MEASUREMENTS))


def calibration_to_come() -> str:
    """Of `deadheat calibrate --full`; races that settle early are shorter than this says."""
    done = {race.step for race in store.read_races(calibration_table.RACES)}
    seconds = [step.estimated_s for step in steps.full() if step.name not in done]
    if not seconds:
        return "all is raced"
    return f"{len(seconds)} races left, at most {sum(seconds) / 60:.0f} min"


def calibrate(for_seconds: float) -> int:
    """`deadheat calibrate --full` for so long; its exit code."""
    deadheat = str(Path(sys.executable).with_name("deadheat"))
    budget = () if for_seconds == float("inf") else ("--budget", f"{max(1, int(for_seconds))}s")
    return ended([deadheat, "calibrate", "--full", "--races", str(calibration_table.RACES), *budget])


def measure(measurement: Measurement, for_seconds: float) -> int:
    """In a process of its own, so that no race has anything of another's in its memory; its exit code."""
    return ended([sys.executable, "-m", f"bench.{measurement.name}", f"--for-seconds={for_seconds}"])


def run(names: Sequence[str], budget_s: float) -> int:
    """Each of these as far as the time allows, whatever becomes of those before it; the first exit code that
    is not 0."""
    until, worst = time.monotonic() + budget_s, int(ExitCode.DONE)
    for name in names:
        left_s = until - time.monotonic()
        if left_s <= 0:
            break
        if name == CALIBRATION:
            code = calibrate(left_s)
        else:
            code = measure(next(one for one in MEASUREMENTS if one.name == name), left_s)
        if code == ExitCode.INTERRUPTED:
            return code
        if code != ExitCode.DONE:
            print(f"calibrate-full: {name} ended with {code}: see above", file=sys.stderr)
            worst = worst or code
    return worst


def write() -> None:
    """All tables, from the lines so far."""
    calibration_table.put(METHOD, calibration_table.render(store.read_races(calibration_table.RACES)))
    for one in MEASUREMENTS:
        one.write()
    null_pairs.write()
    race_times.write()
    time_to_verdict.write(method=METHOD)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--budget", metavar="TIME", default=None, help="in all: 25m, 2h")
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--dry-run", action="store_true", help="only say what is left")
    asked = parser.parse_args()
    names = asked.only or NAMES
    if asked.dry_run:
        for name in names:
            of = {one.name: one.to_come for one in MEASUREMENTS}.get(name, calibration_to_come)
            print(f"{name:<16} {of()}")
        return ExitCode.DONE
    try:
        return run(names, DURATION_S.convert(asked.budget, None, None) if asked.budget else float("inf"))
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    finally:
        write()


if __name__ == "__main__":
    sys.exit(main())
