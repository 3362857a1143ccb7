"""Which CPUs are whose: the servers', the generator's, and those left to all else."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
# CPUs by the physical core that they are threads of: cores and their threads in order.
Cores = tuple[tuple[int, ...], ...]
# Of the physical cores, the load's: by measurement it costs a fifth of what it loads, and needs to spare.
LOAD_SHARE = 4


@dataclass(frozen=True, slots=True)
class Cpus:
    """CPU sets of a race. `services`: those of cores that neither servers nor generator have a thread of;
    where there is none, services have the generator's. `shared`: there is only one CPU, so servers and
    generator are in each other's way."""

    servers: tuple[int, ...]
    generators: tuple[int, ...]
    services: tuple[int, ...] = ()

    @property
    def shared(self) -> bool:
        return bool(set(self.servers) & set(self.generators))


def cores_of(usable: Collection[int], root: Path = ROOT) -> Cores:
    """The cores of those CPUs of this machine that may be used."""
    return tuple(sorted({tuple(sorted(siblings_of(cpu, root) & set(usable))) for cpu in usable}))


def all_of(cores: Cores) -> tuple[int, ...]:
    """Every CPU, in order."""
    return tuple(sorted({cpu for core in cores for cpu in core}))


def default_cpus(cores: Cores) -> Cpus:
    """One core for the server, one for the generator, on another physical core if there is one, and whole
    cores beyond those for services.

    With a single CPU both get that one: ratios still hold, but say less of each server alone.
    """
    server, *others = all_of(cores)
    if not others:
        return Cpus((server,), (server,))
    generator = next((cpu for cpu in others if not same_core(cores, server, cpu)), others[0])
    return Cpus((server,), (generator,), _untouched(cores, {server, generator}))


def scale_cpus(cores: Cores) -> Cpus:
    """The last quarter of the physical cores (one at least) for the load, all others for the servers.

    A core's further threads come behind the first threads of all, so that few cores are whole ones.
    """
    if len(cores) == 1:
        # Threads of one core, or one CPU for both.
        first, *others = cores[0]
        return Cpus((first,), tuple(others[:1]) or (first,))
    theirs = max(1, len(cores) // LOAD_SHARE)
    servers, load = cores[:-theirs], cores[-theirs:]
    return Cpus(_whole_first(servers), tuple(core[0] for core in load))


def chosen_cpus(
    cores: Cores,
    servers: tuple[int, ...] | None,
    generators: tuple[int, ...] | None,
    usual: Cpus | None = None,
) -> Cpus:
    """Those that were named, for who has none named the usual ones; services have the cores that are left."""
    usual = usual or default_cpus(cores)
    servers, generators = servers or usual.servers, generators or usual.generators
    return Cpus(servers, generators, _untouched(cores, {*servers, *generators}))


def same_core(cores: Cores, one: int, other: int) -> bool:
    """Whether these are threads of one core."""
    return any(one in core and other in core for core in cores)


def siblings_of(cpu: int, root: Path = ROOT) -> frozenset[int]:
    """The CPUs that share a physical core with this one, itself included."""
    with suppress(OSError):
        text = (root / f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text()
        if text.strip():
            return cpu_list(text)
    return frozenset({cpu})


def cpu_list(text: str) -> frozenset[int]:
    """The kernel's notation: `0-2,5`."""
    cpus: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return frozenset(cpus)


def _whole_first(cores: Sequence[Sequence[int]]) -> tuple[int, ...]:
    threads = max(len(core) for core in cores)
    return tuple(core[n] for n in range(threads) for core in cores if n < len(core))


def _untouched(cores: Cores, taken: Collection[int]) -> tuple[int, ...]:
    """The CPUs of cores of which none is taken."""
    return all_of(tuple(core for core in cores if not set(core) & set(taken)))
