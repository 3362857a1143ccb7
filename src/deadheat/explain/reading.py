"""What an instrument found out about one contender."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Missing:
    """An instrument that cannot be had: why, and what to type to have it."""

    why: str
    install: str | None = None

    def __str__(self) -> str:
        return f"{self.why} ({self.install})" if self.install else self.why


class InstrumentError(Exception):
    """An instrument that was there and failed: the message says why, in a clause."""


@dataclass(frozen=True)
class Reading:
    """Figures by the key of their quantity, each for one request (or one run of a program).

    `calls` are system calls by name, `frames` HTTP/2 frames by type and side, `functions` CPU time by
    function (µs), `facts` findings in words, for patterns. `throughput_rps` (`wall_s` of a program) is
    what was reached under this instrument, so its cost; None where it has no such figure.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    calls: Mapping[str, float] = field(default_factory=dict)
    functions: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, float] = field(default_factory=dict)
    throughput_rps: float | None = None
    wall_s: float | None = None


@dataclass(frozen=True)
class Observed:
    """One instrument on one contender: a reading, or why there is none."""

    instrument: str
    contender: str
    reading: Reading | None
    missing: Missing | None = None
