"""Ctrl-C: once ends the slice, prints the verdicts so far and how to go on; twice ends it at once."""

from __future__ import annotations

import re
import shlex
import signal
from pathlib import Path

import pytest

from deadheat.model.observation import Left
from deadheat.storage.journal import Journal

from .bench import SERVE, Deadheat, all_gone, hello, kin


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once(home: Path, tmp_path: Path, number: signal.Signals) -> None:
    deadheat = Deadheat(home, hello(tmp_path / "suite", copies=["copy"]).path)
    with deadheat.start("race", "--budget", "20s", "--seed", "5") as race:
        race.until_journal(
            lambda j: any(o["type"] == "block-ended" for o in j) and j[-1]["type"] == "slice",
            "a block is whole and the next is under load",
        )
        started = kin(race.pid)
        race.signal(number)
        ended = race.end()
    all_gone(started)
    assert ended.code == 130
    assert "Traceback" not in ended.err
    assert "stopping at the end of this slice" in ended.err
    # The verdicts so far: the table, and how far it came.
    assert re.search(r"hello · .* blocks? of \d+", ended.out)
    assert re.search(r"good .* the reference", ended.out)
    assert "stopped before the plan's end: interrupted" in ended.out
    journal = deadheat.journal()
    assert journal[-1]["type"] == "stopped"
    assert journal[-2]["type"] in ("slice", "started", "warmed-up", "ended", "block-started", "block-ended")
    assert deadheat.results()["stopped"] == "interrupted"

    command = re.search(r"^resume: deadheat (.+)$", ended.err, re.MULTILINE)
    assert command, ended.err
    with deadheat.start(*shlex.split(command[1])) as race:
        before = len(journal)
        race.until_journal(lambda j: any(o["type"] == "block-ended" for o in j[before:]), "it goes on")
        race.signal(signal.SIGINT)
        again = race.end()
    assert again.code == 130
    results = deadheat.results()
    assert results["resumed"] == 1
    assert results["workloads"][0]["blocks"] >= 2


def test_a_race_that_all_have_left_is_over(home: Path, tmp_path: Path) -> None:
    """Interrupted in a later one: it is not gone on with, although the last to leave had not all blocks."""
    deadheat = Deadheat(home, hello(tmp_path / "suite", copies=["copy"]).path)
    with deadheat.start("race", "--budget", "20s", "--seed", "5") as race:
        race.until_journal(lambda j: any(o["type"] == "block-ended" for o in j), "a block is whole")
        race.signal(signal.SIGINT)
        assert race.end().code == 130
    with Journal(deadheat.runs / "latest" / "journal.jsonl") as journal:
        journal.append(Left(race="hello", entry="copy", from_block=1, why="settled"))
    assert deadheat.run("race", "--resume", "latest").code in (0, 4)
    after = [o["type"] for o in deadheat.journal()]
    assert "block-started" not in after[after.index("resumed") :]


def test_twice_is_at_once(home: Path, tmp_path: Path) -> None:
    suite = hello(tmp_path / "suite")
    # It takes a connection and never answers: its check is not over before a long time limit.
    suite.contender("hello", "a-silent-one", f"{SERVE} silent")
    deadheat = Deadheat(home, suite.path, env={"DEADHEAT_TEST_ANSWER_TIMEOUT_S": "100"})
    with deadheat.start("race", "--budget", "20s") as race:
        asked = home / "cache"
        race.until(lambda: any(asked.rglob("a-silent-one/asked")), "the silent one is asked")
        started = kin(race.pid)
        assert started
        race.signal(signal.SIGINT)
        race.until_said("stopping at the end of this slice")
        race.signal(signal.SIGINT)
        ended = race.end()
    all_gone(started)
    assert ended.code == 130
    assert "Traceback" not in ended.err
    journal = deadheat.journal()
    assert journal[-1]["type"] == "stopped"
    # It did not wait for the end of the check.
    assert not any(o["type"] == "checked" and o["contender"] == "a-silent-one" for o in journal)
    assert deadheat.results()["stopped"] == "interrupted"


def test_a_long_build_is_stopped(home: Path, tmp_path: Path) -> None:
    suite = hello(tmp_path / "suite")
    mark = tmp_path / "building"
    suite.contender("hello", "slow-build", SERVE, build=f"touch {mark}; sleep 600")
    deadheat = Deadheat(home, suite.path)
    with deadheat.start("race") as race:
        race.until(mark.exists, "the build is under way")
        started = kin(race.pid)
        race.signal(signal.SIGINT)
        ended = race.end()
    all_gone(started)
    assert ended.code == 130
    assert "resume: deadheat race --resume" in ended.err
