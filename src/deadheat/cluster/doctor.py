"""Whether machines of a cluster are fit to race on: what each is, its clock, and the network between them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from deadheat import __version__
from deadheat.cluster.machines import Machine
from deadheat.cluster.network import Network
from deadheat.hosts import fitness
from deadheat.hosts.cpus import default_cpus
from deadheat.hosts.fitness import Fitness
from deadheat.hosts.machine import Activity
from deadheat.hosts.machine import Machine as Facts
from deadheat.results import machines as merging

# The shortest there and back of so many says most of how far clocks are apart.
LOOKS = 20
#: From which difference on two wall clocks make journals of one race hard to read beside each other.
CLOCK_LIMIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Clock:
    """How far a machine's wall clock is ahead of ours, seconds, and by how much that may be wrong."""

    ahead_s: float
    error_s: float


@dataclass(frozen=True, slots=True)
class Seen:
    """One machine: what is well and what is not."""

    machine: str
    checks: tuple[Fitness, ...]


def looked_at(ray: Any, machines: Sequence[Machine]) -> Iterator[Seen]:
    """Each machine by itself."""
    for one in machines:
        checks = [_version(one), _inherited(one), _clock(ray, one)]
        facts = dict(one.about.machine)
        facts["activity"] = Activity(**facts["activity"])
        cores = one.about.cores
        checks += fitness.checks(Facts(**facts), default_cpus(cores), cores)
        yield Seen(str(one), tuple(checks))


def between(ray: Any, machines: Sequence[Machine]) -> Iterator[tuple[str, str, Network]]:
    """From each machine to each other one, one pair after the other."""
    for one, other in permutations(machines, 2):
        port = ray.get(other.agent.echo.remote(other.node.address))
        found: Network = ray.get(one.agent.network.remote(other.node.address, port))
        yield one.name, other.name, found


def unlike(machines: Sequence[Machine]) -> list[str]:
    """In what they differ, which no race on them would be silent about."""
    return list(merging.differing({one.name: one.about.machine for one in machines}))


def _version(one: Machine) -> Fitness:
    have = one.about.version
    advice = None if have == __version__ else f"this is {__version__}: install the same on each"
    return Fitness("version", advice is None, f"Deadheat {have}", advice)


def _inherited(one: Machine) -> Fitness:
    after = one.about.after
    ok = (after.nice, after.oom_score_adj) == (0, 0)
    show = f"programs start with nice {after.nice}, oom_score_adj {after.oom_score_adj}"
    advice = "start its node with RAY_worker_niceness=0 and RAY_worker_oom_score_adjustment=0"
    return Fitness("inherited", ok, show, None if ok else advice)


def _clock(ray: Any, one: Machine) -> Fitness:
    looks = []
    for _ in range(LOOKS):
        before = time.time()
        there = ray.get(one.agent.wall_clock.remote())
        after = time.time()
        looks.append(Clock(there - (before + after) / 2, (after - before) / 2))
    best = min(looks, key=lambda look: look.error_s)
    control_ms = statistics.median(look.error_s for look in looks) * 2000
    ok = abs(best.ahead_s) <= CLOCK_LIMIT_S
    show = (
        f"clock {best.ahead_s * 1000:+.1f} ms of ours (to {best.error_s * 1000:.1f} ms); "
        f"a call takes {control_ms:.1f} ms"
    )
    return Fitness("clock", ok, show, None if ok else "let both follow one time server")
