"""The machine's own counters around a block: what else went on while we measured."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from deadheat.machine import ROOT, cpu_cgroups
from deadheat.model.observation import Surroundings

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Frequencies (kHz) and the ticks spent at each.
States = tuple[tuple[int, int], ...]
# With either, a process's CPU time is without the interrupts that came meanwhile.
_INTERRUPTS_APART = ("CONFIG_IRQ_TIME_ACCOUNTING=y", "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y")


@dataclass(frozen=True)
class Reading:
    """Counters at one moment; times in nanoseconds, those of CPUs summed over the CPUs asked for."""

    at_ns: int
    wall_clock_ns: int
    user_ns: int
    lower_priority_ns: int
    system_ns: int
    interrupts_ns: int
    iowait_ns: int
    steal_ns: int
    own_ns: int
    swapped_in_bytes: int | None
    swapped_out_bytes: int | None
    throttled: int | None
    throttled_ns: int | None
    frequency: States | None


def read(cpus: Collection[int], root: Path = ROOT, pid: int | None = None) -> Reading:
    """Now. `pid` is the root of our process tree, this process where it is not said."""
    user, nice, system, _idle, iowait, irq, softirq, steal = _cpu_ticks(cpus, root)
    swapped_in, swapped_out = _swapped(root)
    throttled, throttled_ns = _throttled(root)
    return Reading(
        at_ns=time.monotonic_ns(),
        wall_clock_ns=time.time_ns(),
        user_ns=user * TICK_NS,
        lower_priority_ns=nice * TICK_NS,
        system_ns=system * TICK_NS,
        interrupts_ns=(irq + softirq) * TICK_NS,
        iowait_ns=iowait * TICK_NS,
        steal_ns=steal * TICK_NS,
        own_ns=_tree_ticks(root, os.getpid() if pid is None else pid) * TICK_NS,
        swapped_in_bytes=swapped_in,
        swapped_out_bytes=swapped_out,
        throttled=throttled,
        throttled_ns=throttled_ns,
        frequency=_time_in_state(cpus, root),
    )


def between(
    before: Reading,
    after: Reading,
    *,
    workload: str,
    block: int,
    cpus: Collection[int],
    niced: bool | None = None,
    interrupts_apart: bool | None = None,
) -> Surroundings:
    """What went on from one reading to the other.

    `niced` says whether we run at low priority ourselves (then other such work is no less than ours),
    `interrupts_apart` whether this kernel keeps interrupts out of a process's CPU time; by default as is.
    """
    niced = os.getpriority(os.PRIO_PROCESS, 0) > 0 if niced is None else niced
    interrupts_apart = _interrupts_apart() if interrupts_apart is None else interrupts_apart
    lower = after.lower_priority_ns - before.lower_priority_ns
    interrupts = after.interrupts_ns - before.interrupts_ns
    usual = after.user_ns - before.user_ns + after.system_ns - before.system_ns
    own = after.own_ns - before.own_ns
    # The loopback's interrupts are our own load: where a process's time holds them, both sides must.
    judged = usual + (0 if interrupts_apart else interrupts) + (lower if niced else 0)
    return Surroundings(
        workload=workload,
        block=block,
        cpus=tuple(sorted(cpus)),
        wall_ns=after.at_ns - before.at_ns,
        busy_ns=usual + lower + interrupts,
        own_ns=own,
        others_ns=max(0, judged - own),
        lower_priority_ns=0 if niced else lower,
        steal_ns=after.steal_ns - before.steal_ns,
        iowait_ns=max(0, after.iowait_ns - before.iowait_ns),
        swapped_in_bytes=_difference(before.swapped_in_bytes, after.swapped_in_bytes),
        swapped_out_bytes=_difference(before.swapped_out_bytes, after.swapped_out_bytes),
        throttled=_difference(before.throttled, after.throttled),
        throttled_ns=_difference(before.throttled_ns, after.throttled_ns),
        frequency_mhz=_mean_mhz(before.frequency, after.frequency),
        clock_step_ns=(after.wall_clock_ns - before.wall_clock_ns) - (after.at_ns - before.at_ns),
    )


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _cpu_ticks(cpus: Collection[int], root: Path) -> list[int]:
    """user, nice, system, idle, iowait, irq, softirq, steal of /proc/stat (proc_stat(5))."""
    names = {f"cpu{cpu}" for cpu in cpus}
    total = [0] * 8
    for line in _text(root / "proc/stat").splitlines():
        name, *numbers = line.split()
        if name in names:
            padded = [int(number) for number in numbers[:8]] + [0] * (8 - len(numbers[:8]))
            total = [a + b for a, b in zip(total, padded, strict=True)]
    return total


def _tree_ticks(root: Path, pid: int) -> int:
    """CPU time of a process and all its descendants, with that of children they have waited for."""
    spent: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for folder in (root / "proc").iterdir():
        fields = _text(folder / "stat").rpartition(")")[2].split() if folder.name.isdigit() else []
        if len(fields) > 14:
            spent[int(folder.name)] = sum(int(field) for field in fields[11:15])
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    total, tree = 0, [pid]
    while tree:
        member = tree.pop()
        total += spent.get(member, 0)
        tree += children.get(member, [])
    return total


def _swapped(root: Path) -> tuple[int | None, int | None]:
    """Bytes swapped in and out since the machine started."""
    words = dict(line.split()[:2] for line in _text(root / "proc/vmstat").splitlines() if " " in line)
    if "pswpin" not in words:
        return None, None
    return int(words["pswpin"]) * PAGE_BYTES, int(words["pswpout"]) * PAGE_BYTES


def _throttled(root: Path) -> tuple[int | None, int | None]:
    """How often and how long our cgroups were stopped for having used up their quota."""
    found = []
    for folder in cpu_cgroups(root):
        words = dict(line.split()[:2] for line in _text(folder / "cpu.stat").splitlines() if " " in line)
        if "nr_throttled" in words:
            # Version 2 tells microseconds, version 1 nanoseconds.
            ns = int(words["throttled_usec"]) * 1000 if "throttled_usec" in words else None
            found.append((int(words["nr_throttled"]), ns if ns is not None else int(words["throttled_time"])))
    if not found:
        return None, None
    return sum(count for count, _ in found), sum(ns for _, ns in found)


def _time_in_state(cpus: Collection[int], root: Path) -> States | None:
    """Of each state of each CPU; None where that is not told."""
    states: list[tuple[int, int]] = []
    for cpu in sorted(cpus):
        path = root / f"sys/devices/system/cpu/cpu{cpu}/cpufreq/stats/time_in_state"
        rows = (line.split() for line in _text(path).splitlines())
        states += [(int(row[0]), int(row[1])) for row in rows if len(row) == 2]
    return tuple(states) or None


def _mean_mhz(before: States | None, after: States | None) -> float | None:
    if before is None or after is None or len(before) != len(after):
        return None
    spent = [(khz, late - early) for (khz, early), (_, late) in zip(before, after, strict=True)]
    total = sum(ticks for _, ticks in spent)
    return sum(khz * ticks for khz, ticks in spent) / total / 1000 if total else None


@lru_cache(maxsize=1)
def _interrupts_apart() -> bool:
    """Whether a process's CPU time is without interrupts; taken as so where the kernel does not say."""
    try:
        config = gzip.decompress(Path("/proc/config.gz").read_bytes()).decode(errors="replace")
    except OSError:
        config = _text(Path("/boot") / f"config-{os.uname().release}")
    return not config or any(option in config.splitlines() for option in _INTERRUPTS_APART)
