"""Commands run side by side, each part's output kept apart: what `make test` is made of.

Usage: side_by_side.py LOGS NAME=COMMAND...

While they run, a line now and then says where each is. When one ends, its last lines are printed, or all of
them where it failed. Whole outputs are left in LOGS/NAME.log. Exits 1 where any failed; Ctrl-C ends all.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

EVERY_S = 30.0
POLL_S = 0.2
GRACE_S = 20.0
LAST_LINES = 60
# Progress of the runners, in lines that say nothing once all is over.
NOISE = re.compile(r"\s*|[.\w]+ +\[ *\d+%\]|[.siFEx]+( *\d+/\d+)?|running \d+ tests?|bringing up nodes.*")


@dataclass
class Part:
    """A command under way, in a process group of its own."""

    name: str
    log: Path
    process: subprocess.Popen[bytes]
    began: float

    @property
    def seconds(self) -> str:
        minutes, seconds = divmod(round(time.monotonic() - self.began), 60)
        return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"

    def lines(self) -> list[str]:
        return self.log.read_text(errors="replace").splitlines()

    def last_line(self) -> str:
        lines = [line.strip() for line in self.lines() if line.strip()]
        return lines[-1][-60:] if lines else "begins"

    def signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return


def started(logs: Path, asked: str) -> Part:
    name, command = asked.split("=", 1)
    log = logs / f"{name.replace(' ', '-')}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["sh", "-c", f"exec {command}"],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Part(name, log, process, time.monotonic())


def reported(part: Part) -> bool:
    """Print what came of a part that has ended: whether it went well."""
    well = part.process.returncode == 0
    lines = part.lines()
    shown = [line for line in lines if not NOISE.fullmatch(line)][-LAST_LINES:] if well else lines
    print(f"\n== {part.name}: {'passed' if well else 'FAILED'} in {part.seconds}", flush=True)
    print("\n".join(f"  {line}" for line in shown), flush=True)
    return well


def end(parts: list[Part]) -> None:
    """Ctrl-C for all; what goes on after that is killed."""
    for part in parts:
        part.signal(signal.SIGINT)
    until = time.monotonic() + GRACE_S
    while any(part.process.poll() is None for part in parts) and time.monotonic() < until:
        time.sleep(POLL_S)
    for part in parts:
        part.signal(signal.SIGKILL)
        part.process.wait()


class Stop:
    """Whether Ctrl-C was pressed. A flag, since an exception could come between a start and its record."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True


def watch(running: list[Part], stop: Stop) -> list[str]:
    """Until all have ended or a stop is asked for: the names of those that failed."""
    failed = []
    spoke = time.monotonic()
    while running and not stop.asked:
        time.sleep(POLL_S)
        for part in [part for part in running if part.process.poll() is not None]:
            running.remove(part)
            if not reported(part):
                failed.append(part.name)
            spoke = time.monotonic()
        if running and time.monotonic() - spoke > EVERY_S:
            print("; ".join(f"{part.name}: {part.last_line()}" for part in running), flush=True)
            spoke = time.monotonic()
    return failed


def main() -> int:
    logs = Path(sys.argv[1])
    logs.mkdir(parents=True, exist_ok=True)
    stop = Stop()
    running: list[Part] = []
    try:
        for asked in sys.argv[2:]:
            running.append(started(logs, asked))
        failed = watch(running, stop)
        if stop.asked:
            print("\nstopped:", ", ".join(part.name for part in running), flush=True)
            return 130
    finally:
        end(running)
    print(f"\n{'failed: ' + ', '.join(failed) if failed else 'all passed'} (whole outputs: {logs})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
