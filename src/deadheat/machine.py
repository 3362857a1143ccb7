"""What this machine is, and which CPUs are whose."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cpus:
    """CPU sets of a race."""

    servers: tuple[int, ...]
    generators: tuple[int, ...]


def default_cpus() -> Cpus:
    """One core for the server, one for the generator; one core only is shared."""
    usable = sorted(os.sched_getaffinity(0))
    return Cpus((usable[0],), (usable[1] if len(usable) > 1 else usable[0],))


def describe() -> dict[str, object]:
    """For machine.json."""
    return {"cores": os.cpu_count(), "kernel": platform.release(), "system": platform.system()}
