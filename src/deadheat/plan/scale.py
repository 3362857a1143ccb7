"""How servers scale: a race at each number of cores, the load's own cores kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deadheat.model.plan import RacePlan
from deadheat.plan.parameters import joined


def of_scale(
    races: Sequence[RacePlan], servers: Sequence[int], generators: Sequence[int]
) -> tuple[RacePlan, ...]:
    """Each race at 1, 2, 4, ... and at all of the servers' CPUs. Each says what it cannot show."""
    return tuple(
        race.replaced(
            setting=joined(f"cores={cores}", race.setting),
            measured=race.load.replaced(
                server_cpus=tuple(servers[:cores]),
                generator_threads=min(len(generators), race.load.connections),
            ),
            notes=(
                *race.notes,
                *_shared(servers[:cores], generators),
                _not_shown(len(servers), len(set(generators) - set(servers))),
            ),
        )
        for race in races
        for cores in steps(len(servers))
    )


def steps(cores: int) -> tuple[int, ...]:
    """Doubled from 1 on, and the last."""
    doubled = [1 << n for n in range(cores.bit_length())]
    return tuple(dict.fromkeys([*doubled, cores]))


def _shared(servers: Sequence[int], generators: Sequence[int]) -> Iterator[str]:
    """Where the load takes from the servers what it costs, they look worse at scaling than they are."""
    if shared := sorted(set(servers) & set(generators)):
        yield (
            f"the load takes its time from CPU {', '.join(map(str, shared))}, which is the servers' too: "
            "their throughput a core is a lower bound"
        )


def _not_shown(servers: int, generators: int) -> str:
    """What no race here can tell of scaling; `generators` are CPUs that are the load's alone."""
    if generators == 0:
        return f"servers on more than {servers} CPUs are not shown: the load has none of its own"
    load = "1 CPU is" if generators == 1 else f"{generators} CPUs are"
    if servers == 1:
        return (
            f"scaling cannot be shown here: {load} the load's and 1 is left to the servers; "
            "it takes 3 CPUs or more"
        )
    return f"servers on more than {servers} CPUs are not shown: {load} the load's"
