"""What Ray leaves in a process of its own, taken back: whoever is raced there is to start as anywhere."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

OWN = Path("/proc/self")
# Set for whoever computes with threads; builds and contenders are to see what the machine says.
THREADS = "OMP_NUM_THREADS"


@dataclass(frozen=True, slots=True)
class Inherited:
    """What programs started by this process inherit: `nice` (-20 to 19) and `oom_score_adj` (-1000 to 1000,
    who is killed first where memory runs out)."""

    nice: int
    oom_score_adj: int


def now() -> Inherited:
    """Of this process."""
    return Inherited(os.getpriority(os.PRIO_PROCESS, 0), int((OWN / "oom_score_adj").read_text()))


def taken_back() -> tuple[Inherited, Inherited]:
    """Before and after: as a login shell has them, as far as this user may."""
    before = now()
    for thread in threads():
        try:
            os.setpriority(os.PRIO_PROCESS, thread, 0)
        except PermissionError:
            break  # it stays as it is, and is said
        except ProcessLookupError:
            continue
    with suppress(PermissionError):
        (OWN / "oom_score_adj").write_text("0")
    os.environ.pop(THREADS, None)
    return before, now()


def bind(cpus: Collection[int]) -> None:
    """All of this process to these CPUs: Ray's threads too, which else would run on the servers'."""
    for thread in threads():
        try:
            os.sched_setaffinity(thread, cpus)
        except ProcessLookupError:
            continue


def kernel() -> str:
    """The boot of this machine, and which processes of it are seen here."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot} {(OWN / 'ns' / 'pid').readlink()}"


def threads() -> Iterator[int]:
    """Of this process."""
    return (int(entry.name) for entry in (OWN / "task").iterdir())
