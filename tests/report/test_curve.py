"""A workload raced at several loads is told in one table."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from deadheat.model.result import Results
from deadheat.report import curve, markdown, terminal
from deadheat.report.findings import sentences
from deadheat.report.html import tables_view
from deadheat.results import derive
from tests.made.observed import observations, plan, race, suite

LOADS = {None: 64, "connections=10": 10, "connections=400": 400}


def results(folder: Path, speeds: dict[int, float]) -> Results:
    """Raced at each number of connections, where fast is so many times as fast as slow."""
    races = [race(setting=setting, connections=connections) for setting, connections in LOADS.items()]
    seen = [o for one in races for o in observations(one, {"fast": speeds[one.slices.connections]})]
    whole = plan(races[0], suite(folder)).model_copy(update={"workloads": tuple(races)})
    return derive.results(whole, {}, seen)


def test_the_order_may_turn_from_one_load_to_the_next(tmp_path: Path) -> None:
    ((title, table, turns_at),) = curve.tables(results(tmp_path, {10: 0.5, 64: 1.0, 400: 2.0}))
    [said] = turns_at
    matched = re.fullmatch(r"fast overtakes slow above about (\S+) connections \((\S+) to (\S+)\)", said)
    assert matched is not None
    at, low, high = map(float, matched.groups())
    assert 10 < low < at < high < 400
    assert low < 64 < high
    assert title == "echo · requests/s (times as fast as slow)"
    header, *rows = table
    assert header == ["", "10 connections", "64 connections", "400 connections", "against slow"]
    turns = {row[0]: row.pop() for row in rows}
    fast = "slower at 10 connections; open at 64 connections; faster at 400 connections"
    reported = {"fast": fast, "slow": "", "ceiling": "faster"}
    assert turns == reported
    cells = {row[0]: row[1:] for row in rows}
    ratios = [float(cell.split("(")[1].rstrip(")")) for cell in cells["fast"]]
    assert [round(ratio, 1) for ratio in ratios] == [0.5, 1.0, 2.0]
    assert all(cell.endswith("(1)") for cell in cells["slow"])
    assert "## echo · requests/s" in markdown.render(results(tmp_path / "again", {10: 1, 64: 1, 400: 1}))


def test_the_crossing_stands_in_every_report(tmp_path: Path) -> None:
    found = results(tmp_path, {10: 2.0, 64: 1.0, 400: 0.5})
    said = "slow overtakes fast above about "
    assert f"**{said}" in markdown.render(found)
    console = Console(record=True, width=120, file=io.StringIO())
    terminal.show(found, console)
    assert f"  {said}" in console.export_text()
    [table] = tables_view.of_settings(found)
    assert said in table.note


def test_an_order_that_does_not_turn_crosses_nowhere(tmp_path: Path) -> None:
    ((_, _, turns),) = curve.tables(results(tmp_path, {10: 2.0, 64: 1.5, 400: 1.3}))
    assert turns == ()


def test_one_load_is_no_curve(tmp_path: Path) -> None:
    of = race()
    found = derive.results(plan(of, suite(tmp_path)), {}, observations(of))
    assert list(curve.tables(found)) == []


def test_a_race_at_each_number_of_cores_tells_throughput_a_core(tmp_path: Path) -> None:
    one = race(setting="cores=1", server_cpus=(0,))
    two = race(setting="cores=2", server_cpus=(0, 1)).model_copy(update={"notes": ("no more",)})
    seen = [*observations(one), *observations(two, dict.fromkeys(("slow", "slow'"), 1.8))]
    whole = plan(one, suite(tmp_path)).model_copy(update={"workloads": (two, one)})
    found = derive.results(whole, {}, seen)
    assert {result.setting: result.server_cores for result in found.workloads} == {"cores=1": 1, "cores=2": 2}
    reported = {result.setting: "no more" in sentences(result) for result in found.workloads}
    assert reported == {"cores=1": False, "cores=2": True}
    ((title, (header, *rows), turns_at),) = curve.tables(found)
    assert turns_at == ()
    assert title == "echo · requests/s (times as fast as slow); a core"
    assert header == ["", "1 core", "2 cores", "against slow"]
    cells = {row[0]: row[1:-1] for row in rows}
    for cell, cores in zip(cells["slow"], (1, 2), strict=True):
        whole_figure, _, a_core = cell.partition(" (1); ")
        rate, each = (float(text.replace(",", "")) for text in (whole_figure, a_core))
        assert abs(rate / each / cores - 1) < 0.01
    assert "no more" in markdown.render(found)
