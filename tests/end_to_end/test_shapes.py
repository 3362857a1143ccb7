"""`race --claims` on a study whose load was another than the workload's: both are planned, raced and told."""

from __future__ import annotations

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

[[shape]]
name = "theirs"
words = "wrk -c2"
workload = "hello"
connections = 2

[[shape]]
name = "large"
words = "wrk -c2 against a hundred cores"
workload = "hello"
connections = 2
cores = 100

[[claim]]
id = "faster"
statement = "the twin is twice as fast"
where = "a sentence"
workload = "hello"
shape = "theirs"
metric = "throughput_rps"
a = "twin"
b = "good"
published = { ratio = 2.0 }

[[claim]]
id = "cores"
statement = "the twin is twice as fast on many cores"
where = "a sentence"
workload = "hello"
shape = "large"
metric = "throughput_rps"
a = "twin"
b = "good"
published = { ratio = 2.0 }
server_cores = 100
"""


@pytest.fixture
def deadheat(tmp_path: Path) -> Deadheat:
    suite = hello(tmp_path / "suite", copies=["twin"])
    (suite.path / "claims").mkdir()
    (suite.path / "claims" / "somebody-2020.toml").write_text(STUDY)
    return Deadheat(tmp_path, suite.path)


def test_the_dry_run_says_what_is_raced_for_how_long_and_what_cannot_be(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", "--claims", "somebody-2020", "--dry-run")
    assert ended.code == 0, ended
    assert "hello: 3 entries" in ended.out
    assert "hello [connections=2]: 3 entries" in ended.out
    assert "in all about" in ended.out
    assert "not here: wrk -c2 against a hundred cores, which needs 100 cores" in ended.out


def test_both_are_raced_and_stand_beside_one_another(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", "--claims", "somebody-2020", "--budget", "10s", "--seed", "1")
    assert ended.code in (0, 4), ended
    results = deadheat.results()
    assert [race["setting"] for race in results["workloads"]] == [None, "connections=2"]
    rows = {(row["id"], row["shape"]): row for row in results["claims"] if row["method"] == "deadheat"}
    assert set(rows) == {
        ("faster", None),
        ("faster", "wrk -c2"),
        ("cores", None),
        ("cores", "wrk -c2 against a hundred cores"),
    }
    assert rows["cores", None]["reasons"] == [{"reason": "needs-server-cores", "cores": 100}]
    said = deadheat.run("claims", "somebody-2020")
    assert "the twin is twice as fast (its own load)" in said.out or ended.code == 4
    assert "needs 100 server cores" in said.out
