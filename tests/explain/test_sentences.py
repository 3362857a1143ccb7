"""The sentences at the end: of the largest differences, and none where there is none."""

from __future__ import annotations

import pytest

from deadheat.explain.reading import Reading
from deadheat.explain.sentences import figure, largest


def reported(
    a: dict[str, float],
    b: dict[str, float],
    calls: tuple[dict[str, float], dict[str, float]] = ({}, {}),
) -> tuple[str, ...]:
    return largest("a", "b", Reading(a, calls[0]), Reading(b, calls[1]), "a request")


def test_as_the_issue_has_it() -> None:
    assert reported({"system_calls": 2.0}, {"system_calls": 5.1}) == (
        "a makes 2.0 system calls a request, b 5.1 (2.5 times as much).",
    )


def test_what_matters_most_comes_first() -> None:
    first, second = reported({"cpu_us": 10.0, "bytes_sent": 100.0}, {"cpu_us": 20.0, "bytes_sent": 5000.0})
    assert first == "a uses 10.0 µs of CPU a request, b 20.0 (2.0 times as much)."
    assert second == "a sends 100 bytes a request, b 5,000 (50.0 times as much)."


def test_three_at_most_and_one_of_a_family() -> None:
    a = {"cpu_us": 10.0, "user_us": 2.0, "kernel_us": 8.0, "sleeps": 0.0, "system_calls": 2.0}
    b = {"cpu_us": 30.0, "user_us": 12.0, "kernel_us": 18.0, "sleeps": 1.0, "system_calls": 9.0}
    sentences = reported({**a, "minor_faults": 0.0}, {**b, "minor_faults": 3.0})
    assert len(sentences) == 3
    assert sum("CPU" in s or "own code" in s or "kernel" in s for s in sentences) == 1


def test_a_part_is_told_where_the_parts_make_up_for_each_other() -> None:
    [sentence] = reported(
        {"cpu_us": 10.0, "user_us": 2.0, "kernel_us": 8.0}, {"cpu_us": 10.1, "user_us": 6.0, "kernel_us": 4.1}
    )
    assert sentence == "a spends 2.0 µs a request in its own code, b 6.0 (3.0 times as much)."


def test_a_small_difference_explains_nothing() -> None:
    assert reported({"system_calls": 2.0}, {"system_calls": 2.1}) == ()


def test_nor_does_a_large_one_of_next_to_nothing() -> None:
    assert reported({"cpu_us": 100.0, "sleeps": 0.001}, {"cpu_us": 101.0, "sleeps": 0.1}) == ()


def test_read_and_recvfrom_are_no_difference() -> None:
    calls = ({"read": 1.0, "write": 1.0}, {"recvfrom": 1.0, "sendto": 1.0})
    assert reported({"system_calls": 2.0}, {"system_calls": 2.0}, calls) == ()


def test_a_call_that_one_alone_makes() -> None:
    [sentence] = reported({"cpu_us": 5.0}, {"cpu_us": 5.0}, ({"read": 1.0}, {"read": 1.0, "futex": 3.5}))
    assert sentence == "a calls futex 0 times a request, b 3.5."


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (0.0002, "<0.001"), (0.0031, "0.003"), (0.25, "0.25"), (5.13, "5.1"), (31642.0, "31,642")],
)
def test_figures(value: float, shown: str) -> None:
    assert figure(value) == shown
