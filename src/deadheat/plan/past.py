"""What earlier races say of one that is planned: null pairs, skewed starts, how often it was run."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence

from deadheat import stats
from deadheat.model.measured import ColdPlan
from deadheat.model.past import Past, PastRace
from deadheat.model.plan import RacePlan
from deadheat.plan import learnt, skew
from deadheat.plan.duration import MIN_ROUNDS


def with_past(race: RacePlan, ledger: Sequence[PastRace], started: str) -> RacePlan:
    """The race with what the ledger of this machine has of it, and blocks enough for skewed starts."""
    race = race.replaced(past=of_race(race, ledger, started))
    return _for_skew(race)


def begun(race: RacePlan, run: str, started: str, machine: str) -> PastRace:
    """The ledger's line of a race that begins."""
    return PastRace(
        run=run,
        started=started,
        machine=machine,
        workload=race.workload,
        setting=race.setting,
        kind=race.kind,
        method_version=race.method_version,
        cold=isinstance(race.measured, ColdPlan),
        rests=True,
        compilers_apart=True,
        contenders=tuple(sorted({entry.contender for entry in race.entries})),
        outcome="begun",
    )


def of_race(race: RacePlan, ledger: Sequence[PastRace], started: str) -> Past:
    """Null pairs of the same kind and method; starts and races of the same workload and setting. Starts that
    were not left alone in their warm-ups vary otherwise."""
    kind = (race.kind, isinstance(race.measured, ColdPlan), race.method_version)
    alike = [one for one in ledger if (one.kind, one.cold, one.method_version) == kind]
    null_pairs = [one.excludes for one in alike if one.excludes is not None][-stats.POOL_SIZE :]
    same = learnt.same_race(race, ledger)
    ids = sorted({entry.contender for entry in race.entries})
    today = [one for one in same if one.started[:10] == started[:10] and _shares_a_pair(one, ids)]
    by_spread = [_by_spread(one) for one in same if one.rests]
    starts = {
        id_: tuple(start for of in by_spread for start in of.get(id_, ()))[-stats.MOST_STARTS :]
        for id_ in ids
    }
    past = Past(
        null_pairs=len(null_pairs),
        excluding=sum(null_pairs),
        starts={id_: of for id_, of in starts.items() if of},
        today=len(today),
        outcomes=dict(Counter(one.outcome for one in today if one.outcome is not None)),
        spread=learnt.variances(race, ledger),
        overrun=learnt.overrun(race, ledger),
    )
    return learnt.with_warm_ups(past, learnt.needed_s(race, ledger))


def _by_spread(one: PastRace) -> dict[str, tuple[float, ...]]:
    """A race's starts over how its contenders' differ (the median of their root mean squares): those of a
    noisy hour, beside others of a quiet one, would look skewed by chance."""
    rms = [math.sqrt(statistics.fmean(x * x for x in of)) for of in one.starts.values() if of]
    spread = statistics.median(rms) if rms else 0.0
    if spread <= 0:
        return one.starts
    return {id_: tuple(round(x / spread, 4) for x in of) for id_, of in one.starts.items()}


def _shares_a_pair(one: PastRace, ids: Sequence[str]) -> bool:
    """Of a line that does not say who raced it is taken that these did."""
    return not one.contenders or len(set(one.contenders) & set(ids)) >= 2


def _for_skew(race: RacePlan) -> RacePlan:
    """As many blocks as verdicts on skewed starts need, of fewer rounds, so that it takes about as long: for
    everybody where the reference is skewed, or all others are, or nobody leaves a race before its end."""
    found = skew.skewed(race)
    if not found:
        return race
    method = stats.METHODS[race.method_version]
    fewest, before = method.fewest_if_skewed, race.blocks
    note = f"starts of {', '.join(found)} were skewed before: verdicts on them need {fewest} blocks"
    if before < fewest:
        race = race.replaced(blocks=fewest)
        others = {entry.contender for entry in race.entries} - {race.reference, *found}
        if race.leaving is not None and others and race.reference not in found:
            race = race.replaced(unskewed_blocks=max(before, method.fewest_blocks))
        fewer = int(race.rounds * before / skew.in_all(race))
        race = race.replaced(rounds=max(min(race.rounds, MIN_ROUNDS), fewer))
    return race.replaced(notes=(*race.notes, note))
