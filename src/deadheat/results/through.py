"""Who need not be raced any longer: whose pairs are settled, or hardly can be by the last block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from deadheat import stats
from deadheat.model.plan import Leaving
from deadheat.model.suite_facts import SuiteFacts
from deadheat.plan.looks import looks_of
from deadheat.plan.skew import blocks_of
from deadheat.results import derive, figures, judging
from deadheat.results.claimed import Race

Why = Literal["settled", "hopeless", "enough"]


def through(race: Race, facts: SuiteFacts, margin: float, leaving: Leaving) -> Mapping[str, Why]:
    """Entries by why they may leave; the reference and its second entry stay for as long as anybody does.

    A pair whose data stop once it is decided stays decided (section "Looks" of docs/method.md); to give one
    up costs no error, since alpha is spent as if nobody ever did, and is done only where a race is long
    enough that something is saved. An entry leaves when all its pairs of the
    family are through, and when it has as many blocks as were planned. The ceiling, which is no rival,
    leaves as soon as there are blocks enough for any verdict.
    """
    tally, plan = race.tally, race.tally.race
    rows = {row.id: row for row in race.result.contenders}
    blocks = {entry.id: len(tally.common_blocks(entry.id)) for entry in plan.entries}
    outcomes: dict[str, list[Why | None]] = {entry: [] for entry in rows}
    pairs = _pairs(race, facts, margin, leaving)
    for pair, outcome in pairs.items():
        for entry in pair:
            outcomes[entry].append(outcome)
    leave: dict[str, Why] = {}
    for entry, of_pairs in outcomes.items():
        if entry == plan.reference_entry:
            continue
        if of_pairs and all(of_pairs):
            leave[entry] = "hopeless" if "hopeless" in of_pairs else "settled"
        elif blocks[entry] >= blocks_of(plan, (entry,)) or (
            rows[entry].class_ == "ceiling" and blocks[entry] >= tally.method.fewest_blocks
        ):
            leave[entry] = "enough"
    return leave


def _pairs(
    race: Race, facts: SuiteFacts, margin: float, leaving: Leaving
) -> dict[tuple[str, str], Why | None]:
    """What became of each pair of the family; None where it races on."""
    tally, plan = race.tally, race.tally.race
    rows = {row.id: row for row in race.result.contenders}
    measured = [entry for entry, row in rows.items() if row.status == "measured"]
    # Who asked for more blocks knows that the pair is open, and gets them.
    asked_on = plan.going_on is not None and plan.blocks > plan.going_on.end
    may_give_up = not asked_on and (plan.estimated_s or 0.0) >= leaving.hopeless_least_s
    final = {frozenset((verdict.a, verdict.b)): verdict.verdict for verdict in race.result.verdicts}
    outcomes: dict[tuple[str, str], Why | None] = {}
    ceilings = [entry for entry in measured if rows[entry].class_ == "ceiling"]
    judged = judging.judged(
        tally, measured, ceilings, margin, derive.claimed_pairs(facts, plan), figures.compared(tally)
    )
    for pair, verdict in judged.items():
        looks, last = looks_of(plan, pair), blocks_of(plan, pair)
        outcome: Why | None = None
        if final.get(frozenset(pair)) in ("faster", "dead heat"):
            outcome = "settled" if looks.may_end(verdict.estimate.blocks) else None
        elif (
            may_give_up
            and final.get(frozenset(pair)) == "inconclusive"
            and stats.hopeless(
                verdict.estimate,
                last,
                margin,
                1 - looks.nominal(verdict.alpha, last),
                fewest_blocks=tally.method.fewest_blocks,
                from_share=leaving.hopeless_from,
                below=leaving.hopeless_below,
            )
        ):
            outcome = "hopeless"
        outcomes[pair] = outcome
    return outcomes
