"""Whether somebody else got into a block, by the machine's counters alone.

Contenders suffer unequally from a neighbour, so pairing does not take it out, and a block that was
disturbed is run again. The rule is fixed in the plan and reads no reply, no time of any contender: what a
block would have said has no part in whether it counts.
"""

from __future__ import annotations

from deadheat.model.observation import Disturbance, Interference
from deadheat.model.plan import DisturbanceLimits

# Over less than this the machine's counters, some of which move in ticks of 10 ms, say nothing.
LEAST_WATCHED_S = 0.5


def of_block(around: Interference, limits: DisturbanceLimits) -> Disturbance | None:
    """The first of the plan's limits that the block is over, taken over the whole of it; None if clean."""
    watched = around.wall_ns * len(around.cpus)
    if watched < LEAST_WATCHED_S * 1e9:
        return None
    others = around.others_used_ns / watched
    if others > limits.others:
        who = tuple(f"{one.name} (pid {one.pid})" for one in around.busiest)
        return Disturbance(by="other programs", share=others, limit=limits.others, who=who)
    steal = around.steal_ns / watched
    if steal > limits.steal:
        return Disturbance(by="another machine", share=steal, limit=limits.steal)
    throttled = (around.throttled_ns or 0) / watched
    if throttled > limits.throttled:
        return Disturbance(by="throttling", share=throttled, limit=limits.throttled)
    return None
