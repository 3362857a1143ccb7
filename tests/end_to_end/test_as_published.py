"""`--method as-published` end to end, with generators from outside that misbehave."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from .bench import TWICE, Deadheat, hello, twice

STUDY = """\
study = "somebody-2020"
title = "Somebody's"
date = "2020"
versions = "none"
machine = "none"
method = "none"
claim = []

[as_published]
workload = "hello"
tool = "wrk"
arguments = "-t1 -c2"
in_flight = 2
seconds = 1
path = "/hello"

[[as_published.row]]
contender = "good"
throughput_rps = 1000

[[as_published.row]]
contender = "twin"
throughput_rps = 2000
"""
PROGRAMS = """\
study = "somebody-2020"
title = "Somebody's"
date = "2020"
versions = "none"
machine = "none"
method = "none"
claim = []

[[as_published]]
workload = "twice"
tool = "time"
n = 30

[[as_published.row]]
contender = "good"
wall_s = 0.2
user_s = 0.1
system_s = 0.1
process_cpu_percent = 48
memory = "2.0M"
"""
GOOD = Path(__file__).parents[1] / "generators" / "golden" / "wrk-4.1.0-socket-errors.txt"


def with_wrk(home: Path, script: str | None) -> Deadheat:
    """A suite with a study, and that wrk before any other on the path."""
    suite = hello(home / "suite", copies=["twin"])
    (suite.path / "claims").mkdir()
    (suite.path / "claims" / "somebody-2020.toml").write_text(STUDY)
    tools = home / "bin"
    tools.mkdir()
    if script is not None:
        wrk = tools / "wrk"
        wrk.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo wrk 4.1.0 && exit 1\n{script}\n')
        wrk.chmod(wrk.stat().st_mode | stat.S_IXUSR)
    path = f"{tools}:{os.environ['PATH']}" if script is not None else str(tools)
    return Deadheat(home, suite.path, env={"PATH": path})


def test_published_and_measured_side_by_side(tmp_path: Path) -> None:
    deadheat = with_wrk(tmp_path, f"cat '{GOOD}'")
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code == 0, ended
    (race,) = deadheat.results()["workloads"]
    assert (race["method"], race["setting"]) == ("as-published", "somebody-2020")
    row = deadheat.row("twin")
    assert row["throughput_rps"] == {"estimate": 166315.74, "ci": None, "blocks": [166315.74]}
    assert row["published"]["throughput_rps"] == 2000
    assert row["outside"]["errors"] == {"read": 3456}
    assert not next(gate for gate in row["gates"] if gate["name"] == "errors")["ok"]
    assert (deadheat.runs / "latest" / row["outside"]["output"]).read_text() == GOOD.read_text()
    assert "twin over good: published 2.00, here 1.00; one figure of each" in ended.out


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo what a lovely day", "what a lovely day"), ("echo no luck >&2; exit 3", "status 3")],
)
def test_a_wrk_that_breaks_leaves_its_rows_unavailable(tmp_path: Path, script: str, reason: str) -> None:
    deadheat = with_wrk(tmp_path, script)
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code == 3, ended
    assert [deadheat.row(name)["status"] for name in ("good", "twin")] == ["unavailable", "unavailable"]
    assert reason in deadheat.row("good")["reason"]


def test_no_wrk(tmp_path: Path) -> None:
    deadheat = with_wrk(tmp_path, None)
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code == 3, ended
    assert deadheat.row("good")["status"] == "unavailable"
    assert "apt-get install wrk" in deadheat.row("good")["reason"]


def test_a_program_is_run_at_the_published_size_and_at_a_smaller_one_beside_it(tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite").path
    (suite / "twice" / "workload.toml").write_text(TWICE.replace("quick = 30", "quick = 20"))
    (suite / "claims").mkdir()
    (suite / "claims" / "somebody-2020.toml").write_text(PROGRAMS)
    deadheat = Deadheat(tmp_path, suite)
    ended = deadheat.run("race", "--method", "as-published", "--preset", "standard")
    assert ended.code == 0, ended
    whole, smaller = deadheat.results()["workloads"]
    assert [race["setting"] for race in (whole, smaller)] == ["somebody-2020", "somebody-2020, n=20"]
    (row,) = whole["contenders"]
    # One figure of each. A time that is less than the clock's tick is none.
    assert row["wall_s"]["ci"] is None and row["cpu_s"]["ci"] is None
    assert all(row[name] is None or row[name]["ci"] is None for name in ("user_s", "system_s"))
    assert row["peak_memory_bytes"] > 0
    assert "n = 30, as published" in ended.out
    assert "n = 20, shorter than the n = 30 published" in ended.out
    report = (deadheat.runs / "latest" / "report.md").read_text()
    assert "| good | process CPU | 48% |" in report
    assert "| good | user and system time | 100 ms user, 100 ms system |" in report
