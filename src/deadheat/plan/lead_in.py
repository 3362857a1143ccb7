"""A longer lead-in, for contenders the counted part of whose slices turns out not to be flat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from deadheat import stats
from deadheat.model.observation import LeadInGrown, Observation
from deadheat.model.plan import RacePlan
from deadheat.model.result import RaceResult

# A server that is not steady after so long is not going to be: then its gate is broken, and no verdict.
MOST_MS = 200
# The same of one whose latency has made its lead-in longer by itself.
MOST_RACED_MS = 1000
# Fewer blocks than this tell no slope from noise.
FEWEST = 3


def so_far(race: RacePlan, observed: Iterable[Observation]) -> RacePlan:
    """The race with the lead-ins that it has by now."""
    for o in observed:
        if not isinstance(o, LeadInGrown) or o.race != race.key:
            continue
        if o.entries:
            longer = dict.fromkeys(o.entries, o.lead_in_ms)
            lead_ins_ms = {**race.slices.lead_ins_ms, **longer}
            race = race.replaced(measured=race.slices.replaced(lead_ins_ms=lead_ins_ms))
        else:
            race = race.replaced(measured=race.slices.replaced(lead_in_ms=o.lead_in_ms))
    return race


def grown(
    race: RacePlan, result: RaceResult, raced: Mapping[str, Sequence[float]], next_block: int
) -> tuple[LeadInGrown, ...]:
    """Twice the lead-in from `next_block` on, of those in whose slices the first look sees a slope.

    `raced`: of each entry its median lead-in in each of its blocks that count, milliseconds. Only at an
    entry's own first look: its blocks so far are left out, so that what counts is of one kind, and as many
    as planned follow. Pairs that it is not in keep theirs: nobody else's slices are any different. Slopes
    are told against the reference's: where more than half have one it is the reference's own, and all
    get longer lead-ins. A ceiling's slope is nobody's verdict.
    """
    first_look = stats.plan_looks(race.blocks).blocks[0]
    rivals = [row for row in result.contenders if row.class_ != "ceiling" and row.id != race.reference_entry]
    sloping = [
        row.id
        for row in rivals
        if len(raced.get(row.id, ())) == first_look < race.blocks
        and 0 < race.lead_in_of(row.id) < MOST_MS
        and max(raced[row.id], default=0) < MOST_RACED_MS
        and any(gate.name == "flat" and not gate.ok for gate in row.gates)
    ]
    if not sloping:
        return ()
    why = f"the counted part of the slices of {', '.join(sloping)} was not flat"
    everybody = 2 * len(sloping) > len(rivals)
    chosen = [entry for entry in raced if race.lead_in_of(entry) < MOST_MS] if everybody else sloping
    return tuple(
        LeadInGrown(
            race=race.key,
            from_block=next_block,
            lead_in_ms=longer_ms,
            why=f"{why} after {longer_ms // 2} ms",
            entries=(entry,),
        )
        for entry in chosen
        for longer_ms in (2 * round(max(race.lead_in_of(entry), *raced[entry], 0)),)
    )
