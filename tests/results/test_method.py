"""What the method's version 2 changes in a race's results: sums, both entries, five blocks."""

from __future__ import annotations

import math

import pytest

from deadheat.model.observation import Observation, Slice
from deadheat.model.plan import RacePlan
from deadheat.results import judging
from deadheat.results.tally import Tally, tallied
from deadheat.results.values import throughput_rps
from tests.made.observed import observations, race


def found(version: int = 2, stalled: bool = False, lost: int | None = None) -> Tally:
    """A race in which fast may stall in every fourth round, or the second entry be missing in a block."""
    plan: RacePlan = race().model_copy(update={"method_version": version})
    null = plan.null_entry
    seen = [_stall(o) if stalled else o for o in observations(plan) if not _missing(o, null, lost)]
    return tallied(plan, seen)


def _stall(o: Observation) -> Observation:
    hit = isinstance(o, Slice) and not o.warm_up and o.entry == "fast" and o.round % 4 == 0
    return o.model_copy(update={"replies": 0}) if hit else o


def _missing(o: Observation, entry: str | None, block: int | None) -> bool:
    return isinstance(o, Slice) and not o.warm_up and (o.entry, o.block) == (entry, block)


def pair(of: Tally) -> float:
    ratio = judging.compare(of, "fast", "slow", throughput_rps, "throughput_rps").ratio
    assert ratio is not None
    return ratio


def test_a_stall_costs_its_replies_and_no_round_is_lost() -> None:
    calm, stalled = found(), found(stalled=True)
    rounds = calm.race.rounds
    share = sum(1 for n in range(rounds) if n % 4 == 0) / rounds
    assert pair(stalled) / pair(calm) == pytest.approx(1 - share, rel=0.05)
    estimate = judging.compare(stalled, "fast", "slow", throughput_rps, "throughput_rps")
    assert estimate.rounds_lost == 0


def test_version_1_left_such_rounds_out() -> None:
    estimate = judging.compare(found(1, stalled=True), "fast", "slow", throughput_rps, "throughput_rps")
    assert estimate.rounds_lost > 0
    assert estimate.ratio == pytest.approx(pair(found(1)), rel=0.05)


def test_the_reference_is_the_mean_of_its_two_entries() -> None:
    of, alone = found(), found_without_second()
    null = of.race.null_entry
    assert null is not None
    effects = [
        judging.compare(one, entry, "fast", throughput_rps, "throughput_rps").effects
        for one, entry in ((alone, "slow"), (of, null), (of, "slow"))
    ]
    first, second, both = effects
    mean = [math.log((math.exp(a) + math.exp(b)) / 2) for a, b in zip(first, second, strict=True)]
    assert both == pytest.approx(mean, abs=1e-6)


def test_each_blocks_ratio_is_what_the_estimate_rests_on() -> None:
    for version in (1, 2):
        of = found(version)
        effects = judging.by_block(of, "fast", "slow", throughput_rps, "throughput_rps")
        whole = judging.compare(of, "fast", "slow", throughput_rps, "throughput_rps")
        assert list(effects) == of.blocks
        assert list(effects.values()) == pytest.approx(whole.effects)


def found_without_second() -> Tally:
    of = found()
    null = of.race.null_entry
    assert null is not None
    del of.turns[null]
    return of


def test_a_second_entry_that_was_lost_in_any_block_counts_in_none() -> None:
    lost, without = found(lost=2), found_without_second()
    assert pair(lost) == pytest.approx(pair(without))
    assert judging.second_entry(lost, lost.blocks) is None
    assert judging.second_entry(found(), found().blocks) is not None
