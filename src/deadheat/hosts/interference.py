"""The machine's own counters around a block: what else went on while we measured, and who it was.

A CPU is busy while it is not idle. The kernel's ticks are no measure of that: a tick sees what runs when it
comes, and work that a tick's own timer starts, and that ends before the next one, is never seen, while the
CPU time of a process is exact; that of a server and its generator came out larger than all that was busy.
The time in which a CPU is idle is exact too. What is not idle, not stolen and not ours, others used: of
whatever priority, in whatever container, the kernel's own threads among them.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from deadheat.hosts import attached, proc_stat, processes
from deadheat.hosts.cpus import ROOT
from deadheat.hosts.machine import cpu_cgroups
from deadheat.hosts.processes import TICK_NS, Processes
from deadheat.model.observation import Interference, OtherProcess

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
#: So many of the busiest are named; those that used less than a tick or two are not worth a name.
NAMED = 3
LEAST_NAMED_NS = 2 * TICK_NS
# With either, a process's CPU time is without the interrupts that came meanwhile.
INTERRUPTS_APART = ("CONFIG_IRQ_TIME_ACCOUNTING=y", "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y")
# Frequencies (kHz) and the ticks spent at each.
States = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Outside:
    """What we started that is not below us, as containers of a daemon: what lives of it, and the CPU time
    (ns) of all that ever was."""

    pids: frozenset[int] = frozenset()
    spent_ns: int = 0


@dataclass(frozen=True)
class CpuReading:
    """What one CPU has been so far, nanoseconds. Waiting for a disk is being idle."""

    idle_ns: int
    interrupts_ns: int
    iowait_ns: int
    steal_ns: int


@dataclass(frozen=True)
class Reading:
    """Counters at one moment; times in nanoseconds.

    `own_ns` is the CPU time of our process tree and of what else we started, `pinned_ns` as much of it as
    programs used that have ended, by the CPUs that they were bound to. `may_run_on` are the CPUs of each
    process that is not ours, where the kernel tells them. `network`: bytes that have come in and gone out by
    all its interfaces but loopback. `interrupts_apart`: whether a process's CPU time is without interrupts.
    """

    at_ns: int
    wall_clock_ns: int
    cpus: Mapping[int, CpuReading]
    processes: Processes
    ours: frozenset[int]
    pinned_ns: Mapping[frozenset[int], int]
    referee_cpus: frozenset[int]
    may_run_on: Mapping[int, frozenset[int]]
    interrupts_apart: bool
    swapped_in_bytes: int | None
    swapped_out_bytes: int | None
    throttled: int | None
    throttled_ns: int | None
    frequency: States | None
    network: tuple[int, int] | None = None
    outside: Outside = Outside()

    @property
    def own_ns(self) -> int:
        below = self.ours - self.outside.pids
        within = sum(process.spent_ns for pid, process in self.processes.items() if pid in below)
        return within + self.outside.spent_ns


def read(
    cpus: Collection[int],
    pinned_ns: Mapping[frozenset[int], int] | None = None,
    outside: Outside = Outside(),
    *,
    root: Path = ROOT,
    pid: int | None = None,
    kin: Collection[int] = (),
) -> Reading:
    """Now. `pid` is the root of our process tree, this process where it is not said, `kin` the roots of
    others that are ours; servers that ran already and are raced are no strangers, though they are in none."""
    pid = os.getpid() if pid is None else pid
    swapped_in, swapped_out = _swapped(root)
    throttled, throttled_ns = _throttled(root)
    frequency = _time_in_state(cpus, root)
    running = processes.running(root)
    # Last, and together: the busy time of CPUs is held against that of processes.
    by_cpu = {cpu: _cpu(ticks) for cpu, ticks in proc_stat.of_each(root, cpus).items()}
    at_ns, wall_clock_ns = time.monotonic_ns(), time.time_ns()
    ours = frozenset(processes.tree(running, pid)) | attached.raced_pids() | outside.pids
    for one in kin:
        ours |= frozenset(processes.tree(running, one)) if one in running else frozenset()
    return Reading(
        at_ns=at_ns,
        wall_clock_ns=wall_clock_ns,
        cpus=by_cpu,
        processes=running,
        ours=ours,
        pinned_ns=dict(pinned_ns or {}),
        referee_cpus=frozenset(os.sched_getaffinity(0)),
        may_run_on={of: may for of in running if of not in ours and (may := _affinity(of)) is not None},
        interrupts_apart=_interrupts_apart(),
        swapped_in_bytes=swapped_in,
        swapped_out_bytes=swapped_out,
        throttled=throttled,
        throttled_ns=throttled_ns,
        frequency=frequency,
        network=_network(root),
        outside=outside,
    )


def _cpu(ticks: list[int]) -> CpuReading:
    _user, _nice, _system, idle, iowait, irq, softirq, steal = ticks
    return CpuReading((idle + iowait) * TICK_NS, (irq + softirq) * TICK_NS, iowait * TICK_NS, steal * TICK_NS)


def between(
    before: Reading,
    after: Reading,
    *,
    race: str,
    block: int,
    cpus: Collection[int],
) -> Interference:
    """What went on from one reading of a host to the other. Nothing is clipped: what counters disagree on
    shows. Nothing is read here: the host may be another machine."""
    watched = tuple(sorted(cpus))
    busy = _busy_ns(before, after, interrupts=not after.interrupts_apart)
    own = after.own_ns - before.own_ns
    own_by_cpu = _own_by_cpu(before, after, busy)
    steal = sum(after.cpus[cpu].steal_ns - before.cpus[cpu].steal_ns for cpu in busy)
    iowait = sum(after.cpus[cpu].iowait_ns - before.cpus[cpu].iowait_ns for cpu in busy)
    foreign = _foreign(before, after, watched)
    return Interference(
        race=race,
        block=block,
        cpus=watched,
        wall_ns=after.at_ns - before.at_ns,
        busy_ns=round(sum(busy.values())),
        own_ns=own,
        others_ns=round(sum(busy.values())) - own,
        others_by_cpu_ns=tuple(round(busy.get(cpu, 0.0) - own_by_cpu.get(cpu, 0.0)) for cpu in watched),
        seen_ns=sum(process.cpu_ns for process in foreign),
        busiest=tuple(process for process in foreign[:NAMED] if process.cpu_ns >= LEAST_NAMED_NS),
        steal_ns=steal,
        iowait_ns=max(0, iowait),  # the kernel's own count may go back
        swapped_in_bytes=_difference(before.swapped_in_bytes, after.swapped_in_bytes),
        swapped_out_bytes=_difference(before.swapped_out_bytes, after.swapped_out_bytes),
        throttled=_difference(before.throttled, after.throttled),
        throttled_ns=_difference(before.throttled_ns, after.throttled_ns),
        frequency_mhz=_mean_mhz(before.frequency, after.frequency),
        network_in_bytes=_difference(*(at.network and at.network[0] for at in (before, after))),
        network_out_bytes=_difference(*(at.network and at.network[1] for at in (before, after))),
        clock_step_ns=(after.wall_clock_ns - before.wall_clock_ns) - (after.at_ns - before.at_ns),
    )


def _busy_ns(before: Reading, after: Reading, *, interrupts: bool) -> dict[int, float]:
    """CPU by CPU: neither idle nor given to another machine.

    Interrupts, which on the loopback are our own load's, are in it where a process's CPU time holds them:
    what is held against each other must hold the same.
    """
    wall = after.at_ns - before.at_ns
    busy = {}
    for cpu in before.cpus.keys() & after.cpus.keys():
        was, is_ = before.cpus[cpu], after.cpus[cpu]
        apart = 0 if interrupts else is_.interrupts_ns - was.interrupts_ns
        busy[cpu] = float(wall - (is_.idle_ns - was.idle_ns) - (is_.steal_ns - was.steal_ns) - apart)
    return busy


def _own_by_cpu(before: Reading, after: Reading, busy: Mapping[int, float]) -> dict[int, float]:
    """Our own CPU time on each CPU: of programs on those that they were bound to, of all else (generator,
    referee, launchers) on the referee's. Where that is several, by how busy each of them was.
    """
    spent = {cpus: ns - before.pinned_ns.get(cpus, 0) for cpus, ns in after.pinned_ns.items()}
    rest = after.own_ns - before.own_ns - sum(spent.values())
    spent[after.referee_cpus] = spent.get(after.referee_cpus, 0) + rest
    own = dict.fromkeys(busy, 0.0)
    for cpus, ns in spent.items():
        among = (cpus & busy.keys()) or busy.keys()
        total = sum(busy[cpu] for cpu in among)
        for cpu in among:
            own[cpu] += ns * (busy[cpu] / total if total > 0 else 1 / len(among))
    return own


def _foreign(before: Reading, after: Reading, cpus: Collection[int]) -> list[OtherProcess]:
    """Who is not ours, may run on these CPUs and used any time, those that used most first."""
    used = processes.spent_ns(before.processes, after.processes, before.ours | after.ours)
    found: list[OtherProcess] = []
    for pid, ns in sorted(used.items(), key=lambda row: -row[1]):
        if ns <= 0:
            break
        may_run_on = after.may_run_on.get(pid)
        if may_run_on is None or may_run_on & set(cpus):
            cpu = min(may_run_on) if may_run_on is not None and len(may_run_on) == 1 else None
            found.append(OtherProcess(pid=pid, name=after.processes[pid].name, cpu_ns=ns, cpu=cpu))
    return found


def _affinity(pid: int) -> frozenset[int] | None:
    with contextlib.suppress(OSError):
        return frozenset(os.sched_getaffinity(pid))
    return None


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _network(root: Path) -> tuple[int, int] | None:
    """Bytes in and out by all interfaces but loopback since they are there; None where nobody tells."""
    rows = [line.partition(":") for line in _text(root / "proc/net/dev").splitlines() if ":" in line]
    found = [tuple(map(int, row.split())) for name, _, row in rows if name.strip() != "lo"]
    return (sum(row[0] for row in found), sum(row[8] for row in found)) if rows else None


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
            # Version 2 reports microseconds, version 1 nanoseconds.
            ns = int(words["throttled_usec"]) * 1000 if "throttled_usec" in words else None
            found.append((int(words["nr_throttled"]), ns if ns is not None else int(words["throttled_time"])))
    if not found:
        return None, None
    return sum(count for count, _ in found), sum(ns for _, ns in found)


def _time_in_state(cpus: Collection[int], root: Path) -> States | None:
    """Of each state of each CPU; None where the kernel does not report it."""
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
    """Whether a process's CPU time is without interrupts; taken as so where the kernel does not say, since
    else our own would pass for somebody else's."""
    try:
        config = gzip.decompress(Path("/proc/config.gz").read_bytes()).decode(errors="replace")
    except OSError:
        config = _text(Path("/boot") / f"config-{os.uname().release}")
    return not config or any(option in config.splitlines() for option in INTERRUPTS_APART)
