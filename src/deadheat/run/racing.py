"""One race: conformance, then block after block, until each of its pairs is settled or given up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial

from deadheat.model.contender import Contender
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Left,
    RaceUnavailable,
    ReferenceReplaced,
    Settled,
)
from deadheat.model.plan import RacePlan
from deadheat.plan import going_on, lead_in, reference, schedule
from deadheat.plan.skew import blocks_of
from deadheat.results import derive
from deadheat.results.claimed import Race
from deadheat.results.through import through
from deadheat.run import block, conformance, lead_ins, long_turns, repeats, standing
from deadheat.run.kind import Kind, RaceUnavailableError, Stage
from deadheat.run.record import Record
from deadheat.storage.journal import whole_blocks
from deadheat.storage.run_folder import RunFolder


def as_it_stands(race: RacePlan, record: Record) -> RacePlan:
    """The race of a plan after all that has been observed: with its reference, and as many blocks as it has
    since it went on."""
    return going_on.so_far(reference.so_far(race, record.observations), record.observations)


@dataclass(frozen=True)
class Racing:
    """A kind at work. `method` makes of blocks what they say. `begins` is called before the
    first block: whatever comes of it, it was attempted. What is checked or measured is within `alone`, each
    block by itself. `contenders`: those of the workload, in the suite's order."""

    kind: Kind
    record: Record
    folder: RunFolder
    method: derive.Derive
    contenders: Sequence[Contender]
    begins: Callable[[RacePlan], None]
    alone: Callable[[], AbstractContextManager[None]]

    def run(self, stage: Stage) -> None:
        """All of it, or the reason why there is none."""
        if (why := self.kind.unavailable(stage)) is not None:
            self._unavailable(stage, why)
            return
        try:
            self._blocks(stage)
        except RaceUnavailableError as error:
            self._unavailable(stage, str(error))

    def _unavailable(self, stage: Stage, why: str) -> None:
        race = stage.race
        self.record.add(RaceUnavailable(race=race.key, reason=why))
        done = sum(isinstance(o, BlockEnded) and o.race == race.key for o in self.record.observations)
        # What was measured stays.
        state = f"ended after {done} of {race.blocks} blocks" if done else "is unavailable"
        stage.view.warn(f"{race.key} {state}: {why}")

    def _blocks(self, stage: Stage) -> None:
        """Conformance of each entry, then block after block, with the verdicts so far after each."""
        race, record = stage.race, self.record
        if going_on.ended(race, record.observations):
            return
        with self.alone():
            lost = conformance.lost(stage, self.kind, record)
        stage = self._with_reference(stage, lost)
        if _only_ceilings(stage, lost):
            why = standing.why_lost(stage, stage.race.reference, record.observations)
            self._unavailable(stage, f"only the ceiling can race here ({stage.race.reference}: {why})")
            return
        for known in lead_ins.known(stage, record.observations):
            record.add(known)
        for agreed in long_turns.known(stage, self.folder.machine(), record.observations):
            record.add(agreed)
        self._until_settled(stage, lost)
        while self._stand_in(stage.race, lost):
            stage = self._with_reference(stage, lost)
            self._until_settled(stage, lost)

    def _stand_in(self, race: RacePlan, lost: Collection[str]) -> str | None:
        return reference.stand_in(race, lost, self.contenders)

    def _with_reference(self, stage: Stage, lost: Collection[str]) -> Stage:
        """The stage with another reference, where its own has left the race."""
        race, view = stage.race, stage.view
        first = self._stand_in(race, lost)
        if first is None:
            return stage
        why = standing.why_lost(stage, race.reference, self.record.observations)
        self.record.add(
            ReferenceReplaced(workload=race.workload, reference=first, was=race.reference, why=why)
        )
        view.warn(f"{race.key}: {first} is the reference, as {race.reference} cannot race")
        race = as_it_stands(race, self.record)
        view.race(race, race.estimated_s or 0.0)
        for entry in race.entries:
            view.state(entry.id, "failed" if entry.id in lost else "waiting")
        return replace(stage, race=race)

    def _until_settled(self, stage: Stage, lost: set[str]) -> None:
        """Block after block: until each pair is settled, given up or has as many as planned that count."""
        record, observed = self.record, self.record.observations
        race = lead_in.so_far(stage.race, observed)
        ended = [o.block for o in observed if isinstance(o, BlockEnded) and o.race == race.key]
        index = max(ended, default=-1) + 1
        while True:
            stage = replace(stage, race=race)
            gone = lost | standing.left(race, observed)
            counted = standing.counted(race, observed)
            rivals, staying = _rivals(stage, lost), _rivals(stage, gone)
            # More blocks would be the reference's alone: after a resume, and where the last one fails.
            if rivals and not staying:
                return
            among = staying or [race.reference_entry]
            clean = min(counted[entry] for entry in among)
            enough = all(counted[entry] >= blocks_of(race, (entry,)) for entry in among)
            # Nobody left to be compared with, but still rows worth having.
            if enough or len(lost) == len(race.entries) or _only_ceilings(stage, lost):
                return
            budgeted, took = stage.plan.budget_s is not None, repeats.took(race, observed)
            if index >= repeats.most_blocks(race, took, budgeted=budgeted):
                why = "its share of the budget is used" if budgeted else "twice as many as planned"
                stage.view.warn(
                    f"{race.key}: {clean} of {race.blocks} blocks count after {index}, and no more are "
                    f"begun: {why}"
                )
                return
            repeated = repeats.disturbed(race, observed)
            progress = partial(repeats.progress, race, took, repeated, clean, budgeted=budgeted)
            next_block = schedule.block(race, stage.plan.seed, index)
            index += 1
            if not any(isinstance(o, BlockStarted) and o.race == race.key for o in observed):
                self.begins(race)
            with self.alone():
                disturbed = block.run(stage, self.kind, next_block.without(gone), record, lost, progress)
            if disturbed is not None:
                continue
            so_far = self._so_far(stage)
            stage.view.interim(so_far.result)
            lead_ins.keep(stage, so_far, observed)
            long_turns.keep(stage, so_far, self.folder.machine())
            if self._stand_in(race, lost) or self._over(stage, so_far, lost, index):
                return
            race = self._with_longer_lead_ins(stage, so_far, index)

    def _so_far(self, stage: Stage) -> Race:
        """What the blocks that count say."""
        counting = list(whole_blocks(self.record.observations))
        return self.method(stage.race, stage.plan.facts, stage.plan.margin, counting)

    def _over(self, stage: Stage, so_far: Race, lost: Collection[str], index: int) -> bool:
        """Let those leave that need no more blocks; whether nobody is left, before the last block."""
        race, result = stage.race, so_far.result
        if race.to_the_end:
            return False
        if race.leaving is None:
            over, given_up = result.blocks < race.blocks and derive.settled(result), 0
        else:
            before = standing.left(race, self.record.observations)
            leave = through(so_far, stage.plan.facts, stage.plan.margin, race.leaving)
            staying = [entry for entry in _rivals(stage, lost) if entry not in {*leave, *before}]
            for entry, why in leave.items():
                if entry not in before and (why != "enough" or staying):
                    self.record.add(Left(race=race.key, entry=entry, from_block=index, why=why))
                    stage.view.state(entry, why)
            given_up = sum(why == "hopeless" for why in leave.values())
            over = not staying and any(why != "enough" for why in leave.values())
        if over and result.blocks < race.blocks:
            self.record.add(Settled(race=race.key, blocks=result.blocks))
            but = f", but for {given_up} given up" if given_up else ""
            stage.view.note(f"✓ {race.key}: settled after {result.blocks} of {race.blocks} blocks{but}")
        return over

    def _with_longer_lead_ins(self, stage: Stage, so_far: Race, index: int) -> RacePlan:
        """The race from here on, where a look finds that some slices are not flat."""
        race = stage.race
        for longer in lead_ins.longer(race, so_far, index):
            self.record.add(longer)
            whose = ", ".join(longer.entries)
            stage.view.warn(
                f"{race.key}: {longer.why}: from here on {whose} has {longer.lead_in_ms} ms, and its blocks "
                "so far are left out"
            )
        return lead_in.so_far(race, self.record.observations)


def _rivals(stage: Stage, lost: Collection[str]) -> list[str]:
    return standing.rivals(stage.race, _ceilings(stage), lost)


def _only_ceilings(stage: Stage, lost: Collection[str]) -> bool:
    """Nobody else is left, and a ceiling's figures alone answer nothing."""
    ceilings = {*_ceilings(stage)} - {*lost}
    return bool(ceilings) and ceilings == {e.id for e in stage.race.entries} - {*lost}


def _ceilings(stage: Stage) -> list[str]:
    """Entries that show what the machine allows, and are no contenders."""
    return [e.id for e in stage.race.entries if stage.build(e.id).contender.class_ == "ceiling"]
