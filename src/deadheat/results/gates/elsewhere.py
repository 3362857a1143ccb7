"""Checks on load that comes from other hosts: they began together, and the network was not the limit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deadheat.model.gate import GateResult
from deadheat.model.observation import NetworkFloor, Slice
from deadheat.results.gates.gate import gate_result
from deadheat.results.tally import Tally

# Of the lead-in, which is there to take up what does not begin together.
TOGETHER_LIMIT = 0.1
# Of the slices: one that was late is one of hundreds.
LATE_SLICES = 0.05
NETWORK_LIMIT = 0.8


def generators_together(slices: Sequence[Slice]) -> GateResult | None:
    """The generators began a slice at one moment, as far as their clocks tell: the part of the lead-in by
    which the last was later than the first in all but LATE_SLICES of the slices. None with one generator
    beside its servers, which has only itself to wait for."""
    worst = apart(slices)
    if worst is None:
        return None
    ok = worst < TOGETHER_LIMIT
    return gate_result("generators-together", ok, worst, f"below {TOGETHER_LIMIT:.0%} of the lead-in")


def apart(slices: Sequence[Slice]) -> float | None:
    """The part of the lead-in by which the last generator may have begun later than the first, in all but
    LATE_SLICES of the slices; None where load comes from nowhere else."""
    parts = [
        max(one.late_ns + one.clock_error_ns for one in s.generators) / lead_in_ns
        for s in slices
        if s.generators and (lead_in_ns := s.counted_from_ns - s.started_ns) > 0
    ]
    return float(np.quantile(parts, 1 - LATE_SLICES)) if parts else None


def network_limited(slices: Sequence[Slice], floors: Sequence[NetworkFloor]) -> GateResult | None:
    """What crossed the network in a second, of what it was measured to carry before the race; the fuller of
    both directions. None where nobody measured it."""
    seconds = sum(s.counted_s for s in slices if s.generators)
    if not floors or seconds <= 0:
        return None
    crossed = max(sum(s.bytes_in for s in slices), sum(s.bytes_out for s in slices)) / seconds
    room = sum(one.bytes_per_s for one in floors)
    ok = crossed < NETWORK_LIMIT * room
    return gate_result(
        "network-limited", ok, crossed / room, f"below {NETWORK_LIMIT:.0%}", crossed=crossed, room=room
    )


def services_network(tally: Tally, entry: str) -> GateResult | None:
    """What crossed the network to the services' machine in a second of this one's slices, of what it was
    measured to carry before the race; the fuller of both directions. A machine counts the bytes of a whole
    block: of them each contender has as many as it has of the replies. None where services run beside the
    servers, and where nobody counts.
    """
    if not tally.services_network:
        return None
    floor = tally.services_network[-1]
    crossed = seconds = 0.0
    for around in tally.interference:
        if around.host != floor.host or around.network_in_bytes is None or around.network_out_bytes is None:
            continue
        own = [turn for turn in tally.slices(entry) if turn.block == around.block]
        every = tally.replies_in(around.block)
        if own and every:
            part = sum(turn.replies_all for turn in own) / every
            crossed += max(around.network_in_bytes, around.network_out_bytes) * part
            seconds += sum(turn.took_ns for turn in own) / 1e9
    if not seconds:
        return None
    share = crossed / seconds / floor.bytes_per_s
    facts = {"crossed": crossed / seconds, "room": floor.bytes_per_s}
    return gate_result(
        "services-network",
        share < NETWORK_LIMIT or tally.race.judged_by != "throughput",
        share,
        f"below {NETWORK_LIMIT:.0%}, where throughput is judged",
        host=floor.host,
        **facts,
    )
