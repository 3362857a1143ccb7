"""Ordinary blocks against those of starts that were loaded for 60 s: what comes next, the plan, the table."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from bench import warmed_starts
from bench.warmed_starts import PAIRS, WARMED_S, WORKLOADS, Block, Raced

from deadheat.model.past import Past
from deadheat.model.plan import DisturbanceLimits
from deadheat.stats import steady
from tests.made import observed

GO, OTHERS = WORKLOADS["http-hello"]
DAY = "2026-11-27T00:00:00Z"


def raced(workload: str, warmed_s: float | None, number: int, block: Block | None) -> Raced:
    return Raced(workload, warmed_s, number, block, seconds=60.0, at=DAY)


def block(ratio: float) -> Block:
    return Block({GO: 1000.0, OTHERS[0]: 1000.0 * ratio}, {GO: 0.5, OTHERS[0]: 12.0})


def test_either_kind_is_first_in_turn_and_a_block_that_does_not_count_is_raced_again_in_its_place() -> None:
    done: list[Raced] = []
    refused = 0
    while (following := next(warmed_starts.left(done), None)) is not None:
        counts = refused > 0 or following[1] is None
        refused += not counts
        done.append(raced(*following, block=block(1.0) if counts else None))
    assert refused == 1
    for workload in WORKLOADS:
        order = [one.warmed_s for one in done if one.workload == workload and one.block]
        assert order == [None, WARMED_S, WARMED_S, None] * (PAIRS // 2)
    assert done[1].block is None and replace(done[2], block=None) == done[1]


def test_both_kinds_are_one_start_of_each_and_differ_in_their_warm_up_alone() -> None:
    ordinary = observed.plan(observed.race(warm_up_ms=500, lead_in_ms=50, counted_ms=100, loads=(0.5,)))
    (warmed,) = warmed_starts.planned(ordinary, 60.0).workloads
    (same,) = warmed_starts.planned(ordinary, None).workloads
    assert (warmed.blocks, warmed.slices.warm_up_ms, warmed.loads, warmed.null_entry) == (1, 500, (), None)
    assert warmed.past is not None and warmed.past.watched.keys() == warmed.past.warm_up_s.keys()
    assert set(warmed.past.warm_up_s.values()) == {60.0}
    assert set(warmed.past.watched.values()) == {steady.WATCHED}
    assert same == warmed.replaced(past=same.past)
    (race,) = ordinary.workloads
    assert same.rounds == warmed_starts.ROUNDS * race.rounds


def test_whose_warm_up_no_earlier_race_told_is_named() -> None:
    """Each of its blocks would be watched, and loaded for longer than the ordinary ones of a race are."""
    race = observed.race()
    assert warmed_starts.unknown(observed.plan(race)) == sorted({e.contender for e in race.entries})
    told = {entry.contender: 0.5 for entry in race.entries}
    past = Past(warm_up_s=told, watched=dict.fromkeys(told, 3))
    assert warmed_starts.unknown(observed.plan(race.replaced(past=past))) == []
    past = past.replaced(watched={**past.watched, "fast": 2})
    assert warmed_starts.unknown(observed.plan(race.replaced(past=past))) == ["fast"]


def test_a_block_is_what_its_starts_served_over_the_time_that_was_counted() -> None:
    race = observed.race(blocks=1, rounds=10)
    seen = observed.observations(race, speeds={"fast": 1.3}, noise=0.02)
    found = warmed_starts.counted(observed.plan(race), seen)
    assert found is not None
    ratio = warmed_starts.log_ratio(found, "slow", "fast")
    assert ratio is not None and math.exp(ratio) == pytest.approx(1.3, rel=0.03)
    assert warmed_starts.log_ratio(found, "slow", "nobody") is None


def test_a_block_that_somebody_got_into_does_not_count() -> None:
    race = observed.race(blocks=1)
    limits = DisturbanceLimits()
    plan = observed.plan(race).replaced(disturbance=limits)
    watched_ns = observed.WALL_NS * 2
    for share, counts in ((limits.others / 2, True), (limits.others * 2, False)):
        others = round(share * watched_ns)
        seen = observed.observations(race, around={"others_ns": others, "seen_ns": others})
        assert (warmed_starts.counted(plan, seen) is not None) is counts


def of_pair(number: int, ordinary: float, warmed: float) -> list[Raced]:
    return [raced("http-hello", None, number, block(ordinary)),
            raced("http-hello", WARMED_S, number, block(warmed))]  # fmt: skip


def test_an_hour_that_slows_one_contender_is_in_both_blocks_of_a_pair() -> None:
    """Ratios that move by 20% from pair to pair, and a warm-up that is 2% short: told to the percent."""
    rng = np.random.default_rng(5)
    done = [
        one
        for number, hour in enumerate(np.exp(rng.normal(0, 0.2, PAIRS)))
        for one in of_pair(number, 0.98 * hour * math.exp(rng.normal(0, 0.005)), hour)
    ]
    apart = np.subtract(*warmed_starts.pairs(done, "http-hello", OTHERS[0]).T)
    assert np.exp(apart.mean()) == pytest.approx(0.98, abs=0.01)


def test_a_pair_of_which_one_block_is_missing_is_none() -> None:
    done = [*of_pair(0, 0.33, 0.34), raced("http-hello", None, 1, block(0.5)),
            raced("http-hello", WARMED_S, 1, None)]  # fmt: skip
    found = warmed_starts.pairs(done, "http-hello", OTHERS[0])
    assert found == pytest.approx(np.log([[0.33, 0.34]]))
    assert len(warmed_starts.pairs(done, "http-hello", OTHERS[1])) == 0


def test_the_table_says_who_is_within_three_percent() -> None:
    def of(ratio: float) -> list[str]:
        return warmed_starts.table(
            [one for n, by in enumerate((0.99, 1.0, 1.01)) for one in of_pair(n, ratio * by, 0.34)]
        )

    near, far = of(0.335), of(0.20)
    assert near[2].startswith("| http-hello | java-jdk | 3 | 12.0 s | 0.335 | 0.340 | 0.985 (0.961 to ")
    assert near[2].endswith("| yes |") and far[2].endswith("| **no** |")
    assert near[3] == "| http-hello | node-http | 0 | - | - | - | - | not known yet |"


def test_a_line_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmed_starts, "RACES", tmp_path / "races.jsonl")
    assert warmed_starts.read() == []
    both = [raced("http-hello", WARMED_S, 3, block(0.34)), raced("http-hello", None, 3, None)]
    warmed_starts.RACES.write_text("".join(json.dumps(asdict(one)) + "\n" for one in both))
    assert warmed_starts.read() == both
