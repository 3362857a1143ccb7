"""Results told: figures, sentences, plots; names and reasons are other people's text."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.model.observation import Built
from deadheat.model.result import Results, Verdict
from deadheat.report import csv_table, forest, markdown, verdicts, words
from deadheat.report.forest import Mark
from deadheat.results import derive
from tests.made.observed import observations, plan, race, suite

HOSTILE = '=HYPERLINK("x")|<script>alert(1)</script>`**[a](b)'


def results(tmp_path: Path, reason: str | None = None) -> Results:
    seen = observations(race())
    if reason is not None:
        seen.append(Built(workload="echo", contender="fast", status="failed", reason=reason))
    return derive.results(plan(race(), suite(tmp_path)), {}, seen)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (38912, "38,900"),
        (1.2345, "1.23"),
        (0.01234, "0.0123"),
        (99.96, "100"),
        (1234567, "1,230,000"),
    ],
)
def test_three_significant_digits(value: float, text: str) -> None:
    assert words.figure(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.00"), (1.218, "1.22"), (12.34, "12.3"), (0.05, "0.05"), (120.4, "120")]
)
def test_ratios_have_two_decimals_near_one(value: float, text: str) -> None:
    assert words.ratio(value) == text


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        ("faster", "a is 1.22 times as fast as b (95% CI 1.17 to 1.27)"),
        ("dead heat", "a and b are a dead heat, within 2%: 1.22 (95% CI 1.17 to 1.27)"),
        ("inconclusive", "a against b is not settled: 1.22 (95% CI 1.17 to 1.27); more"),
        ("invalid", "no verdict: a against b; more"),
    ],
)
def test_sentences(verdict: str, sentence: str) -> None:
    reasons = [{"reason": "note", "text": "more"}] if verdict in ("inconclusive", "invalid") else []
    found = Verdict.model_validate(
        {
            "a": "a", "b": "b", "metric": "throughput_rps", "ratio": 1.218, "ci": (1.17, 1.27),
            "verdict": verdict, "reasons": reasons,
        }
    )  # fmt: skip
    assert verdicts.sentence(found, 0.02) == sentence


def test_hostile_text_stays_text_in_markdown(tmp_path: Path) -> None:
    text = markdown.render(results(tmp_path, HOSTILE))
    assert "<script>" not in text
    assert "[a](b)" not in text
    assert "\\|" in text


def test_hostile_text_is_no_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_table.render(results(tmp_path, HOSTILE)))))
    reason = next(row["reason"] for row in rows if row["contender"] == "fast")
    assert reason == "'" + HOSTILE


def test_the_table_has_a_line_a_contender(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_table.render(results(tmp_path)))))
    assert [row["contender"] for row in rows] == ["fast", "slow", "ceiling"]
    assert float(rows[0]["ratio_low"]) < 1.3 < float(rows[0]["ratio_high"])
    assert rows[0]["verdict"] == "faster"


@given(
    ratios=st.lists(st.floats(0.01, 100), min_size=1, max_size=20),
    spread=st.floats(1.0, 3.0),
    width=st.integers(30, 200),
)
def test_a_plot_keeps_its_width_and_shows_every_mark(ratios: list[float], spread: float, width: int) -> None:
    marks = [Mark(f"contender-{i}", r, (r / spread, r * spread)) for i, r in enumerate(ratios)]
    lines = forest.draw(marks, 0.02, width)
    assert all(len(line) <= width for line in lines)
    assert not lines or sum("●" in line for line in lines) == len(marks)


def test_a_mark_without_an_interval_is_a_point() -> None:
    line = forest.draw([Mark("a", 1.5, None)], 0.02)[-1]
    assert "●" in line and "├" not in line
