"""Handshakes of TLS, apart from what is judged: what one costs a server, and how many were in its slices."""

from __future__ import annotations

from deadheat import stats
from deadheat.model.http_protocol import OVER_TLS
from deadheat.model.result import Handshakes
from deadheat.results.tally import Tally


def figures(tally: Tally, entry: str) -> Handshakes | None:
    """Of one contender; None where the race is not over TLS, or nobody could meter it."""
    if tally.race.protocol not in OVER_TLS:
        return None
    connections = tally.race.load.connections
    started = tally.started.get(entry, [])
    spent = [s.opening_cpu_ns / connections / 1e3 for s in started if s.opening_cpu_ns is not None]
    cost = stats.spread(spent)
    checked = tally.checked.get(tally.race.contender_of(entry))
    return Handshakes(
        before=connections * len(started),
        in_slices=sum(one.reconnects for one in tally.slices(entry)),
        cpu_us=cost.median if cost else None,
        cpu_range_us=(cost.least, cost.greatest) if cost else None,
        agreed=checked.agreed if checked else None,
    )
