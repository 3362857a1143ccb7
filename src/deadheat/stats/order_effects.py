"""Does the order matter? Drift within a block, and what a predecessor leaves behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deadheat.stats.estimate import Estimate, Series, block_effects, estimate
from deadheat.stats.family import decision_p


def drift(a: Series, b: Series, *, lower_is_better: bool = False, confidence: float = 0.95) -> Estimate:
    """How the ratio a / b of each block's second half of rounds compares with that of its first half.

    A ratio of 1.03 means that a gained 3% on b within blocks: one of them was not yet warm, or tires.
    Interval by t over the blocks that have both halves. Blocks of odd length leave out the middle round.
    """
    changes = []
    for in_a, in_b in zip(a, b, strict=True):
        half = len(in_a) // 2
        first = block_effects([in_a[:half]], [in_b[:half]], lower_is_better=lower_is_better)
        second = block_effects(
            [in_a[len(in_a) - half :]], [in_b[len(in_b) - half :]], lower_is_better=lower_is_better
        )
        if len(first) and len(second):
            changes.append(float(second[0] - first[0]))
    return estimate(np.array(changes), confidence=confidence)


@dataclass(frozen=True)
class Turn:
    """One slice as it was played: which round, whose, and its log value (NaN if it failed)."""

    round: int
    contender: str
    log_value: float


@dataclass(frozen=True)
class CarryOver:
    """How `contender` does right after `predecessor`, against after the others.

    `estimate` has the interval at the level of the whole table; `found` is whether that excludes 1.
    """

    contender: str
    predecessor: str
    estimate: Estimate
    found: bool


def carry_over(blocks: Sequence[Sequence[Turn]], *, confidence: float = 0.95) -> list[CarryOver]:
    """Tests each contender after each predecessor; `blocks` hold their turns in the order played.

    Each value is taken against its contender's level in the block and its round's mean, so that drift of the
    machine over rounds is out; an effect is a mean difference a block, its interval by t over blocks. All
    tests together err with 1 - confidence (Bonferroni). A contender may be its own predecessor: a round's
    second half begins with whom the first half ended.
    """
    per_block: dict[tuple[str, str], list[float]] = defaultdict(list)
    for turns in blocks:
        for pair, effect in _block_carry_over(turns).items():
            per_block[pair].append(effect)
    estimates = {pair: estimate(np.array(effects)) for pair, effects in sorted(per_block.items())}
    alpha = (1 - confidence) / max(1, len(estimates))
    return [
        CarryOver(contender, predecessor, found.at(1 - alpha), decision_p(found, 0) <= alpha)
        for (contender, predecessor), found in estimates.items()
    ]


def _block_carry_over(turns: Sequence[Turn]) -> dict[tuple[str, str], float]:
    """Of one block: contender and predecessor -> mean residual after it less the mean after all others."""
    residuals = _residuals(turns)
    after: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for before, turn in zip(turns, residuals[1:], strict=False):
        if np.isfinite(turn.log_value):
            after[turn.contender][before.contender].append(turn.log_value)
    effects = {}
    for contender, by_predecessor in after.items():
        for predecessor, values in by_predecessor.items():
            others = [v for p, vs in by_predecessor.items() if p != predecessor for v in vs]
            if others:
                effects[contender, predecessor] = float(np.mean(values) - np.mean(others))
    return effects


def _residuals(turns: Sequence[Turn]) -> list[Turn]:
    """Turns with values less their contender's mean, then less their round's."""
    for key in ("contender", "round"):
        groups: dict[object, list[float]] = defaultdict(list)
        for turn in turns:
            if np.isfinite(turn.log_value):
                groups[getattr(turn, key)].append(turn.log_value)
        means = {group: float(np.mean(values)) for group, values in groups.items()}
        turns = [
            replace(t, log_value=t.log_value - means.get(getattr(t, key), 0.0))
            if np.isfinite(t.log_value)
            else replace(t, log_value=np.nan)
            for t in turns
        ]
    return list(turns)
