"""Several verdicts at once: Holm's step-down, each interval taken to the level it was judged at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from scipy.special import stdtr

from deadheat.model.reason import Reason
from deadheat.stats.estimate import Estimate
from deadheat.stats.sequential import Looks
from deadheat.stats.verdict import DEFAULT_MARGIN, Verdict, judge, log_margin, region

Key = TypeVar("Key", bound=Hashable)


def decision_p(estimate: Estimate, margin: float) -> float:
    """The smallest alpha at which a t interval lies wholly on one side of the margin's nearer edge.

    Any wrong decision, a false winner or a false dead heat, needs an interval that misses the truth, so this
    is a valid p-value of "the decision at this pair is wrong". 1 where the blocks allow no interval.
    """
    if estimate.log_ratio is None or estimate.blocks < 2:
        return 1.0
    distance = abs(abs(estimate.log_ratio) - log_margin(margin))
    if estimate.standard_error == 0:
        return 0.0 if distance > 0 else 1.0
    freedom = estimate.blocks - 1 if estimate.freedom is None else estimate.freedom
    return 2 * float(stdtr(freedom, -distance / estimate.standard_error))


def judge_family(
    estimates: Mapping[Key, Estimate],
    margin: float = DEFAULT_MARGIN,
    *,
    confidence: float = 0.95,
    looks: Looks | Mapping[Key, Looks] | None = None,
    doubts: Mapping[Key, Sequence[Reason]] | None = None,
    fewest_blocks: int | Mapping[Key, int] = 2,
    look_penalty: bool = True,
) -> dict[Key, Verdict]:
    """Verdicts of a family of t estimates, keys in the order given; confidence is the family's.

    Holm (1979): of m pairs the one surest to be decided is judged at alpha / m, the next at alpha / (m - 1),
    and so on; from the first that is undecided on, all are judged at its level. With `looks`, of all or of
    each pair, each level is spent over them (Ye et al. 2013), and the verdicts hold at whichever look the run
    stopped. Each verdict's estimate has the interval of its level, so that the printed interval and the
    verdict cannot disagree; being at least as wide as its unadjusted one, each alone covers with the family's
    confidence or more. A pair with fewer blocks than `fewest_blocks` is undecided. Pairs may differ in
    blocks: one whose data stopped once it was decided stays decided, since levels only get milder (section
    "Looks" of the method). `look_penalty`: what more blocks would settle is told at the level of their look,
    not at alpha.
    """
    alpha = 1 - confidence
    verdicts: dict[Key, Verdict] = {}
    fewest = {
        key: fewest_blocks if isinstance(fewest_blocks, int) else fewest_blocks[key] for key in estimates
    }
    own = {key: looks if looks is None or isinstance(looks, Looks) else looks[key] for key in estimates}
    while len(verdicts) < len(estimates):
        level = alpha / (len(estimates) - len(verdicts))
        adjusted = {key: _at(e, level, own[key]) for key, e in estimates.items() if key not in verdicts}
        decided = [
            key
            for key, e in adjusted.items()
            if e.blocks >= fewest[key] and region(e.low, e.high, margin) != "across"
        ]
        # One a step, the surest first: the rest may then be judged at the next, milder level.
        surest = sorted(decided, key=lambda key: decision_p(estimates[key], margin))[:1]
        step = len(verdicts) + 1
        for key in surest or adjusted:
            verdict = judge(
                adjusted[key],
                margin,
                doubts=(doubts or {}).get(key, ()),
                fewest_blocks=fewest[key],
                later_confidence=_later(level, own[key] if look_penalty else None),
            )
            verdicts[key] = replace(verdict, family=len(estimates), step=step, alpha=round(level, 12))
    return {key: verdicts[key] for key in estimates}


def _later(level: float, looks: Looks | None) -> Callable[[int], float]:
    return lambda blocks: 1 - (level if looks is None else looks.later_level(level, blocks))


def _at(estimate: Estimate, alpha: float, looks: Looks | None) -> Estimate:
    nominal = alpha if looks is None else looks.nominal(alpha, estimate.blocks)
    return estimate.at(1 - nominal)
