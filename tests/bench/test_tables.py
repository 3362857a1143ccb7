"""The simulation tables: the script runs, and the designs in it are what they are called."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from bench import naive_designs
from scipy import stats as scipy_stats

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", "bench.statistics_tables", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def test_every_table_is_written_into_its_page(tmp_path: Path) -> None:
    page = tmp_path / "method.md"
    page.write_text(
        "before\n<!-- simulation tables: begin -->\nstale figures\n<!-- simulation tables: end -->\nafter\n"
    )
    printed = run("--runs", "2", "--write", str(page))
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n")
    assert "stale figures" not in text and "nan" not in text
    headings = [line for line in printed.splitlines() if line.startswith("### ")]
    assert len(headings) == 18
    assert all(heading in text for heading in headings)


def test_tables_repeat() -> None:
    def cells() -> list[str]:
        printed = run("--runs", "20", "--table", "naive")
        return [line for line in printed.splitlines() if line.startswith("|")]

    assert cells() == cells()


def test_the_page_holds_the_tables_of_2_000_runs() -> None:
    text = (ROOT / "docs" / "method.md").read_text()
    tables = text.split("<!-- simulation tables: begin -->")[1].split("<!-- simulation tables: end -->")[0]
    assert "2,000 runs a cell" in tables
    assert tables.count("### ") == 18


def test_welch_is_scipys() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.5, 1, (50, 8)), rng.normal(0, 2, (50, 6))
    theirs = scipy_stats.ttest_ind(a, b, axis=1, equal_var=False)
    expected = np.where(theirs.pvalue < 0.05, np.sign(theirs.statistic), 0.0)
    np.testing.assert_array_equal(naive_designs._welch_wins(a, b), expected)


def test_usual_designs_err_where_deadheat_does_not() -> None:
    machine = naive_designs.traces(500, np.random.default_rng(2))
    share = {d.__name__: np.count_nonzero(d(machine, 0.0)) / 500 for d in naive_designs.DESIGNS.values()}
    assert share["one_after_the_other"] > 0.5
    assert share["best_of_three"] > 0.5
    assert share["peeking"] > 0.12
    assert share["deadheat_fixed"] < 0.085
    assert share["deadheat_looks"] < 0.085


def test_an_interleaved_difference_is_not_biased() -> None:
    machine = naive_designs.traces(2_000, np.random.default_rng(3))
    found = naive_designs._interleaved(machine, math.log(1.05), blocks=10).mean(axis=(1, 2))
    error = found.std(ddof=1) / math.sqrt(len(found))
    assert abs(found.mean() - math.log(1.05)) < 3 * error
