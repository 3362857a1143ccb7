"""Programs with bad habits and builds that fail, all in one race: each is a row that says what was wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made.once import Once

from .bench import CALCULATE, Deadheat, twice

HABITS = ("hangs", "hangs-racing", "wrong", "wrong-racing", "fails", "leaves-children", "crashes", "floods")
LOUD_BUILD = "for i in $(seq 30); do echo line $i; done; echo 'undefined: main' >&2; exit 2"


class Menagerie:
    """The race and what it left."""

    def __init__(self, home: Path) -> None:
        suite = twice(home / "suite", HABITS)
        suite.contender("twice", "build-fails", CALCULATE, build=LOUD_BUILD)
        suite.contender("twice", "no-network", CALCULATE, build="echo 'Hex cannot be reached' >&2; exit 69")
        suite.contender("twice", "no-artifact", CALCULATE, build="true", artifact="server")
        suite.contender("twice", "no-cobol", CALCULATE, needs=["cobolc"])
        suite.contender("twice", "old-python", CALCULATE, needs=["python >= 99"])
        suite.contender("twice", "not-there", "./no-such-program {args}")
        self.deadheat = Deadheat(home, suite.path)
        self.ended = self.deadheat.run("race", "--budget", "15s", "--seed", "1")
        assert "Traceback" not in self.ended.err, self.ended.err
        self.results = self.deadheat.results()

    def row(self, contender: str) -> dict[str, Any]:
        return self.deadheat.row(contender, self.results)


@pytest.fixture(scope="module")
def race(once: Once) -> Menagerie:
    return once("programs", Menagerie)


def test_the_good_one_is_measured_among_them(race: Menagerie) -> None:
    assert race.row("good")["status"] == "measured"
    assert race.row("good")["wall_s"]["estimate"] > 0


def test_all_others_failed_is_an_exit_code(race: Menagerie) -> None:
    assert race.ended.code == 3


@pytest.mark.parametrize(
    ("contender", "words"),
    [
        ("hangs", ["n = 0", "ran into its time limit"]),
        ("hangs-racing", ["n = 30", "ran into its time limit"]),
        ("wrong", ['n = 2  expected "4"  got "6"']),
        ("wrong-racing", ['n = 30  expected "60"  got "62"']),
        ("fails", ["exited with status 1"]),
        ("leaves-children", ["leaving 1 process behind"]),
        ("crashes", ["died of SIGSEGV"]),
        ("floods", ['expected "0"  got "xxx']),
        ("build-fails", ["its build exited with status 2", "build.log"]),
        ("no-artifact", ["its build left no server", "build.log"]),
        ("not-there", ["cannot run ./no-such-program: No such file or directory"]),
    ],
)
def test_it_failed_and_says_how(race: Menagerie, contender: str, words: list[str]) -> None:
    row = race.row(contender)
    assert row["status"] == "failed"
    for word in words:
        assert word in row["reason"]
    assert "\n" not in row["reason"]
    assert row["reason"] in race.ended.out


@pytest.mark.parametrize(
    ("contender", "words"),
    [
        ("no-network", ["Hex cannot be reached"]),
        ("no-cobol", ["cobolc not found"]),
        ("old-python", [" is here, >= 99 is asked", "python3"]),
    ],
)
def test_it_is_unavailable_and_says_why(race: Menagerie, contender: str, words: list[str]) -> None:
    row = race.row(contender)
    assert row["status"] == "unavailable"
    for word in words:
        assert word in row["reason"]
    assert f"! twice/{contender} is unavailable: {row['reason']}" in race.ended.err


def test_a_too_old_toolchain_says_which_version_is_there(race: Menagerie) -> None:
    import re

    assert re.match(r"python 3\.\d+\.\d+ is here", race.row("old-python")["reason"])


def test_a_failed_build_shows_its_last_20_lines_and_where_the_rest_is(race: Menagerie) -> None:
    at = race.ended.err.index("! twice/build-fails failed")
    reported = race.ended.err[at:].splitlines()[:21]
    assert [line.strip() for line in reported[1:]] == [
        *(f"line {i}" for i in range(12, 31)),
        "undefined: main",
    ]
    log = Path(reported[0].rsplit(": ", 1)[1])
    assert log.read_text().splitlines()[0] == "line 1"


def test_check_tells_the_same(race: Menagerie) -> None:
    ended = race.deadheat.run("check", "build-fails", "no-cobol", "fails", "good")
    assert ended.code == 3
    assert "failed      twice/build-fails: its build exited with status 2" in ended.out
    assert "\n    undefined: main\n" in ended.out
    assert "unavailable twice/no-cobol: cobolc not found" in ended.out
    assert "\n    stderr: could not write my cache\n" in ended.out
    assert "right       twice/good: 5 cases" in ended.out


def test_check_of_good_and_unavailable_ones_is_no_failure(race: Menagerie) -> None:
    assert race.deadheat.run("check", "no-cobol", "good").code == 0


def test_build_shows_the_log_and_fails(race: Menagerie) -> None:
    ended = race.deadheat.run("build", "build-fails", "good")
    assert ended.code == 3
    assert "\n    undefined: main\n" in ended.out
    assert "ready       twice/good: nothing to build" in ended.out


def test_an_oracle_that_fails_is_named_with_what_it_said(tmp_path: Path) -> None:
    suite = twice(tmp_path / "suite")
    oracle = suite.path / "twice" / "oracle.py"
    oracle.write_text("raise SystemExit('no such number')\n")
    ended = Deadheat(tmp_path, suite.path).run("race")
    assert ended.code == 3
    assert "workload.toml: the oracle failed: " in ended.err
    assert "no such number" in ended.err
