"""Who is still raced, and how many blocks of those count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Checked,
    Failed,
    GoneOn,
    LeadInGrown,
    Left,
    Observation,
    ReferenceReplaced,
    Slice,
)
from deadheat.model.plan import RacePlan
from deadheat.results.claimed import Race
from deadheat.run.kind import Stage


def left(race: RacePlan, observed: Iterable[Observation]) -> set[str]:
    """Entries that need not be raced any longer; against another reference all must be again, and where a
    race goes on those that were not settled."""
    gone: set[str] = set()
    settled: set[str] = set()
    for o in observed:
        if isinstance(o, Left) and o.race == race.key:
            gone.add(o.entry)
            if o.why == "settled":
                settled.add(o.entry)
        elif isinstance(o, GoneOn) and o.race == race.key:
            gone &= settled
        elif isinstance(o, ReferenceReplaced) and o.workload == race.workload:
            gone.clear()
            settled.clear()
    return gone


def rivals(race: RacePlan, ceilings: Collection[str], lost: Collection[str]) -> list[str]:
    """Who is held against the reference: without any, the reference alone is raced to the end."""
    apart = {race.reference_entry, *ceilings, *lost}
    return [entry.id for entry in race.entries if not entry.null and entry.id not in apart]


def why_lost(stage: Stage, contender: str, observed: Sequence[Observation]) -> str:
    """What became of a contender: its build, its check, or what it did in a block."""
    build, race = stage.builds[contender].record, stage.race
    if build.status != "ready":
        return build.reason or build.status
    for o in reversed(observed):
        if isinstance(o, Checked) and not o.ok and (o.workload, o.contender) == (race.workload, contender):
            return o.reason or "wrong answers"
        if isinstance(o, Failed) and o.race == race.key and o.entry.rstrip("'") == contender:
            return o.reason
    return "it left the race"


def counted(race: RacePlan, observed: Iterable[Observation]) -> Counter[str]:
    """In how many blocks that count each entry was: not in those that somebody got into, nor in those before
    its lead-in was made longer."""
    there: dict[int, tuple[str, ...]] = {}
    blocks: Counter[str] = Counter()
    for o in observed:
        if isinstance(o, BlockStarted) and o.race == race.key:
            there[o.block] = o.order
        elif isinstance(o, BlockEnded) and o.race == race.key and o.disturbed is None:
            blocks.update(there.get(o.block, ()))
        elif isinstance(o, LeadInGrown) and o.race == race.key:
            for entry in o.entries or tuple(blocks):
                blocks.pop(entry, None)
    return blocks


def lead_ins_ms(so_far: Race) -> Mapping[str, list[float]]:
    """Of each entry its slices' median lead-in in each block that counts; no entry without slices."""
    turns = so_far.tally.turns
    return {
        entry: [
            float(
                np.median([(t.counted_from_ns - t.started_ns) / 1e6 for t in block if isinstance(t, Slice)])
            )
            for block in blocks.values()
        ]
        for entry, blocks in turns.items()
        if all(isinstance(turn, Slice) for block in blocks.values() for turn in block)
    }
