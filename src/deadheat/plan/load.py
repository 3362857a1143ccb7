"""The loads of a server, each a race of its own: connections, and requests in flight on each."""

from itertools import product

from deadheat.model.plan import RacePlan
from deadheat.model.workload import Load


def of_server(
    race: RacePlan, usual: Load, connections: tuple[int, ...], streams: tuple[int, ...]
) -> tuple[RacePlan, ...]:
    """The races of a server workload: every choice of connections with every choice of streams.

    The workload's own load, where it is among them, comes first and has no setting to its name.
    """
    loads = dict.fromkeys(product(connections or (usual.connections,), streams or (usual.streams,)))
    races = [
        race.replaced(
            measured=race.load.replaced(connections=load[0], streams=load[1]), setting=_setting(load, usual)
        )
        for load in loads
    ]
    return tuple(sorted(races, key=lambda one: one.setting is not None))


def _setting(load: tuple[int, int], usual: Load) -> str | None:
    """`connections=400`, `connections=100 streams=1`: what is unlike the workload's own."""
    parts = [f"connections={load[0]}"] if load[0] != usual.connections else []
    parts += [f"streams={load[1]}"] if load[1] != usual.streams else []
    return " ".join(parts) or None
