"""Workloads that hold the same contenders against the same reference are told side by side."""

from __future__ import annotations

import re
from pathlib import Path

from deadheat.model.result import RaceResult, Results
from deadheat.report import markdown, matrix, terminal
from deadheat.report.html import tables_view
from deadheat.results import derive
from tests.made.observed import observations, plan, race, suite


def raced(folder: Path, **speeds: float) -> Results:
    """A workload for each name, where fast is so many times as fast as slow."""
    of = race()
    whole = plan(of, suite(folder))
    found = [derive.results(whole, {}, observations(of, {"fast": speed})) for speed in speeds.values()]
    races = [
        one.workloads[0].replaced(name=name.replace("_", "-"))
        for name, one in zip(speeds, found, strict=True)
    ]
    return found[0].replaced(workloads=tuple(races))


def without(result: RaceResult, id_: str, **changed: object) -> RaceResult:
    """With that row changed."""
    rows = (row.replaced(**changed) if row.id == id_ else row for row in result.contenders)
    return result.replaced(contenders=tuple(rows))


def test_a_row_is_a_contender_and_a_column_a_workload(tmp_path: Path) -> None:
    [found] = matrix.tables(raced(tmp_path, app_json=1.3, app_db=2.0))
    assert found.title == "app · times as fast as slow"
    header, *rows = found.table
    assert header == ["", "", "json", "db"]
    assert [row[:2] for row in rows] == [
        ["slow", "the reference"],
        ["fast", "faster"],
        ["ceiling", "the ceiling"],
    ]
    cells = dict(zip(("slow", "fast"), (row[2:] for row in rows), strict=False))
    assert cells["slow"] == ["1", "1"]
    for cell, truth in zip(cells["fast"], (1.3, 2.0), strict=True):
        matched = re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", cell)
        assert matched is not None, cell
        ratio, low, high = map(float, matched.groups())
        assert low <= ratio <= high
        assert abs(ratio / truth - 1) < 0.1


def test_rows_are_grouped_by_what_was_judged(tmp_path: Path) -> None:
    def group(**speeds: float) -> str:
        folder = tmp_path / "-".join(map(str, speeds.values()))
        [found] = matrix.tables(raced(folder, **speeds))
        return next(row[1] for row in found.table if row[0] == "fast")

    assert group(json=1.5, db=2.0) == "faster"
    assert group(json=0.5, db=0.6) == "slower"
    assert group(json=0.5, db=2.0) == "faster and slower"
    assert group(json=1.0, db=1.0) == "not settled"


def test_what_has_no_ratio_says_why(tmp_path: Path) -> None:
    both = raced(tmp_path, app_json=1.3, app_db=1.3)
    gone = without(
        both.workloads[1], "fast", status="unavailable", reason="no database", against_reference=None
    )
    [found] = matrix.tables(both.replaced(workloads=(both.workloads[0], gone)))
    assert next(row[3] for row in found.table if row[0] == "fast") == "unavailable"


def test_where_columns_are_narrow_marks_stand_for_answers(tmp_path: Path) -> None:
    results = raced(tmp_path, app_json=1.0, app_db=1.3)
    [found] = matrix.tables(results)
    fast = next(row for row in found.brief if row[0] == "fast")
    assert fast[2].endswith("?")
    assert not fast[3].endswith("?")
    assert found.marks == "? not settled"
    narrow, wide = terminal.text(results, width=50), terminal.text(results, width=200)
    assert "? not settled; intervals in the report" in narrow
    assert "? not settled" not in wide
    assert ", not settled" in wide


def test_every_report_has_it(tmp_path: Path) -> None:
    results = raced(tmp_path, app_json=1.3, app_db=2.0)
    assert "app · times as fast as slow" in terminal.text(results)
    assert "## app · times as fast as slow" in markdown.render(results)
    [table] = tables_view.of_workloads(results)
    assert table.title == "app · times as fast as slow"


def test_columns_may_be_judged_by_different_figures(tmp_path: Path) -> None:
    results = raced(tmp_path, app_json=1.3, app_db=2.0)
    json, db = results.workloads
    [found] = matrix.tables(
        results.replaced(workloads=(json, db.replaced(setting="by=cpu", judged_by="cpu")))
    )
    assert found.title == "app · times as good as slow: json by speed; db by CPU time"
    assert ["fast", "better"] in [row[:2] for row in found.table]
    both = [race.replaced(setting="by=cpu", judged_by="cpu") for race in (json, db)]
    [found] = matrix.tables(results.replaced(workloads=tuple(both)))
    assert found.title == "app · times as good as slow by CPU time"


def test_one_workload_or_other_settings_are_none(tmp_path: Path) -> None:
    assert [*matrix.tables(raced(tmp_path / "one", app_json=1.3))] == []
    both = raced(tmp_path / "two", app_json=1.3, app_db=1.3)
    set_ = both.workloads[1].replaced(setting="connections=10")
    assert [*matrix.tables(both.replaced(workloads=(both.workloads[0], set_)))] == []
    other = both.workloads[1].replaced(reference="fast")
    assert [*matrix.tables(both.replaced(workloads=(both.workloads[0], other)))] == []
