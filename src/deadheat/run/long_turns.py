"""Long turns of a race under way: who still needs some, and what earlier races of the same builds found.

What was found is kept beside the contender's build, for the build of the reference that it was raced with,
the load, the lengths of turns, the CPUs and the machine.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from deadheat.model.measured import SlicePlan
from deadheat.model.observation import BlockStarted, LongTurnsKnown, Observation
from deadheat.results import long_turns
from deadheat.results.claimed import Race
from deadheat.results.tally import tallied
from deadheat.run import kept
from deadheat.run.kind import Stage
from deadheat.run.learnt import load_of
from deadheat.storage.journal import whole_blocks

FILE = "long-turns.json"
# Of the machine's description, what another of the same name would be another machine by.
OF_MACHINE = ("cpu_model", "cores", "kernel")


def due(stage: Stage) -> tuple[str, ...]:
    """Who takes long turns in the next block: the reference, and each rival of which it is not known yet
    whether they agree with its slices; nobody where there is no such rival."""
    race = stage.race
    if race.slices.long_turns is None or not race.slices.long_turns.rounds:
        return ()
    tally = tallied(race, list(whole_blocks(list(stage.observed))))
    wanted = tuple(entry for entry in _rivals(stage) if not long_turns.enough(tally, entry))
    return (race.reference_entry, *wanted) if wanted else ()


def known(
    stage: Stage, machine: Mapping[str, Any], observed: Sequence[Observation]
) -> Iterator[LongTurnsKnown]:
    """Before the first block: what earlier races of these very builds found here."""
    begun = any(isinstance(o, BlockStarted | LongTurnsKnown) and o.race == stage.race.key for o in observed)
    measured = stage.race.measured
    if begun or not isinstance(measured, SlicePlan) or measured.long_turns is None:
        return
    for entry in _rivals(stage):
        found = kept.read(stage.build(entry), FILE).get(_key(stage, machine))
        with contextlib.suppress(ValidationError):
            if found is not None:
                one = LongTurnsKnown.model_validate_json(json.dumps(found))
                yield one.replaced(race=stage.race.key, entry=entry)


def keep(stage: Stage, so_far: Race, machine: Mapping[str, Any]) -> None:
    """What is known now, for the next race of these builds."""
    for entry in _rivals(stage) if so_far.tally.long_turns else ():
        tally = long_turns.agreement(so_far.tally, entry)
        if tally is None or tally.ci is None or tally.run is not None or not tally.narrow:
            continue
        one = LongTurnsKnown(
            race=stage.race.key,
            entry=entry,
            ratio=tally.ratio,
            ci=tally.ci,
            pairs=tally.pairs,
            blocks=tally.blocks,
            run=stage.plan.run,
        )
        kept.keep(stage.build(entry), FILE, _key(stage, machine), one.model_dump(mode="json"))


def _rivals(stage: Stage) -> list[str]:
    race = stage.race
    return [
        entry.id
        for entry in race.entries
        if not entry.null
        and entry.id != race.reference_entry
        and stage.build(entry.id).contender.class_ != "ceiling"
    ]


def _key(stage: Stage, machine: Mapping[str, Any]) -> str:
    """Whatever else it holds for, as text: another of any is asked anew."""
    race, plan = stage.race, stage.race.slices
    return json.dumps(
        {
            "reference": stage.build(race.reference_entry).record.key,
            "load": load_of(race),
            "slices_ms": [plan.lead_in_ms, plan.counted_ms],
            "turn_ms": plan.long_turns.turn_ms if plan.long_turns is not None else None,
            "cpus": [stage.server_cpus, stage.plan.generator_cpus],
            "machine": [machine.get(name) for name in OF_MACHINE],
        },
        sort_keys=True,
    )
