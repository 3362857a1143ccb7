"""`--method as-published` end to end, with generators from outside that misbehave."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from .bench import Deadheat, hello

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
