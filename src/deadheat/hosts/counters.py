"""What the kernel counts of a process tree in /proc: context switches and page faults."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Counters:
    """Since the start of each. Switches are of living threads; faults of dead ones are in their process."""

    sleeps: int
    preemptions: int
    minor_faults: int
    major_faults: int

    def __sub__(self, earlier: Counters) -> Counters:
        # A thread that ends takes its switches with it.
        return Counters(
            max(0, self.sleeps - earlier.sleeps),
            max(0, self.preemptions - earlier.preemptions),
            max(0, self.minor_faults - earlier.minor_faults),
            max(0, self.major_faults - earlier.major_faults),
        )


def read(pids: Iterable[int], proc: Path = PROC) -> Counters:
    """The sums over these processes; one that has just ended counts nothing."""
    sleeps = preemptions = minor = major = 0
    for pid in pids:
        for status in proc.glob(f"{pid}/task/*/status"):
            fields = _status(_text(status))
            sleeps += fields.get("voluntary_ctxt_switches", 0)
            preemptions += fields.get("nonvoluntary_ctxt_switches", 0)
        faults = _faults(_text(proc / str(pid) / "stat"))
        minor, major = minor + faults[0], major + faults[1]
    return Counters(sleeps, preemptions, minor, major)


def _status(text: str) -> dict[str, int]:
    pairs = (line.partition(":") for line in text.splitlines() if "ctxt_switches" in line)
    return {name: int(value) for name, _, value in pairs}


def _faults(stat: str) -> tuple[int, int]:
    """minflt and majflt: fields 10 and 12 of proc(5), counted after the name, which may hold blanks."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[7]), int(fields[9])) if len(fields) > 9 else (0, 0)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
