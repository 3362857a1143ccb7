"""A server that puts its work off until slices are over is found out by turns without a break."""

from __future__ import annotations

import json
from pathlib import Path

from .bench import SERVE, Deadheat, hello

ASKED = ("race", "--preset", "standard", "--budget", "24s", "--seed", "1")


def test_a_server_that_works_when_nobody_counts_has_no_verdict(home: Path) -> None:
    suite = hello(home / "suite")
    deadheat = Deadheat(home, suite.path)
    suite.contender("hello", "later", f"{SERVE} works-later 0")
    (race,) = json.loads(deadheat.run(*ASKED, "--dry-run", "--json").out)["workloads"]
    assert race["measured"]["long_turns"]["rounds"] > 0
    assert "slices are held against up to" in deadheat.run(*ASKED, "--dry-run").out
    # Its tokens of a block: of readiness, of a warm-up, of its slices, of two turns of open loop; then these.
    first_long = 2 * race["rounds"] + 5
    (suite.path / "hello" / "later" / "contender.toml").unlink()
    (suite.path / "hello" / "later").rmdir()
    suite.contender("hello", "later", f"{SERVE} works-later {first_long}")
    ended = deadheat.run(*ASKED)
    assert "Traceback" not in ended.err, ended
    (gate,) = [g for g in deadheat.row("later")["gates"] if g["name"] == "slices-agree"]
    assert not gate["ok"] and gate["facts"]["high"] < 1
    verdicts = deadheat.results()["workloads"][0]["verdicts"]
    assert [verdict["verdict"] for verdict in verdicts] == ["invalid"]
    taken = [turn["entry"] for turn in deadheat.journal() if turn["type"] == "long-turn"]
    assert set(taken) == {"good", "later"} and len(taken) >= 2 * 2 * 5


def test_the_quick_preset_has_no_long_turns_and_says_so(home: Path) -> None:
    suite = hello(home / "suite", copies=["twin"])
    deadheat = Deadheat(home, suite.path)
    ended = deadheat.run("race", "--budget", "14s", "--seed", "1")
    assert "slices-agree: not checked of twin" in ended.out
    assert not [g for g in deadheat.row("twin")["gates"] if g["name"] == "slices-agree"]
    (one,) = [f for f in deadheat.results()["workloads"][0]["findings"] if f["finding"] == "slices-unchecked"]
    assert (one["contenders"], one["planned"]) == (["twin"], False)
