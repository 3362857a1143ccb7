"""Workers that die, ports that are taken, toolchains too old, connections that close: rows of one race."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made.once import Once

from .bench import SERVE, Deadheat, Ended, hello

HABITS = ("workers-die", "workers-die-at-once", "port-taken", "closes-under-load")


class Menagerie:
    """The race and what it left."""

    def __init__(self, home: Path) -> None:
        suite = hello(home / "suite", HABITS)
        suite.contender("hello", "old-python", SERVE, needs=["python >= 99"])
        self.deadheat = Deadheat(home, suite.path)
        self.ended: Ended = self.deadheat.run("race", "--budget", "8s", "--seed", "3")
        self.results = self.deadheat.results()

    def row(self, contender: str) -> dict[str, Any]:
        return self.deadheat.row(contender, self.results)


@pytest.fixture(scope="module")
def race(once: Once) -> Menagerie:
    return once("http-bad-input", Menagerie)


def test_the_race_goes_on(race: Menagerie) -> None:
    assert race.row("good")["status"] == "measured"
    assert race.ended.code in (0, 4), race.ended.err


@pytest.mark.parametrize(
    ("contender", "status", "words"),
    [
        (
            "port-taken",
            "failed",
            ["exited with status 1", "its last line: OSError", "Address already in use"],
        ),
        ("workers-die-at-once", "failed", ["not an HTTP answer", "closed connection without response"]),
        ("old-python", "unavailable", ["python 3.", " is here, >= 99 is asked", "python"]),
    ],
)
def test_it_is_a_row_with_its_reason(race: Menagerie, contender: str, status: str, words: list[str]) -> None:
    row = race.row(contender)
    assert row["status"] == status
    for word in words:
        assert word in row["reason"]
    assert row["reason"] in race.ended.out
    assert f"{contender} " in race.ended.err


def test_workers_that_die_and_come_again_get_no_verdict(race: Menagerie) -> None:
    """What a dead process used of the CPU is gone with it, so its server's figures are not whole. Where a
    request meets one death after the other, it is an error besides."""
    verdicts = {
        v["verdict"] for v in race.results["workloads"][0]["verdicts"] if "workers-die" in (v["a"], v["b"])
    }
    assert verdicts <= {"invalid"}
    row = race.row("workers-die")
    if row["status"] == "measured":
        assert "processes of this server come and go under load (a worker that dies?)" in race.ended.out
    else:
        assert row["status"] == "invalid"
        assert [gate["name"] for gate in row["gates"] if not gate["ok"]] == ["errors"]
        assert "went wrong under load" in race.ended.out


def test_connections_that_had_to_be_opened_again_are_told(race: Menagerie) -> None:
    findings = race.results["workloads"][0]["findings"]
    closing = [f["contender"] for f in findings if f["finding"] == "closes-connections"]
    assert "closes-under-load" in closing and "good" not in closing, findings
    # It may be broken over two lines.
    assert "closes-under-load closes connections: " in " ".join(race.ended.out.split())
