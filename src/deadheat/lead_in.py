"""A longer lead-in, where the counted part of a race's slices turns out not to be flat."""

from __future__ import annotations

from collections.abc import Iterable

from deadheat import stats
from deadheat.model.observation import LeadInGrown, Observation
from deadheat.model.plan import WorkloadPlan
from deadheat.model.result import WorkloadResult

# A server that is not steady after so long is not going to be: then its gate is broken, and no verdict.
MOST_MS = 200


def so_far(race: WorkloadPlan, observed: Iterable[Observation]) -> tuple[WorkloadPlan, int]:
    """The race with the lead-in that it has by now, and the first block that counts with it."""
    first = 0
    for o in observed:
        if isinstance(o, LeadInGrown) and o.workload == race.key:
            race, first = race.model_copy(update={"lead_in_ms": o.lead_in_ms}), o.from_block
    return race, first


def grown(race: WorkloadPlan, result: WorkloadResult, next_block: int) -> LeadInGrown | None:
    """Twice the lead-in from `next_block` on, where the first planned look sees a slope.

    Only then: the blocks so far are left out, so that what counts is of one kind, and a whole race of blocks
    follows. A ceiling's slope is nobody's verdict.
    """
    first_look = stats.plan_looks(race.blocks).blocks[0]
    sloping = [
        row.id
        for row in result.contenders
        if row.class_ != "ceiling" and any(gate.name == "flat" and not gate.ok for gate in row.gates)
    ]
    longer_ms = 2 * race.lead_in_ms
    at_the_look = result.blocks == first_look < race.blocks
    if not (sloping and at_the_look and 0 < longer_ms <= MOST_MS):
        return None
    return LeadInGrown(
        workload=race.key,
        from_block=next_block,
        lead_in_ms=longer_ms,
        why=f"the counted part of the slices of {', '.join(sloping)} was not flat after {race.lead_in_ms} ms",
    )
