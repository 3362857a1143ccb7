"""Longer lead-ins of a race under way: those that earlier races or looks found, and which are kept."""

from __future__ import annotations

from collections.abc import Sequence

from deadheat.model.observation import BlockStarted, LeadInGrown, Observation
from deadheat.model.plan import RacePlan
from deadheat.plan import lead_in
from deadheat.results.claimed import Race
from deadheat.run import learnt, standing
from deadheat.run.kind import Stage


def known(stage: Stage, observed: Sequence[Observation]) -> tuple[LeadInGrown, ...]:
    """Before the first block: the lead-ins that earlier races of these builds found to be needed."""
    race = stage.race
    begun = any(isinstance(o, BlockStarted) and o.race == race.key for o in observed)
    if begun or not race.lead_in_of(race.reference_entry):
        return ()
    found = {entry.id: learnt.lead_in_ms(stage.build(entry.id), race) for entry in race.entries}
    return tuple(
        LeadInGrown(
            race=race.key,
            from_block=0,
            lead_in_ms=ms,
            why="as an earlier race here found",
            entries=(entry,),
        )
        for entry, ms in found.items()
        if ms is not None and ms > race.lead_in_of(entry) > 0
    )


def longer(race: RacePlan, so_far: Race, next_block: int) -> tuple[LeadInGrown, ...]:
    """From `next_block` on, where a look finds that some slices are not flat."""
    return lead_in.grown(race, so_far.result, standing.lead_ins_ms(so_far), next_block)


def keep(stage: Stage, so_far: Race, observed: Sequence[Observation]) -> None:
    """Those that made slices flat, for the next race; the reference's, where it made all of them so."""
    race, counted = stage.race, standing.counted(stage.race, observed)
    flat = {
        row.id: [gate.ok for gate in row.gates if gate.name == "flat"] for row in so_far.result.contenders
    }
    for entry in {e for o in so_far.tally.grown if o.from_block > 0 for e in o.entries} & flat.keys():
        held = flat[entry] or [ok for each in flat.values() for ok in each]
        if counted[entry] >= lead_in.FEWEST and held and all(held):
            learnt.keep_lead_in(stage.build(entry), race, race.lead_in_of(entry))
