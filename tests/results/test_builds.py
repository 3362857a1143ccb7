"""What is told of builds and binaries: times with intervals, the claim on compile time, columns of fib."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from deadheat.model.artifact import Binary, BuildTimes
from deadheat.model.claim import ClaimResult
from deadheat.model.observation import Built
from deadheat.model.result import Calls, ContenderResult, ProgramResult, Results
from deadheat.report import details, words
from deadheat.results import build_times, derive
from tests.made.observed import observations, plan, race, suite
from tests.made.suite import STUDY

CLAIM = """\
id = "compile-time"
statement = "slow compiles much faster than fast"
metric = "build_s"
a = "slow"
b = "fast"
published = { direction = true }
"""
SLOW_S, FAST_S = (1.0, 1.1, 0.9, 1.0, 1.05, 0.95), (4.0, 4.4, 3.6, 4.2, 4.0, 3.9)


def times(warm_s: tuple[float, ...], session: str = "one") -> BuildTimes:
    return BuildTimes(session=session, cold_s=tuple(10 * s for s in warm_s), warm_s=warm_s)


def results(folder: Path, slow: BuildTimes | None, fast: BuildTimes | None) -> Results:
    """A race whose two contenders were built, timed or not."""
    (folder / "claims").mkdir(parents=True)
    (folder / "claims" / "s.toml").write_text(STUDY + CLAIM)
    reported = {"slow": slow, "fast": fast}
    seen = [
        o.model_copy(update={"times": reported.get(o.contender)}) if isinstance(o, Built) else o
        for o in observations(race(blocks=2, rounds=1))
    ]
    return derive.results(plan(race(blocks=2, rounds=1), suite(folder)), {}, seen)


def claim(found: Results) -> ClaimResult:
    return next(row for row in found.claims if row.method == "deadheat")


def test_builds_timed_together_answer_the_claim(tmp_path: Path) -> None:
    row = claim(results(tmp_path, times(SLOW_S), times(FAST_S)))
    assert (row.direction, row.size) == ("confirmed", None)
    assert row.here is not None
    assert row.here["ratio"] == pytest.approx(4.0, rel=0.05)


def test_the_other_way_round_it_is_refuted(tmp_path: Path) -> None:
    assert claim(results(tmp_path, times(FAST_S), times(SLOW_S))).direction == "refuted"


@pytest.mark.parametrize("fast", [None, times(FAST_S, "another")], ids=["not timed", "another session"])
def test_one_build_each_settles_nothing(tmp_path: Path, fast: BuildTimes | None) -> None:
    row = claim(results(tmp_path, times(SLOW_S), fast))
    assert row.direction in ("open", "not run")
    assert row.here is None or row.here["ci"] is None


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_fewer_than_six_builds_have_no_interval(count: int) -> None:
    assert build_times.median_ci(range(count)) is None


@given(st.integers(6, 200))
def test_the_interval_of_a_median_is_the_narrowest_that_covers_it(count: int) -> None:
    ci = build_times.median_ci(range(count))
    assert ci is not None
    below = int(ci[0])
    assert ci[1] == count - 1 - below
    # The number of values below the median is binomial: outside are those counts.
    assert 1 - 2 * binom.cdf(below, count, 0.5) >= 0.95
    if below + 1 < count // 2:
        assert 1 - 2 * binom.cdf(below + 1, count, 0.5) < 0.95


def test_columns_of_programs_say_what_is_known_and_what_is_not(tmp_path: Path) -> None:
    [result] = results(tmp_path, times(SLOW_S), None).workloads
    slow = next(row for row in result.contenders if row.id == "slow")
    binary = Binary(as_built=617_000, without_debug=249_000, stripped=216_000, libraries=("libm", "libc"))
    calls = Calls(n=(10, 22), asked=1000, executed=500)
    known = _program(slow, binary=binary, calls=calls)
    not_counted = Calls(n=(10, 22), asked=1000, executed=None, unknown="no such counter")
    unknown = _program(slow, name="vm", compiling=None, calls=not_counted)
    of_programs = result.model_copy(update={"kind": "program", "contenders": (known, unknown)})
    header, first, second = details.table(of_programs)
    assert header[1:] == (
        "calls executed",
        "as built",
        "no debug data",
        "stripped",
        "libraries",
        "cold build",
        "warm build",
    )
    assert first[1] == "50% of those asked"
    assert first[2:6] == (*map(words.size, (617_000, 249_000, 216_000)), "libm, libc")
    assert first[6:] == ("10 s (9 s to 11 s)", f"1 s ({words.seconds(0.9)} to {words.seconds(1.1)})")
    assert second[1] == "not known (no such counter)"
    assert second[3:] == (words.DASH,) * 5


def _program(row: ContenderResult, **changed: object) -> ProgramResult:
    """What any row has, of this one, as a program's."""
    common = {name: getattr(row, name) for name in ContenderResult.model_fields}
    return ProgramResult.model_validate(common | changed)
