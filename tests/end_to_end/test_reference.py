"""Who the others are held against: the workload's own reference, one that is asked for, or a stand-in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from .bench import CALCULATE, TWICE, Deadheat, SuiteFolder, twice

# Settled or not is the machine's affair.
MEASURED = (0, 4)


def _lost(folder: Path, **manifest: object) -> SuiteFolder:
    """A reference that is lost, and two others: `other` and `slow`."""
    suite = twice(folder, ["slow"])
    shutil.rmtree(suite.path / "twice" / "good")
    run = str(manifest.pop("run", CALCULATE))
    suite.contender("twice", "good", run, **manifest)
    suite.contender("twice", "other", CALCULATE)
    return suite


def _against_other(deadheat: Deadheat) -> dict[str, Any]:
    workload: dict[str, Any] = deadheat.results()["workloads"][0]
    assert workload["reference"] == "other"
    assert [{v["a"], v["b"]} for v in workload["verdicts"]] == [{"other", "slow"}]
    assert workload["findings"][0]["finding"] == "stand-in-reference"
    assert workload["findings"][0]["instead_of"] == "good"
    return workload


def test_a_reference_that_is_missing_is_stood_in_for(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, _lost(tmp_path / "suite", needs=["cobolc"]).path)
    ended = deadheat.run("race", "--budget", "10s")
    workload = _against_other(deadheat)
    assert ended.code in MEASURED, ended
    assert workload["null_pair"]["contender"] == "other"
    assert deadheat.row("good")["status"] == "unavailable"
    said = "other is the reference, as good cannot race: cobolc not found"
    assert said in " ".join(ended.out.split())
    run = next((home / "runs").glob("*/results.json")).parent
    for page in ("report.html", "report.md"):
        assert said in (run / page).read_text(), page
    # The journal alone says it all: what is derived from it again is the same.
    before = (run / "results.json").read_text()
    assert deadheat.run("report", "latest").code == 0
    assert json.loads((run / "results.json").read_text()) == json.loads(before)


def test_a_reference_that_leaves_the_race_is_stood_in_for(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, _lost(tmp_path / "suite", run=f"{CALCULATE} wrong-racing").path)
    ended = deadheat.run("race", "--budget", "14s")
    workload = _against_other(deadheat)
    assert ended.code in MEASURED, ended
    assert deadheat.row("good")["status"] == "failed"
    assert 'n = 30  expected "60"  got "62"' in workload["findings"][0]["reason"]


def test_a_ceiling_is_not_raced_alone(home: Path, tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite", [])
    shutil.rmtree(suite.path / "twice" / "good")
    suite.contender("twice", "good", CALCULATE, needs=["cobolc"])
    suite.contender("twice", "most", CALCULATE, **{"class": "ceiling"})
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "8s")
    assert ended.code == 3
    assert not [line for line in deadheat.journal() if line["type"] == "block-started"]
    said = "is unavailable: only the ceiling can race here (good: cobolc not found"
    assert said in " ".join(ended.err.split())


def test_a_reference_may_be_asked_for(home: Path, tmp_path: Path) -> None:
    deadheat = Deadheat(home, twice(tmp_path / "suite", ["none", "slow"]).path)
    assert deadheat.run("race", "--dry-run", "--reference", "slo").code == 2
    assert deadheat.run("race", "-c", "none", "--reference", "slow", "--budget", "8s").code in MEASURED
    workload = deadheat.results()["workloads"][0]
    assert workload["reference"] == "slow"
    assert [{v["a"], v["b"]} for v in workload["verdicts"]] == [{"none", "slow"}]
    assert {row["name"] for row in workload["contenders"]} == {"none", "slow"}


def test_a_workload_needs_neither_question_nor_reference(home: Path, tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite", ["slow"])
    lines = TWICE.splitlines(keepends=True)
    bare = "".join(line for line in lines if not line.startswith(("question", "reference")))
    (suite.path / "twice" / "workload.toml").write_text(bare)
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "8s")
    assert ended.code in MEASURED, ended
    assert deadheat.results()["workloads"][0]["reference"] == "good"
    assert deadheat.run("list").code == 0
