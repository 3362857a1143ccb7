"""Is this machine fit to measure on? Each check says what it saw and, if that is not well, what to do.

None of them forbids a race: interleaved blocks measure ratios on bad machines too, only less sharply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from deadheat.hosts.cpus import Cores, Cpus, same_core
from deadheat.hosts.machine import Machine

STEAL_LIMIT = 0.005
BUSY_LIMIT = 0.05
#: Clocks that are read without a system call. Others cost microseconds a reading.
FAST_CLOCKS = frozenset({"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"})


@dataclass(frozen=True, slots=True)
class Fitness:
    """One check: `show` is what was seen, `advice` what to do about it (None where all is well)."""

    name: str
    ok: bool
    show: str
    advice: str | None = None


def checks(machine: Machine, cpus: Cpus, cores: Cores) -> list[Fitness]:
    """All of them, in the order to be shown. `cpus` are of these `cores`."""
    every: list[Callable[[Machine], Fitness]] = [
        _frequency,
        _boost,
        _steal,
        _load,
        _swap,
        _cgroup,
        _clock,
        _perf,
    ]
    return [*_cores(machine, cpus, cores), *(check(machine) for check in every)]


def _cores(machine: Machine, cpus: Cpus, cores: Cores) -> Iterator[Fitness]:
    if cpus.shared:
        yield Fitness(
            "cores",
            False,
            "1 core only: the server and the generator take turns on it",
            "server and generator times add up, so ratios shrink towards 1; give it two cores",
        )
        return
    yield Fitness("cores", True, f"{machine.cores} cores: one for the server, one for the generator")
    if same_core(cores, cpus.servers[0], cpus.generators[0]):
        yield Fitness(
            "siblings",
            False,
            f"CPUs {cpus.servers[0]} and {cpus.generators[0]} are threads of one physical core",
            "they slow each other down; give --generator-cpus one of another core, or switch SMT off",
        )


def _frequency(machine: Machine) -> Fitness:
    if not machine.governors:
        where = f" ({machine.virtualisation})" if machine.virtualisation else ""
        return Fitness(
            "frequency",
            False,
            f"no cpufreq: frequency cannot be read or fixed{where}",
            "interleaving takes slow drifts out; do not compare figures of different days",
        )
    seen = f"frequency governor: {', '.join(machine.governors)}"
    if machine.governors == ("performance",):
        return Fitness("frequency", True, seen)
    return Fitness("frequency", False, seen, "cpupower frequency-set -g performance")


def _boost(machine: Machine) -> Fitness:
    if not machine.boost:
        return Fitness("boost", True, "no frequency boost" if machine.boost is False else "boost: not known")
    return Fitness(
        "boost",
        False,
        "frequency boost is on: speed depends on temperature and on what the other cores do",
        "switch it off: /sys/devices/system/cpu/cpufreq/boost, or intel_pstate/no_turbo",
    )


def _steal(machine: Machine) -> Fitness:
    activity = machine.activity
    seen = f"steal {activity.steal:.1%} over {activity.window_s:g} s"
    if activity.steal <= STEAL_LIMIT:
        return Fitness("steal", True, seen)
    return Fitness(
        "steal",
        False,
        f"{seen}: a shared machine",
        "interleaving handles this; absolute figures will drift, and a verdict takes longer",
    )


def _load(machine: Machine) -> Fitness:
    activity = machine.activity
    seen = f"other load {activity.busy:.0%} over {activity.window_s:g} s"
    if activity.busy <= BUSY_LIMIT:
        return Fitness("load", True, seen)
    return Fitness("load", False, seen, "stop what else runs here (top shows it), or wait")


def _swap(machine: Machine) -> Fitness:
    if not machine.swap_bytes:
        return Fitness("swap", True, "no swap")
    if not machine.swap_used_bytes:
        return Fitness("swap", True, "swap is there and empty")
    return Fitness(
        "swap",
        False,
        f"{machine.swap_used_bytes / 2**20:,.0f} MB are swapped out",
        "swapoff -a, or stop what needs the memory: a page read back in the middle of a slice spoils it",
    )


def _cgroup(machine: Machine) -> Fitness:
    version = f"cgroup v{machine.cgroup_version}" if machine.cgroup_version else "no cgroups"
    if machine.core_limit is None:
        return Fitness("cgroup", True, f"{version}: no CPU quota")
    return Fitness(
        "cgroup",
        False,
        f"{version}: a CPU quota of {machine.core_limit:g} cores",
        "what uses it up is stopped until the next period; bind CPUs instead (docker run --cpuset-cpus)",
    )


def _clock(machine: Machine) -> Fitness:
    seen = f"clock source: {machine.clock_source or 'not known'}"
    if machine.clock_source is None or machine.clock_source in FAST_CLOCKS:
        return Fitness("clock", True, seen)
    return Fitness("clock", False, seen, "each reading is a system call; see /sys/devices/system/clocksource")


def _perf(machine: Machine) -> Fitness:
    if machine.perf:
        return Fitness("perf", True, "perf can count events of own processes")
    return Fitness(
        "perf",
        False,
        "perf cannot be used: instructions and cache misses are not counted",
        "install linux-perf, and sysctl kernel.perf_event_paranoid=2",
    )
