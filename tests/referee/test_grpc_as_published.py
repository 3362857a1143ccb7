"""ghz or h2load missing or broken: their rows say so, and ours are measured all the same."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from deadheat.generators.ghz import VERSION

from .bench import Deadheat, SuiteFolder
from .test_grpc_servers import FIXTURE, GREET, PROTO, SERVE

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


def suite(home: Path, *, go: str | None = None, ghz: str | None = None) -> Deadheat:
    """Two good servers, a study of ghz, and a search path with little on it; `go` and `ghz` are scripts."""
    folder = SuiteFolder(home / "suite")
    folder.workload("greet", GREET)
    shutil.copy(FIXTURE, folder.path / "greet")
    shutil.copy(PROTO, folder.path / "greet")
    for name in ("good", "twin"):
        folder.contender("greet", name, SERVE)
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
            assert (row["status"], row["throughput_rps"]) == ("unavailable", None)
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
    [("echo nonsense", "the output of ghz cannot be read"), ("echo no luck >&2; exit 3", "status 3")],
)
def test_ghz_gives_no_figures(tmp_path: Path, ghz: str, reason: str) -> None:
    deadheat = suite(tmp_path, ghz=ghz)
    ended = deadheat.run("race", "--method", "as-published")
    assert ended.code in (0, 4), ended
    for row in rows(deadheat, "ghz"):
        # It was there and ran, so it is not "unavailable": what it said is the reason.
        assert (row["status"], row["throughput_rps"]) == ("failed", None)
        assert reason in row["reason"]
    ours_are_measured(deadheat)
