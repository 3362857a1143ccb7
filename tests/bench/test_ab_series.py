"""Races of two revisions whose change is known: what comes next, what is planted, and the table."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from bench import ab_series
from bench.ab_series import SERIES, WORK, Raced

ONE = Raced(
    series="no change", seed=1, iterations=(WORK, WORK), answer="no worse", state="holds", slower=1.001,
    ci=(0.99, 1.01), chances=((0.0, 0.01), (0.03, 0.4), (0.06, 0.9)),
    effects=(0.01, -0.02, 0.005, -0.01, 0.0), levels=((5, 0.05),), seconds=100.0, commit="a" * 40,
    at="2026-11-23T00:00:00Z",
)  # fmt: skip


def test_series_go_on_side_by_side_until_each_has_its_races() -> None:
    done: list[Raced] = []
    while (following := next(ab_series.left(done), None)) is not None:
        series, seed, known = following
        assert (known is None) == (seed == 1)
        done.append(replace(ONE, series=series.name, seed=seed))
    assert {s.name: sum(one.series == s.name for one in done) for s in SERIES} == {
        s.name: s.races for s in SERIES
    }
    assert {one.series for one in done[:3]} == {series.name for series in SERIES}
    assert len({(one.series, one.seed) for one in done}) == len(done)


def test_what_http_costs_is_not_work_and_is_made_up_for() -> None:
    """10 us of 110 are HTTP's: 8% of 110 us are 8.8 us, and that is 8.8% of the work."""
    assert ab_series.planted(0.08, 10.0, 110.0) == round(WORK * 1.088)


def test_a_line_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ab_series, "RACES", tmp_path / "races.jsonl")
    assert ab_series.read() == []
    lines = [ONE, replace(ONE, slower=None, ci=None, effects=(), levels=())]
    ab_series.RACES.write_text("".join(json.dumps(asdict(one)) + "\n" for one in lines))
    assert ab_series.read() == lines


def test_the_repository_has_two_commits_that_differ_in_a_string(tmp_path: Path) -> None:
    ab_series.repository(tmp_path / "r", (WORK, WORK))
    diff = subprocess.run(
        ["git", "diff", "-U0", "HEAD~1", "HEAD"],
        cwd=tmp_path / "r",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    changed = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ['-const version = "one"', '+const version = "two"']


def test_exchanged_signs_of_a_sure_change_fail_when_all_are_one_way() -> None:
    """Of five blocks that are all 10% slower or faster, all signs are alike in one of 16 draws; half of
    those are slower."""
    sure = replace(ONE, effects=(-0.1, -0.1001, -0.0999, -0.1, -0.1002), levels=((5, 0.05),))
    assert ab_series.exchanged(sure, times=4000) == pytest.approx(1 / 32, abs=0.01)


def test_exchanged_signs_of_noise_below_the_threshold_never_fail() -> None:
    assert ab_series.exchanged(ONE, times=4000) == 0.0


def test_a_look_that_is_clear_ends_it() -> None:
    """Judged at the first look that settles it, whatever came after: five blocks of nothing hold."""
    late = replace(
        ONE, effects=(0.001, -0.001, 0.0005, 0.0, -0.0004, -0.5, -0.5), levels=((5, 0.05), (7, 0.05))
    )
    assert ab_series.exchanged(late, times=1000) == 0.0


def test_the_table_says_what_failed_and_what_was_wanted() -> None:
    worse = replace(ONE, series="8% slower", answer="worse", state="fails", slower=0.92)
    same, slower, four = ab_series.table([ONE, replace(ONE, seed=2, state="open"), worse])[2:5]
    assert same.startswith("| no change | 2 of 20 | 3m | 0 | 1 | 1 | 0 | -0.1% | 1.0% of 0% |")
    assert slower.startswith("| 8% slower | 1 of 8 | 3m | 1 | 0 | 0 | 1 | 8.7% | 90.0% of 6% |")
    assert four.startswith("| 4% slower | 0 of 5 |")
    assert ab_series.table([]) == ["Nothing was raced yet."]
