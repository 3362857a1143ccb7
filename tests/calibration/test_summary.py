"""What races add up to."""

from __future__ import annotations

import itertools
import math

import pytest

from deadheat.calibration import steps, summary
from deadheat.model.calibration import CalibrationRace
from deadheat.report import calibration as words

from .made_up import race

SAME = [race(steps.identical(n), seed=n) for n in range(20)]


def lengths(bias: dict[int, float]) -> list[CalibrationRace]:
    return [
        race(steps.length(ms, n), seed=ms + n, spread=0.002, bias=bias.get(ms, 0.0))
        for ms, n in itertools.product(steps.LENGTHS_MS, range(3))
    ]


def test_without_identical_servers_there_is_none() -> None:
    assert summary.summarise([]) is None
    assert summary.summarise([race(steps.planted(0.03, 0))]) is None


def test_false_winners_on_either_side_are_counted_with_their_exact_interval() -> None:
    wrong = [
        race(steps.identical(20), verdict="faster"),
        race(steps.identical(21, neighbour=True), verdict="slower"),
    ]
    found = summary.summarise([*SAME, *wrong])
    assert found is not None
    assert (found.identical, found.false_winners) == (22, 2)
    assert found.false_winner_rate == pytest.approx((0.0112, 0.2916), abs=1e-3)


def test_more_time_settles_smaller_differences() -> None:
    found = summary.summarise(SAME)
    assert found is not None
    one, three, ten = (found.settles[minutes] for minutes in summary.MINUTES)
    assert one is not None and three is not None and ten is not None
    assert one > three > ten > 0
    for row in found.found:
        assert list(row.chance.values()) == sorted(row.chance.values()) or row.difference <= row.margin
    at_zero = [row.chance[3] for row in found.found if row.margin == 0]
    assert at_zero == sorted(at_zero)


def test_planted_races_are_counted_at_the_margin_they_were_raced_at_and_at_milder_ones_of_their_own() -> None:
    step = steps.planted(0.03, 0)
    raced = [
        race(step, verdict="faster", ci=(1.025, 1.04)),
        race(step, verdict="faster", ci=(1.01, 1.04)),
        race(step, verdict="slower", ci=(0.9, 0.95)),
    ]
    found = summary.summarise([*SAME, *raced])
    assert found is not None
    rows = {(row.difference, row.margin): (row.found, row.raced) for row in found.found}
    assert rows[0.03, 0.0] == (2, 3)
    assert rows[0.03, 0.02] == (1, 3)
    assert rows[0.05, 0.0] == (0, 0)


def test_lengths_that_agree_with_the_longest_and_the_best_of_them() -> None:
    found = summary.summarise([*SAME, *lengths({})])
    assert found is not None and all(length.agrees for length in found.lengths)
    assert found.counted_ms in steps.LENGTHS_MS


def test_a_length_that_is_precise_and_wrong_is_not_the_best() -> None:
    """25 ms slices counted whole once put a ratio at 1.30 where long ones say 1.15."""
    found = summary.summarise([*SAME, *lengths({50: math.log(1.13)})])
    assert found is not None
    assert {length.counted_ms: length.agrees for length in found.lengths}[50] is False
    assert found.counted_ms != 50


def test_the_shortest_lead_in_after_which_the_ratio_is_flat() -> None:
    bias = {0: (-0.2, 0.01), 25: (0.05, 0.01), 50: (0.008, 0.01), 100: (0.001, 0.01)}
    longest = race(steps.length(1000, 0), lead_in_bias=bias)
    found = summary.summarise([*SAME, longest])
    assert found is not None and found.lead_in_ms == 50


def test_where_it_is_too_noisy_to_tell_the_lead_in_stays() -> None:
    longest = race(steps.length(1000, 0), lead_in_bias={0: (0.001, 0.05), 50: (0.0, 0.05)})
    found = summary.summarise([*SAME, longest])
    assert found is not None and found.lead_in_ms == steps.LEAD_IN_MS


def test_the_same_races_are_the_same_calibration() -> None:
    assert summary.summarise(SAME) == summary.summarise(SAME)
    first, second = summary.summarise(SAME), summary.summarise(SAME[:-1])
    assert first is not None and second is not None and first.id != second.id


def test_in_words() -> None:
    found = summary.summarise([*SAME, *lengths({}), race(steps.planted(0.03, 0), verdict="faster")])
    assert found is not None
    text = "\n".join(words.lines(found))
    assert "0 false winners in 20 races" in text
    assert "3% at margin 0%" in text and "1 of 1; ratio 1.0" in text
    assert "nan" not in text and "inf" not in text
