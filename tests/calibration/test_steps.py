"""Which races, in which order."""

from __future__ import annotations

import itertools

from deadheat.calibration import steps


def test_the_full_calibration_begins_with_identical_servers_half_of_them_beside_a_neighbour() -> None:
    full = list(steps.full())
    same = list(itertools.takewhile(lambda step: step.kind == "identical", full))
    assert len(same) == 60 and sum(step.neighbour for step in same) == 30
    assert {(step.planted, step.margin) for step in full[60:]} == {(0.03, 0.0), (0.06, 0.02)}
    assert all(step.load_s == 180 for step in full[60:])
    assert [step.planted for step in full[60:64]] == [0.03, 0.06, 0.03, 0.06]


def test_the_usual_calibration_sees_everything_in_ten_minutes_and_never_ends() -> None:
    seen, seconds = [], 0.0
    for step in steps.usual():
        seconds += step.estimated_s
        if seconds > 600:
            break
        seen.append(step)
    assert seen[0].kind == "identical"
    assert {step.planted for step in seen if step.kind == "planted"} == set(steps.DIFFERENCES)
    assert {step.counted_ms for step in seen if step.kind == "length"} == set(steps.LENGTHS_MS)


def test_no_two_steps_share_a_name() -> None:
    for some in (list(steps.full()), list(itertools.islice(steps.usual(), 200))):
        assert len({step.name for step in some}) == len(some)


def test_lengths_are_compared_at_about_the_same_load() -> None:
    loads = [steps.length(ms, 0).load_s for ms in (50, 100, 250)]
    assert max(loads) / min(loads) < 1.3
