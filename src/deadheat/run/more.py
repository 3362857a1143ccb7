"""Which races of a run may be given more blocks, and why others may not."""

from __future__ import annotations

from deadheat.errors import UserError
from deadheat.model.plan import Plan, RacePlan
from deadheat.model.result import RaceResult, Results


def of_run(plan: Plan, results: Results) -> dict[str, int]:
    """The races with something open, by key, and up to how many blocks each may have. Raises UserError
    where there is none, saying of each race why not."""
    found = open_races(plan, results)
    if not found:
        why = "; ".join(f"{race.key}: {_why_not(race, result)}" for race, result in _both(plan, results))
        raise UserError(
            f"no race of this run can go on: {why}",
            hint="race anew: how often a pair was raced in a day stands in every report",
        )
    return found


def open_races(plan: Plan, results: Results) -> dict[str, int]:
    """The same, empty where there is none."""
    return {
        race.key: race.going_on.most
        for race, result in _both(plan, results)
        if race.going_on is not None and _why_not(race, result) is None
    }


def _both(plan: Plan, results: Results) -> list[tuple[RacePlan, RaceResult]]:
    by_race = {(one.name, one.setting, one.method): one for one in results.workloads}
    return [(race, by_race[race.workload, race.setting, race.method]) for race in plan.workloads]


def _why_not(race: RacePlan, result: RaceResult) -> str | None:
    if race.going_on is None:
        return "it was planned without blocks to go on by"
    if not result.verdicts:
        return "it has no pair to judge"
    if all(verdict.verdict in ("faster", "dead heat") for verdict in result.verdicts):
        return "every pair is settled"
    if result.blocks >= race.going_on.most:
        return f"it has the {race.going_on.most} blocks that were planned at most"
    return None
