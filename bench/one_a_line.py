"""Long measurements, one race a line of a file: a call goes on where the last one ended."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from deadheat.errors import ExitCode
from deadheat.hosts.held import this_host
from deadheat.util.interrupt import InterruptedRunError

from .load import page

METHOD = Path("docs/method.md")


def machine() -> str:
    """What ratios depend on, in words."""
    here = this_host().machine(window_s=0)
    return f"{here.cpu_model}, {here.cores} cores"


@dataclass(frozen=True)
class Measurement:
    """A module of bench, by its `name`: `race` runs what `left` names next and gives a line of `races`,
    `table` says what the lines so far add up to. `about_s`: how long one that is left takes, seconds. A line
    has the `machine` that it was raced on; those of two are not put together. `page`: where the table stands.
    """

    name: str
    races: Path
    read: Callable[[], Sequence[Any]]
    left: Callable[[Sequence[Any]], Iterator[tuple[Any, ...]]]
    race: Callable[..., Any]
    table: Callable[[Sequence[Any]], list[str]]
    about_s: Callable[..., float]
    page: Path = METHOD

    def to_come(self) -> str:
        """How many races are left at least, and for how long: `7 races left, about 21 minutes`."""
        seconds = [self.about_s(*following) for following in self.left(self.read())]
        if not seconds:
            return "all is raced"
        races = "1 race" if len(seconds) == 1 else f"{len(seconds)} races"
        return f"{races} left, about {math.ceil(sum(seconds) / 60)} min"

    def go_on(self, for_seconds: float) -> bool:
        """Race after race while one is likely to end within that time; whether nothing is left."""
        until, here = time.monotonic() + for_seconds, machine()
        elsewhere = {one.machine for one in self.read()} - {None, here}
        if elsewhere:
            raise SystemExit(
                f"{self.races}: holds races of another machine ({', '.join(sorted(elsewhere))}), and this is "
                f"{here}: put it aside, and the same command starts over"
            )
        while (following := next(self.left(self.read()), None)) is not None:
            takes_s = self.about_s(*following)
            if time.monotonic() + takes_s > until:
                self._say(
                    f"{self.to_come()}; the next takes about {takes_s:.0f} s, longer than there is time"
                )
                return False
            self._say(self.to_come())
            raced = replace(self.race(*following), machine=here)
            with self.races.open("a") as file:
                print(json.dumps(asdict(raced)), file=file)
        return True

    def write(self) -> None:
        """Put the table between its marks in its page."""
        page.put(f"python -m bench.{self.name}", self.table(self.read()), self.page)

    def _say(self, what: str) -> None:
        print(f"{self.name}: {what}", file=sys.stderr, flush=True)


def main(doc: str | None, measurement: Measurement) -> None:
    """Goes on until nothing is left or the time is up, and prints the table.

    With --write it only puts the table into its page, with --dry-run it only says what is left.
    """
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument(
        "--for-seconds", type=float, default=math.inf, help="begin no race that would not end within that"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"only put the tables into {measurement.page.name}"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what is left, and for how long")
    asked = parser.parse_args()
    if asked.write:
        measurement.write()
        return
    if asked.dry_run:
        print(measurement.to_come())
        return
    try:
        measurement.go_on(asked.for_seconds)
    except (InterruptedRunError, KeyboardInterrupt):
        raise SystemExit(ExitCode.INTERRUPTED) from None
    print("\n".join(measurement.table(measurement.read())))
