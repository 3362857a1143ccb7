"""Ordinary races against starts that were loaded for 60 s: what comes next, the plan, and the table."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from bench import warmed_starts
from bench.warmed_starts import (
    ORDINARY_BLOCKS,
    ORDINARY_RACES,
    WARMED_BLOCKS,
    WARMED_S,
    WORKLOADS,
    Block,
    Raced,
)

from deadheat.model.plan import DisturbanceLimits
from tests.made import observed

GO, OTHERS = WORKLOADS["http-hello"]
DAY = "2026-11-24T00:00:00Z"


def raced(workload: str, warmed_s: float | None, number: int, blocks: tuple[Block, ...]) -> Raced:
    return Raced(workload, warmed_s, number, blocks, seconds=60.0, at=DAY)


def block(ratio: float) -> Block:
    return Block({GO: 1000.0, OTHERS[0]: 1000.0 * ratio}, {GO: 0.5, OTHERS[0]: 12.0})


def test_ordinary_races_are_before_and_behind_the_warmed_blocks_and_one_without_a_block_is_raced_again() -> (
    None
):
    done: list[Raced] = []
    refused = 0
    while (following := next(warmed_starts.left(done), None)) is not None:
        counts = () if not refused and following[1] is not None else (block(1.0),)
        refused += not counts
        done.append(raced(*following, blocks=counts))
    assert refused == 1
    whole = [one for one in done if one.blocks]
    for workload in WORKLOADS:
        order = [one.warmed_s for one in whole if one.workload == workload]
        assert order == [None, *[WARMED_S] * WARMED_BLOCKS, *[None] * (ORDINARY_RACES - 1)]
    assert len({(one.workload, one.warmed_s, one.number) for one in whole}) == len(whole)
    assert ORDINARY_BLOCKS * ORDINARY_RACES == WARMED_BLOCKS


def test_a_warmed_block_is_one_start_of_each_and_an_ordinary_race_keeps_its_own_warm_up() -> None:
    ordinary = observed.plan(observed.race(warm_up_ms=500, lead_in_ms=50, counted_ms=100, loads=(0.5,)))
    (warmed,) = warmed_starts.planned(ordinary, 60.0).workloads
    assert (warmed.blocks, warmed.slices.warm_up_ms, warmed.loads, warmed.null_entry) == (1, 60_000, (), None)
    (same,) = warmed_starts.planned(ordinary, None).workloads
    assert (same.blocks, same.slices.warm_up_ms, same.loads) == (ORDINARY_BLOCKS, 500, (0.5,))
    assert same.null_entry is not None
    assert warmed.rounds == same.rounds


def test_the_ratio_of_blocks_is_of_sums_and_of_both_entries_of_the_reference() -> None:
    race = observed.race(blocks=8, rounds=10)
    seen = observed.observations(race, speeds={"fast": 1.3, "slow'": 1.0}, noise=0.02)
    blocks = warmed_starts.blocks(observed.plan(race), seen)
    assert len(blocks) == 8
    found = warmed_starts.ratio(blocks, "slow", "fast")
    assert found.low <= math.log(1.3) <= found.high and found.half_width < 0.02


def test_a_block_that_somebody_got_into_does_not_count() -> None:
    race = observed.race(blocks=1)
    limits = DisturbanceLimits()
    plan = observed.plan(race).replaced(disturbance=limits)
    watched_ns = observed.WALL_NS * 2
    for share, counts in ((limits.others / 2, 1), (limits.others * 2, 0)):
        others = round(share * watched_ns)
        seen = observed.observations(race, around={"others_ns": others, "seen_ns": others})
        assert len(warmed_starts.blocks(plan, seen)) == counts


def test_the_one_ratio_over_the_other_is_covered_by_its_interval_as_often_as_promised() -> None:
    rng = np.random.default_rng(5)
    held, runs = 0, 2_000
    for _ in range(runs):
        ordinary = [block(0.33 * math.exp(noise)) for noise in rng.normal(0, 0.04, 10)]
        warmed = [block(0.34 * math.exp(noise)) for noise in rng.normal(0, 0.02, 10)]
        apart = warmed_starts.quotient(*(warmed_starts.ratio(of, GO, OTHERS[0]) for of in (ordinary, warmed)))
        assert apart is not None
        held += apart.low <= math.log(0.33 / 0.34) <= apart.high
    assert 0.935 < held / runs < 0.965


def test_the_table_says_who_is_within_three_percent() -> None:
    def of(ratio: float, *, warmed_s: float | None) -> Raced:
        return raced("http-hello", warmed_s, 0, tuple(block(ratio * by) for by in (0.99, 1.0, 1.01)))

    near = warmed_starts.table([of(0.335, warmed_s=None), of(0.34, warmed_s=WARMED_S)])
    far = warmed_starts.table([of(0.20, warmed_s=None), of(0.34, warmed_s=WARMED_S)])
    assert near[2].startswith("| http-hello | java-jdk | 12.0 s | 0.335 | 3 | 0.340 | 3 | 0.985 (")
    assert near[2].endswith("| yes |") and far[2].endswith("| **no** |")
    assert near[3].startswith("| http-hello | node-http | - | - | 0 |") and "not known yet" in near[3]


def test_a_line_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmed_starts, "RACES", tmp_path / "races.jsonl")
    assert warmed_starts.read() == []
    one = raced("http-hello", WARMED_S, 3, (block(0.34),))
    warmed_starts.RACES.write_text(json.dumps(asdict(one)) + "\n")
    assert warmed_starts.read() == [one]
