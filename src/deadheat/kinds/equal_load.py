"""Latency at equal load: every server of a block at the same fixed rates, in an open loop."""

import random
from collections.abc import Generator, Mapping, Sequence

from deadheat.model.observation import Observation, OpenLoop
from deadheat.model.plan import WorkloadPlan

LEAD_IN_MS = 100
# Ten observations beyond the 99th percentile, with a little to spare.
ENOUGH_REQUESTS = 1100
LONGEST = 4


def rates(
    race: WorkloadPlan, observed: Sequence[Observation], capacities_rps: Mapping[str, float]
) -> dict[float, float]:
    """Requests a second for each load: a share of what the slowest can do in a closed loop.

    The first block decides, so that all blocks of a race measure at one rate; a resumed run goes on with it.
    """
    known = {o.load: o.rate_rps for o in observed if isinstance(o, OpenLoop) and o.workload == race.key}
    slowest = min(capacities_rps.values(), default=0.0)
    return {load: known.get(load, float(round(load * slowest))) for load in race.loads}


def counted_ms(race: WorkloadPlan, rate_rps: float) -> int:
    """As long as planned; longer, to a limit, where so few requests would tell no 99th percentile."""
    return int(min(LONGEST * race.open_loop_ms, max(race.open_loop_ms, ENOUGH_REQUESTS / rate_rps * 1000)))


def turns(
    rates_rps: Mapping[float, float], entries: Sequence[str], rng: random.Random
) -> Generator[tuple[str, float, float]]:
    """(entry, load, rate), load by load, each in an order of its own; no rate below one a second."""
    for load, rate in rates_rps.items():
        if rate >= 1:
            yield from ((entry, load, rate) for entry in rng.sample(entries, len(entries)))
