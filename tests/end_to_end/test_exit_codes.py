"""What a race ends with: 0 settled, 3 nothing measured, 4 too few blocks (130 is in test_interrupted)."""

from __future__ import annotations

import shutil
from pathlib import Path

from .bench import CALCULATE, SERVE, Deadheat, hello, twice


def test_settled(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, twice(tmp_path / "suite", ["slow"]).path)
    # Fewer than five blocks have no verdict.
    ended = deadheat.run("race", "--budget", "14s")
    verdicts = deadheat.results()["workloads"][0]["verdicts"]
    assert [(v["a"], v["b"], v["verdict"]) for v in verdicts] == [("good", "slow", "faster")], ended
    assert ended.code == 0
    assert "times as fast as good (95% CI " in ended.out


def test_of_too_few_blocks_nothing_is_judged(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, twice(tmp_path / "suite", ["none"]).path)
    ended = deadheat.run("race", "--budget", "3s")
    assert deadheat.results()["workloads"][0]["blocks"] < 3
    assert ended.code == 4
    assert "nothing could be judged" in ended.err


def test_nobody_answers_right(home: Path, tmp_path: Path) -> None:
    suite = hello(tmp_path / "suite")
    shutil.rmtree(suite.path / "hello" / "good")
    suite.contender("hello", "good", f"{SERVE} wrong")
    suite.contender("hello", "other", f"{SERVE} exits-at-once")
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "3s")
    assert ended.code == 3
    assert {row["status"] for row in deadheat.results()["workloads"][0]["contenders"]} == {"failed"}
    assert not [line for line in deadheat.journal() if line["type"] == "block-started"]
    assert "Traceback" not in ended.err


def test_a_reference_that_is_lost_leaves_rows_and_no_verdicts(home: Path, tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite", ["none"])
    shutil.rmtree(suite.path / "twice" / "good")
    suite.contender("twice", "good", CALCULATE, build="exit 1")
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "3s")
    assert ended.code == 3
    assert deadheat.row("good")["status"] == "failed"
    assert deadheat.row("none")["status"] == "measured"
    workload = deadheat.results()["workloads"][0]
    assert workload["verdicts"] == []
    assert workload["null_pair"] is None
    assert "Traceback" not in ended.err
