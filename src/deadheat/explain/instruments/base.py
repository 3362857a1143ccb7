"""What an instrument is, and the tools that some of them need."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from deadheat.build import command
from deadheat.explain.reading import Missing, Reading
from deadheat.run.kind import Stage


@dataclass(frozen=True)
class Bench:
    """What an instrument works with: the stage, how long to load, and a folder for what it leaves."""

    stage: Stage
    seconds: float
    folder: Path

    def file(self, entry: str, ending: str) -> Path:
        """A file of a tool's about an entry, beside its logs."""
        return self.stage.logs / f"{entry.replace(':', '+')}{ending}"


class Instrument(Protocol):
    """One way to look at a contender. Each has a short run of its own, so that none disturbs another."""

    @property
    def name(self) -> str:
        """In file names and in what is missing."""

    @property
    def title(self) -> str:
        """What it looks at, in a clause."""

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        """Why it cannot look at this contender here; None where it can."""

    def observe(self, bench: Bench, entry: str) -> Reading:
        """Look. Raises InstrumentError."""


# The Debian package that has a tool.
PACKAGES = {
    "strace": "strace",
    "perf": "linux-perf",
    "valgrind": "valgrind",
    "ss": "iproute2",
    "jcmd": "default-jdk",
    "readelf": "binutils",
}


def tool(name: str) -> Missing | None:
    """Whether a tool is on the path."""
    if shutil.which(name, path=command.path()):
        return None
    return Missing(f"{name} not found", f"Debian: apt-get install {PACKAGES[name]}")


class Tooled:
    """An instrument that is one program, which only has to be there."""

    name: str

    def missing(self, bench: Bench, entry: str) -> Missing | None:
        """Whether it is on the path."""
        return tool(self.name.split()[0])
