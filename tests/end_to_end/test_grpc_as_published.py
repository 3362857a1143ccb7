"""ghz or h2load missing or broken: their rows say so, and ours are measured all the same."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from deadheat.generators.ghz import VERSION

from .bench import Deadheat, SuiteFolder
from .test_grpc_servers import greeters

STUDY = """\
study = "somebody-2026"
title = "Somebody's"
date = "2026"
versions = "none"
machine = "none"
method = "none"
claim = []

[as_published]
workload = "greet"
tool = "ghz"
arguments = "--concurrency 4 --connections 2"
connections = 2
in_flight = 4
total = 200

[[as_published.also]]
tool = "h2load"
arguments = "-c 2 -m 2"
note = "h2load is another"

[[as_published.also]]
tool = "deadheat-load"
arguments = "-c 2 --streams 2"
note = "deadheat-load is another"

[[as_published.row]]
contender = "good"
throughput_rps = 1000

[[as_published.row]]
contender = "twin"
throughput_rps = 2000
"""
# What servers and referee need of a shell's tools; no Go, no h2load.
TOOLS = ("sh", "taskset", "env")
GOLDEN = Path(__file__).parents[1] / "generators" / "golden" / "ghz-0.120.0-plain.json"
CAT, HEAD = shutil.which("cat"), shutil.which("head")
HANG = f"exec {sys.executable} -c 'import time; time.sleep(1000)'"


def suite(home: Path, *, go: str | None = None, ghz: str | None = None) -> Deadheat:
    """Two good servers, a study of ghz, and a search path with little on it; `go` and `ghz` are scripts."""
    folder = SuiteFolder(home / "suite")
    greeters(folder)
    (folder.path / "claims").mkdir()
    (folder.path / "claims" / "somebody-2026.toml").write_text(STUDY)
    tools = home / "bin"
    tools.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (tools / tool).symlink_to(found)
    if go is not None:
        script(tools / "go", go)
    if ghz is not None:
        script(home / "cache" / "tools" / f"ghz-{VERSION}" / "ghz", ghz)
    return Deadheat(home, folder.path, env={"PATH": str(tools)})


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def rows(deadheat: Deadheat, tool: str) -> list[dict[str, Any]]:
    """Both rows of the race by a tool."""
    name = "somebody-2026" if tool == "ghz" else f"somebody-2026, {tool}"
    (race,) = (race for race in deadheat.results()["workloads"] if race["setting"] == name)
    contenders: list[dict[str, Any]] = race["contenders"]
    assert {row["name"] for row in contenders} == {"good", "twin"}
    return contenders


def ours_are_measured(deadheat: Deadheat) -> None:
    for row in rows(deadheat, "deadheat-load"):
        assert row["status"] == "measured", row["reason"]
        assert row["throughput_rps"]["estimate"] > 0


@pytest.mark.skipif(os.access("/usr/sbin/h2load", os.X_OK), reason="h2load where every path leads")
def test_neither_ghz_nor_h2load_is_there(tmp_path: Path) -> None:
    deadheat = suite(tmp_path)
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code in (0, 4), ended
    for tool, missing in (("ghz", "go not found"), ("h2load", "nghttp2-client")):
        for row in rows(deadheat, tool):
            assert (row["status"], "throughput_rps" in row) == ("unavailable", False)
            assert missing in row["reason"]
    ours_are_measured(deadheat)


def test_ghz_cannot_be_installed(tmp_path: Path) -> None:
    deadheat = suite(
        tmp_path, go='[ "$1" = version ] && echo go version go1.26.0 linux/amd64 && exit; exit 7'
    )
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code in (0, 4), ended
    for row in rows(deadheat, "ghz"):
        assert row["status"] == "unavailable"
        assert "go install" in row["reason"]
        assert "status 7" in row["reason"]
    ours_are_measured(deadheat)


@pytest.mark.parametrize(
    ("ghz", "reason"),
    [
        ("echo nonsense", "the output of ghz cannot be read: the whole"),
        (f"{CAT} '{GOLDEN}' | {HEAD} -c 900", "the output of ghz cannot be read: the whole"),
        ("echo '{}'", "the output of ghz cannot be read: date"),
        ("true", "the output of ghz cannot be read"),
        ("echo no luck >&2; exit 1", "ghz exited with status 1"),
        ("kill -SEGV $$", "SIGSEGV"),
        (HANG, "did not end within 5 s and was killed"),
    ],
    ids=["no JSON", "cut off", "another form", "silent", "exits 1", "crashes", "hangs"],
)
def test_ghz_breaks(tmp_path: Path, ghz: str, reason: str) -> None:
    deadheat = suite(tmp_path, ghz=ghz)
    deadheat.env["DEADHEAT_TEST_OUTSIDE_LIMIT_S"] = "5"
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code in (0, 4), ended
    assert "Traceback" not in ended.err
    for row in rows(deadheat, "ghz"):
        assert (row["status"], "throughput_rps" in row) == ("unavailable", False)
        assert reason in row["reason"]
    ours_are_measured(deadheat)


def test_ghz_cannot_be_executed(tmp_path: Path) -> None:
    deadheat = suite(tmp_path, ghz="true")
    (tmp_path / "cache" / "tools" / f"ghz-{VERSION}" / "ghz").chmod(0o644)
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code in (0, 4), ended
    for row in rows(deadheat, "ghz"):
        assert row["status"] == "unavailable"
        assert "ermission denied" in row["reason"]
    ours_are_measured(deadheat)


def test_servers_that_answer_ghz_nothing_have_failed(tmp_path: Path) -> None:
    deadheat = suite(tmp_path, ghz=f"{CAT} '{GOLDEN.with_name('ghz-0.120.0-refused.json')}'")
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code in (0, 4), ended
    for row in rows(deadheat, "ghz"):
        assert row["status"] == "failed"
        assert "ghz had no call answered" in row["reason"]
    ours_are_measured(deadheat)
