"""Slices held against turns of seconds without a break: whether both give one ratio to the reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deadheat import stats
from deadheat.model.finding import LongTurnsOpen, SlicesUnchecked
from deadheat.model.measured import SlicePlan
from deadheat.model.observation import LongTurn
from deadheat.model.result import ContenderResult, Interval
from deadheat.results.tally import Tally
from deadheat.results.values import throughput_rps

# How far the two ratios may be apart, and as narrow the interval has to be that says so.
LIMIT = 0.05


@dataclass(frozen=True)
class Agreement:
    """A contender's ratio to the reference in long turns over that in slices, of so many `pairs` of turns in
    `blocks` blocks; `run`: the earlier one that it is from, None where it is of this race."""

    ratio: float
    ci: Interval | None
    pairs: int
    blocks: int
    run: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the interval reaches within the limit."""
        low, high = self.ci or (0.0, math.inf)
        return low <= 1 + LIMIT and high >= 1 / (1 + LIMIT)

    @property
    def known(self) -> bool:
        """Whether it says anything: surely beyond the limit, or narrow enough to show that it is not."""
        return not self.holds or self.narrow

    @property
    def narrow(self) -> bool:
        return self.ci is not None and math.log(self.ci[1] / self.ci[0]) / 2 <= math.log1p(LIMIT)


def agreement(tally: Tally, entry: str) -> Agreement | None:
    """What is known of an entry, from an earlier race or from this one; None where nothing is.

    Of each block the log of the two ratios of sums over one another, of the same starts; a t interval over
    blocks, of as many as a verdict needs.
    """
    if (before := tally.long_known.get(entry)) is not None:
        return Agreement(before.ratio, before.ci, before.pairs, before.blocks, before.run)
    reference = tally.race.reference_entry
    mine, theirs = (_by_block(tally, one) for one in (entry, reference))
    both = [block for block in tally.common_blocks(entry, reference) if block in mine and block in theirs]
    if not both or entry == reference:
        return None
    effects = [
        _effect(mine[block], theirs[block]) - _slices(tally, entry, reference, block) for block in both
    ]
    estimate = stats.estimate(np.array([one for one in effects if math.isfinite(one)]))
    if estimate.ratio is None:
        return None
    enough = estimate.blocks >= tally.method.fewest_blocks
    pairs = sum(len(mine[block]) for block in both)
    return Agreement(estimate.ratio, estimate.ci if enough else None, pairs, estimate.blocks)


def enough(tally: Tally, entry: str) -> bool:
    """Whether an entry needs no more long turns: it is known, or has had as many as were planned."""
    seen = agreement(tally, entry)
    plan = tally.race.slices.long_turns
    if plan is None or (seen is not None and (seen.run is not None or seen.narrow)):
        return True
    return len({(turn.block, turn.round) for turn in tally.long_turns.get(entry, ())}) >= plan.rounds


def unchecked(tally: Tally, table: Sequence[ContenderResult]) -> Iterator[SlicesUnchecked | LongTurnsOpen]:
    """Of whom it is not known, and why: no gate of that name is theirs, which is not to have passed it."""
    plan = tally.race.measured
    if not isinstance(plan, SlicePlan) or plan.long_turns is None:
        return
    missing = []
    for row in table:
        rival = row.status == "measured" and row.class_ != "ceiling" and row.id != tally.race.reference
        if not rival or any(gate.name == "slices-agree" for gate in row.gates):
            continue
        seen = agreement(tally, row.id)
        if seen is None:
            missing.append(row.id)
        else:
            yield LongTurnsOpen(contender=row.id, ratio=seen.ratio, ci=seen.ci, pairs=seen.pairs)
    if missing:
        yield SlicesUnchecked(
            contenders=tuple(sorted(missing)),
            turn_s=plan.long_turns.turn_ms / 1000,
            planned=plan.long_turns.rounds > 0,
        )


def _by_block(tally: Tally, entry: str) -> dict[int, list[LongTurn]]:
    turns: dict[int, list[LongTurn]] = {}
    for turn in tally.long_turns.get(entry, ()):
        turns.setdefault(turn.block, []).append(turn)
    return turns


def _effect(mine: Sequence[LongTurn], theirs: Sequence[LongTurn]) -> float:
    """Log of one rate over the other, in the rounds that both were in; NaN where either did nothing."""
    rounds = {turn.round for turn in mine} & {turn.round for turn in theirs}
    rates = [_rate_rps([turn for turn in turns if turn.round in rounds]) for turns in (mine, theirs)]
    return math.log(rates[0] / rates[1]) if min(rates) > 0 else math.nan


def _rate_rps(turns: Sequence[LongTurn]) -> float:
    """Replies over time; a turn in which something went wrong has none, as a slice has."""
    seconds = sum(turn.counted_s for turn in turns)
    return sum(turn.replies for turn in turns if not sum(turn.errors.values())) / seconds if seconds else 0.0


def _slices(tally: Tally, entry: str, reference: str, block: int) -> float:
    """The log ratio of a block's slices, of the same two starts: the reference's second entry is another."""
    mine, theirs = (tally.rounds(one, throughput_rps, [block]) for one in (entry, reference))
    effects, _, _ = stats.effects_of(mine, theirs)
    return float(effects[0]) if len(effects) else math.nan
