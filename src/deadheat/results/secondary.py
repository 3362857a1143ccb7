"""Claims about other figures than a race's own: a family beside that of its verdicts, judged alike."""

from __future__ import annotations

from collections.abc import Sequence

from deadheat import stats
from deadheat.model.claim import Claim, Study
from deadheat.plan.asked import OURS
from deadheat.plan.looks import looks_of
from deadheat.results import claimed, judging
from deadheat.results.claimed import EXACT, Cores, Question, Race, Way


def family(
    studies: Sequence[Study], race: Race, races: Sequence[Race], margin: float, cores: Cores
) -> dict[Question, stats.Verdict]:
    """What claims ask about CPU, latency, memory and builds of one race, each question once, judged together.

    By Holm's step-down over the looks of the race: it may have ended at any of them. Its primary verdicts
    are another family and cost these nothing. Of figures that nobody repeated there is nothing to judge.
    """
    method = race.tally.method
    if not method.one_family or race.single is not None:
        return {}
    asked = {
        claimed.question(claim): claim
        for study in studies
        for claim in study.claim
        for way in claimed.ways(claim)
        if _is_asked(claim, study, way, race, races, cores)
    }
    estimates = {question: _estimate(question, claim, race) for question, claim in asked.items()}
    repeated = {question: one for question, one in estimates.items() if one is not None and one.blocks > 0}
    return stats.judge_family(
        repeated,
        margin=margin,
        looks={question: looks_of(race.tally.race, question[1:]) for question in repeated},
        fewest_blocks={question: _fewest(question, race) for question in repeated},
    )


def _is_asked(claim: Claim, study: Study, way: Way, race: Race, races: Sequence[Race], cores: Cores) -> bool:
    if way.method != OURS or claimed.race_of(claim, study, way, races) is not race:
        return False
    return not claimed.is_own(claim, race) and claimed.not_run(claim, study, way, race, cores) is None


def _fewest(question: Question, race: Race) -> int:
    metric, a, b = question
    # Builds are repeated apart: how a program's starts differ is nothing of theirs.
    return race.tally.method.fewest_blocks if metric in EXACT else judging.fewest_of(race.tally, (a, b))


def _estimate(question: Question, claim: Claim, race: Race) -> stats.Estimate | None:
    _, a, b = question
    return claimed.estimate(claim.replaced(a=a, b=b), race)
