"""Checks on load that comes from other hosts: they began together, and the network was not the limit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deadheat.model.gate import GateResult
from deadheat.model.observation import NetworkFloor, Slice
from deadheat.results.gates.gate import gate_result

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
