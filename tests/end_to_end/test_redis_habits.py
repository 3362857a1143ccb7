"""Redis clients with bad habits, all in one race: each is a row that says what was wrong."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.made.once import Once

from .bench import Deadheat, Ended
from .redis_bench import suite

HABITS = ("streams", "refuses-depth", "ignores-depth", "halves-depth", "no-json", "misreads", "miscounts")


class Race:
    """One race of them all and what it left."""

    def __init__(self, home: Path, habits: tuple[str, ...], *args: str) -> None:
        self.deadheat = Deadheat(home, suite(home / "suite", habits).path)
        self.ended: Ended = self.deadheat.run("race", "--seed", "1", *args)
        assert "Traceback" not in self.ended.err, self.ended.err
        self.results = self.deadheat.results()

    def row(self, contender: str) -> dict[str, Any]:
        return self.deadheat.row(contender, self.results)


@pytest.fixture(scope="module")
def whole(once: Once) -> Race:
    return once("redis-whole", lambda folder: Race(folder, HABITS, "--set", "server=redis", "--budget", "6s"))


@pytest.fixture(scope="module")
def at_a_depth(once: Once) -> Race:
    habits = ("refuses-depth",)
    return once("redis-depth", lambda folder: Race(folder, habits, "--set", "depth=50", "--budget", "5s"))


@pytest.mark.parametrize(
    ("contender", "words"),
    [
        ("no-json", "it printed no line of JSON: '"),
        ("misreads", "n = 1000, 1 rounds: expected digest"),
        ("miscounts", "it says that it sent 2002 commands, not 2003"),
        ("ignores-depth", "depth=7: 43 commands were sent before their replies came, not 7"),
        ("halves-depth", "depth=7: 3 commands were sent at most, not 7"),
    ],
)
def test_it_failed_and_says_how(whole: Race, contender: str, words: str) -> None:
    row = whole.row(contender)
    assert row["status"] == "failed"
    assert words in row["reason"]


@pytest.mark.parametrize("contender", ["good", "refuses-depth", "streams"])
def test_the_others_are_measured_as_they_keep_to_the_rules(whole: Race, contender: str) -> None:
    row = whole.row(contender)
    assert (row["status"], row["reason"]) == ("measured", None)
    assert row["own_wall_s"]["estimate"] > 0


def test_a_refused_depth_is_not_run_at_that_depth_alone(at_a_depth: Race) -> None:
    [race] = at_a_depth.results["workloads"]
    assert race["setting"] == "depth=50"
    row = at_a_depth.row("refuses-depth")
    assert row["status"] == "not run"
    assert row["reason"].endswith("client: unknown option --pipeline-depth")
    assert at_a_depth.row("good")["status"] == "measured"
    plan = (at_a_depth.deadheat.runs / "latest" / "plan.json").read_text()
    assert '"depth":50' in plan.replace(" ", "")


def test_a_hanging_client_runs_into_the_workloads_time_limit(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = suite(home / "suite", ["hangs"], timeout_s=0.5)
    ended = Deadheat(home, folder.path).run("check", "hangs")
    assert ended.code == 3
    assert "it ran into its time limit after 0.5" in ended.out


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing: apt-get install strace")
def test_calls_on_the_connection_are_seen_at_the_client(whole: Race) -> None:
    good, streams = whole.row("good"), whole.row("streams")
    assert (good["overlaps"]["reads_while_writing"], good["write_calls"]) == (False, 1)
    assert streams["overlaps"]["reads_while_writing"]
    assert streams["write_calls"] == 2
    assert good["bytes_out"] == streams["bytes_out"] > 0
    assert good["bytes_in"] == streams["bytes_in"] > 0
    assert "reads while writing" in whole.ended.out


def test_without_strace_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    deadheat = Deadheat(home, suite(home / "suite", ["streams"]).path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("redis-server", "sh"):
        found = shutil.which(name)
        assert found
        (programs / name).symlink_to(found)
    deadheat.env["PATH"] = str(programs)
    deadheat.run("race", "--set", "server=redis", "--budget", "5s")
    assert deadheat.row("good")["overlaps"]["unknown"] == "install strace"
    assert deadheat.row("good")["write_calls"] is None
