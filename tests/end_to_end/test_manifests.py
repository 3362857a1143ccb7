"""Mistakes in a suite or on the command line: one clear line with file and line, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deadheat.cli import main

from .bench import SERVE, Deadheat, Ended, SuiteFolder, hello

Damage = Callable[[SuiteFolder], object]
Run = Callable[..., Ended]


def _manifest(suite: SuiteFolder, name: str = "good") -> Path:
    return suite.path / "hello" / name / "contender.toml"


def _append(text: str) -> Damage:
    def damage(suite: SuiteFolder) -> None:
        with _manifest(suite).open("a") as file:
            file.write(text)

    return damage


def _in_workload(old: str, new: str) -> Damage:
    def damage(suite: SuiteFolder) -> None:
        path = suite.path / "hello" / "workload.toml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return damage


def _a_folder_instead(suite: SuiteFolder) -> None:
    _manifest(suite).unlink()
    _manifest(suite).mkdir()


DAMAGES: dict[str, tuple[Damage, str]] = {
    "unknown key": (
        _append('buid = "make"\n'),
        'good/contender.toml:6: unknown key "buid"; did you mean "build"?',
    ),
    "missing key": (
        lambda suite: _manifest(suite).write_text('title = "Good"\n'),
        'good/contender.toml:1: key "language" is missing',
    ),
    "not TOML": (_append("run = \n"), "good/contender.toml:6: not TOML: "),
    "a key twice": (_append('title = "again"\n'), "good/contender.toml:6: not TOML: "),
    "not text": (
        lambda suite: _manifest(suite).write_bytes(b"\xff\xfe\x00"),
        "good/contender.toml: not UTF-8 text",
    ),
    "not a file": (
        _a_folder_instead,
        "good/contender.toml: cannot be read: Is a directory",
    ),
    "unknown class": (_append('[variants.x]\nclass = "fast"\n'), "good/contender.toml:7: variants.x.class:"),
    "unknown kind": (_in_workload('kind = "http"', 'kind = "smtp"'), "workload.toml:3: kind:"),
    "unknown metric": (_in_workload("throughput_rps", "speed"), "workload.toml:4: metric:"),
    "unknown reference": (
        _in_workload('reference = "good"', 'reference = "goood"'),
        'workload.toml:5: reference "goood" is no contender; did you mean "good"?',
    ),
    "no case for the load": (
        _in_workload('[[conformance]]\npath = "/{token}"', '[[conformance]]\npath = "/x"'),
        "workload.toml:1: no [[conformance]] case says what /{token} answers",
    ),
    "no port": (
        lambda suite: suite.contender("hello", "deaf", "./server 8080"),
        "deaf/contender.toml:4: deaf does not get its port",
    ),
    "no port in a variant": (
        _append('[variants.deaf]\nrun = "./server 8080"\n'),
        "good/contender.toml:7: good:deaf does not get its port",
    ),
    "no workload": (
        lambda suite: (suite.path / "hello" / "workload.toml").unlink(),
        "suite: holds no workload",
    ),
}


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this very process: nothing is started here, and a mistake is quickly told."""

    home.mkdir()

    def deadheat(suite: SuiteFolder, *args: str) -> Ended:
        for name, value in Deadheat(home, suite.path).environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["deadheat", *args])
        with pytest.raises(SystemExit) as exit_:
            main()
        said = capsys.readouterr()
        return Ended(int(exit_.value.code or 0), said.out, said.err)

    return deadheat


@pytest.mark.parametrize("what", DAMAGES)
def test_a_broken_suite(run: Run, home: Path, tmp_path: Path, what: str) -> None:
    damage, words = DAMAGES[what]
    suite = hello(tmp_path / "suite")
    damage(suite)
    ended = run(suite, "race")
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith(f"error: {suite.path}")
    assert words in ended.err
    assert "Traceback" not in ended.err
    # One line, and perhaps what to do.
    assert len(ended.err.splitlines()) <= 2
    assert not (home / "runs").exists()


MISTAKES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("race", "helo"): ('no workload is called "helo"; did you mean "hello"?',),
    ("race", "-c", "goood"): ('no contender is called "goood"; did you mean "good"?',),
    ("race", "-c", "zebra"): ('no contender is called "zebra"', "deadheat list shows"),
    ("check", "god"): ('no contender is called "god"; did you mean "good"?',),
    ("build", "good:fast"): ('no contender is called "good:fast"; did you mean "good"?',),
    ("race", "--connections", "0"): ('"0" is no list of counts', "10,64,400"),
    ("race", "--preset", "slow"): ('no preset is called "slow"', "quick, standard or thorough"),
    ("race", "--budget", "soon"): ('"soon" is no duration', "write 90s, 5m or 1h"),
    ("race", "--margin", "200%"): ('"200%" is no share below one',),
    ("race", "--server-cpus", "one"): ('"one" is no list of CPUs', "write 0, 0,2 or 0-3"),
    ("race", "--suite", "nowhere"): ("nowhere: no such suite", "--suite names a folder"),
    ("race", "--resume", "yesterday"): ('no run is called "yesterday"', "deadheat runs"),
    ("show",): ("no run in", "deadheat race makes one"),
    ("report", "x"): ('no run is called "x"', "deadheat runs"),
}


@pytest.mark.parametrize("args", MISTAKES, ids=" ".join)
def test_a_mistaken_command_line(run: Run, home: Path, tmp_path: Path, args: tuple[str, ...]) -> None:
    ended = run(hello(tmp_path / "suite"), *args)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    for words in MISTAKES[args]:
        assert words in ended.err
    assert "Traceback" not in ended.err
    assert not (home / "runs").exists()


@pytest.mark.parametrize("args", [("rase",), ("race", "--fast"), ("race", "--seed", "x")])
def test_what_the_parser_refuses(run: Run, tmp_path: Path, args: tuple[str, ...]) -> None:
    ended = run(hello(tmp_path / "suite"), *args)
    assert ended.code == 2
    assert ended.out == ""
    assert "Usage: " in ended.err
    assert "Traceback" not in ended.err


def test_a_placeholder_that_means_nothing(run: Run, tmp_path: Path) -> None:
    suite = hello(tmp_path / "suite")
    suite.contender("hello", "lost", f"{SERVE} {{prot}}")
    ended = run(suite, "check", "lost")
    assert ended.code == 2
    assert 'lost/contender.toml: "{prot}" means nothing here' in ended.error
    assert "hint: known: " in ended.error
