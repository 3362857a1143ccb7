"""What earlier races say of one that is planned: null pairs, skewed starts, how often it was run."""

from __future__ import annotations

from collections.abc import Sequence

from deadheat import stats
from deadheat.model.past import Past, PastRace
from deadheat.model.plan import RacePlan
from deadheat.plan.duration import MIN_ROUNDS


def with_past(race: RacePlan, ledger: Sequence[PastRace], started: str) -> RacePlan:
    """The race with what the ledger of this machine has of it, and blocks enough for skewed starts."""
    race = race.replaced(past=of_race(race, ledger, started))
    return _for_skew(_counted(race))


def of_race(race: RacePlan, ledger: Sequence[PastRace], started: str) -> Past:
    """Null pairs of the same kind and method; starts and races of the same workload and setting."""
    alike = [one for one in ledger if (one.kind, one.method_version) == (race.kind, race.method_version)]
    null_pairs = [one.excludes for one in alike if one.excludes is not None][-stats.POOL_SIZE :]
    same = [one for one in alike if (one.workload, one.setting) == (race.workload, race.setting)]
    ids = sorted({entry.contender for entry in race.entries})
    starts = {
        id_: tuple(start for one in same for start in one.starts.get(id_, ()))[-stats.MOST_STARTS :]
        for id_ in ids
    }
    return Past(
        null_pairs=len(null_pairs),
        excluding=sum(null_pairs),
        starts={id_: of for id_, of in starts.items() if of},
        today=sum(one.started[:10] == started[:10] for one in same),
    )


def skewed(race: RacePlan) -> list[str]:
    """The contenders whose last starts are skewed, so that few blocks miss the rare slow one."""
    return [] if race.past is None else [id_ for id_, of in race.past.starts.items() if stats.skewed(of)]


def _counted(race: RacePlan) -> RacePlan:
    """People race again until it suits them: how often is said."""
    if race.past is None or not race.past.today:
        return race
    note = f"race number {race.past.today + 1} of this workload on this machine today"
    return race.replaced(notes=(*race.notes, note))


def _for_skew(race: RacePlan) -> RacePlan:
    """As many blocks as verdicts on skewed starts need, of fewer rounds, so that it takes about as long."""
    found = skewed(race)
    if not found:
        return race
    fewest = stats.METHODS[race.method_version].fewest_if_skewed
    note = f"starts of {', '.join(found)} were skewed before: verdicts need {fewest} blocks"
    if race.blocks < fewest:
        fewer = max(min(race.rounds, MIN_ROUNDS), race.rounds * race.blocks // fewest)
        race = race.replaced(blocks=fewest, rounds=fewer)
    return race.replaced(notes=(*race.notes, note))
