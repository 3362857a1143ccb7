"""A workload's contenders are built just before its races, and never while anything is measured."""

from __future__ import annotations

from pathlib import Path

from .bench import CALCULATE, TWICE, Deadheat, SuiteFolder

FIRST, SECOND = "aaa", "bbb"


def test_the_first_race_is_over_before_the_second_is_built(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    suite = SuiteFolder(home / "suite")
    for workload in (FIRST, SECOND):
        suite.workload(workload, TWICE, ["program.py", "oracle.py"])
        for name in ("good", "other"):
            suite.contender(workload, name, CALCULATE, build=f"echo {workload}")
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "14s", "--seed", "1")
    assert ended.code in (0, 3, 4), ended
    events = [(line["type"], line.get("workload") or line.get("race", "")) for line in deadheat.journal()]
    of = {w: [i for i, (e, x) in enumerate(events) if e == "built" and x == w] for w in (FIRST, SECOND)}
    raced = [i for i, (event, race) in enumerate(events) if event.startswith("block") and FIRST in race]
    assert len(of[FIRST]) == len(of[SECOND]) == 2
    assert max(of[FIRST]) < min(raced) <= max(raced) < min(of[SECOND])
    # Which of how many is built, and how many are left for later.
    assert f"{FIRST}/good: building (1 of 2; 2 more for later races)" in ended.err
    assert f"{SECOND}/other: building (2 of 2)" in ended.err
