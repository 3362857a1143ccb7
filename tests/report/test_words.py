"""How figures are said: the same in a terminal while a race runs as everywhere else."""

from __future__ import annotations

import io
from itertools import count
from pathlib import Path

import pytest
from rich.console import Console

from deadheat.model.progress import Progress
from deadheat.model.result import NullPair
from deadheat.report import gates, words
from deadheat.report.html import text
from deadheat.report.live import PlainView, _with_interval
from tests.made.runs import Made


def test_what_is_said_while_a_race_runs_has_intervals_from_and_to(tmp_path: Path) -> None:
    made = Made(tmp_path / "suite", contenders=2)
    (result,) = made.results().workloads
    said = io.StringIO()
    ticks = count(0.0, 60.0)
    view = PlainView(Console(file=said, width=200), clock=lambda: next(ticks))
    view.race(made.plan.workloads[0], 60)
    view.interim(result)
    view.progress(Progress(clean=3, planned=6, uncounted=2, outgrown=1, done=0.5, left_s=190.0))
    row = next(row for row in result.contenders if row.id == "c1")
    assert row.against_reference is not None and row.against_reference.ci is not None
    ratio, ci = row.against_reference.ratio, row.against_reference.ci
    assert f"c1 {ratio:.2f} ({ci[0]:.2f} to {ci[1]:.2f})" in said.getvalue()
    assert "±" not in said.getvalue()
    # Two minutes later by this clock.
    assert "block 4 of 6, 2 more do not count, 1 more had too short a lead-in · 1:10 left" in said.getvalue()


@pytest.mark.parametrize(
    ("value", "said"), [(0.3, "0.3"), (500, "500"), (2000, "2k"), (300_000, "300k"), (10_000_000, "10M")]
)
def test_ticks_are_brief(value: float, said: str) -> None:
    assert words.brief(value) == said


def test_a_shortened_sentence_keeps_its_interval_in_one_piece() -> None:
    assert text.short("a is\n 1.2 (95%\N{NO-BREAK SPACE}CI)") == "a is 1.2 (95%\N{NO-BREAK SPACE}CI)"


@pytest.mark.parametrize(
    ("detectable", "said"),
    [(1.06, "could have seen a bias of 6%"), (373_000.0, "too short to see a bias below 100%"), (None, "")],
)
def test_a_null_pair_that_could_have_seen_nothing_says_so(detectable: float | None, said: str) -> None:
    null = NullPair(contender="go", ratio=1.0, ci=None, ci_99_9=None, ok=True, detectable=detectable)
    assert gates.null_pair_power(null) == said


@pytest.mark.parametrize(
    ("ci", "said"), [(None, "1.26"), ((0.01, 80.0), "1.26"), ((1.15, 1.36), "1.26 (1.15 to 1.36)")]
)
def test_a_running_line_has_an_interval_where_it_says_anything(
    ci: tuple[float, float] | None, said: str
) -> None:
    assert _with_interval(1.26, ci) == said
