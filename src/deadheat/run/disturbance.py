"""Whether somebody else got into a block, by the machine's counters alone.

Contenders suffer unequally from a neighbour, so pairing does not take it out, and a block that was
disturbed is run again. The rule is fixed in the plan and reads no reply, no time of any contender: what a
block would have said has no part in whether it counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from deadheat.model.observation import Disturbance, Interference, Slice
from deadheat.model.plan import DisturbanceLimits
from deadheat.results.gates import elsewhere
from deadheat.results.gates.interference import stepped_ns

# Over less than this the machine's counters, some of which move in ticks of 10 ms, say nothing.
LEAST_WATCHED_S = 0.5
# A generator that stands still for less is one that waited for its CPU.
LAG_NS = 250_000_000


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
    if limits.clock_step_s is not None and (step_s := stepped_ns(around) / 1e9) > limits.clock_step_s:
        return Disturbance(by="a clock step", share=step_s, limit=limits.clock_step_s, who=_where(around))
    return None


def of_generators(slices: Sequence[Slice], limits: DisturbanceLimits) -> Disturbance | None:
    """Generators of other hosts that did not load together; None where they did, and where there are none."""
    if limits.late is None or (parts := elsewhere.apart(slices)) is None or parts <= limits.late:
        return None
    return Disturbance(by="a late generator", share=parts, limit=limits.late, who=_latest(slices))


def lagged(one: Slice, limits: DisturbanceLimits) -> Disturbance | None:
    """A generator was so late in one slice, or stood still for so long, that nothing of the block counts; in
    a warm-up too, which has no lead-in: a part of LAG_NS then."""
    lead_in_ns = one.counted_from_ns - one.started_ns
    if limits.late is None or not one.generators:
        return None
    worst = max(max(of.late_ns, of.loop_delay_max_ns) for of in one.generators)
    if worst <= max(lead_in_ns, LAG_NS):
        return None
    return Disturbance(
        by="a late generator", share=worst / (lead_in_ns or LAG_NS), limit=limits.late, who=_latest([one])
    )


def _latest(slices: Sequence[Slice]) -> tuple[str, ...]:
    """The host of the generator that was furthest behind."""
    shares = [of for one in slices for of in one.generators]
    return (max(shares, key=lambda of: max(of.late_ns + of.clock_error_ns, of.loop_delay_max_ns)).host,)


def _where(around: Interference) -> tuple[str, ...]:
    return () if around.host is None else (around.host,)
