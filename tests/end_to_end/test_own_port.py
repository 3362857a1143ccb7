"""Servers that take no port: each in a network of its own, where all may listen at one; or told by a file."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.made.repository import Made, made

from .bench import HABITS, Deadheat

SERVER = HABITS / "server.py"
BUDGET = ("--budget", "8s", "--seed", "7")
PORT = "8080"
# Whatever it is told.
FIXED = shlex.join([sys.executable, "-S", "-E", str(SERVER), PORT])
BY_FILE = """
import os, sys
port = open(sys.argv[1]).read().split()[1]
os.execv(sys.executable, [*sys.argv[2:], port])
"""
CONFIGURED = shlex.join([sys.executable, "-c", BY_FILE, "{config}", sys.executable, "-S", "-E", str(SERVER)])
root = pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own takes root")


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    """With no suite anywhere, where servers may count their starts."""
    return Deadheat(home, home / "no-suite", cwd=tmp_path)


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    """A repository with a server that listens at a port of its own."""
    bench = f'run = "{sys.executable} -S -E {SERVER} {PORT}"\nport = {PORT}\nconnections = 4\n'
    repository = made(tmp_path / "mine", {"bench/deadheat.toml": bench, "notes.txt": "one"})
    repository.write({"notes.txt": "two"})
    return repository


def measured(deadheat: Deadheat) -> list[str]:
    [race] = deadheat.results()["workloads"]
    return [row["status"] for row in race["contenders"]]


@root
def test_two_at_one_port(deadheat: Deadheat) -> None:
    lines = ("--command", FIXED, "--command", FIXED, "-n", "main", "-n", "branch", "--port", PORT)
    ended = deadheat.run("race", *lines, "--path", "/users", "--connections", "4", *BUDGET)
    assert ended.code in (0, 4), ended
    assert measured(deadheat) == ["measured"] * 2, deadheat.results()


@root
def test_two_revisions_at_one_port(deadheat: Deadheat, mine: Made) -> None:
    there = Deadheat(deadheat.home, deadheat.suite, cwd=mine.path)
    ended = there.run("ab", "HEAD", "--race-the-same", "--budget", "12s")
    assert ended.code == 0, ended
    assert "null pair" in ended.out


def test_one_that_takes_no_port_says_what_to_do(deadheat: Deadheat) -> None:
    lines = ("--command", FIXED, "--command", FIXED)
    ended = deadheat.run("race", *lines, *BUDGET)
    assert ended.code == 3, ended
    assert "and listens on" in ended.error
    assert "--port" in ended.err and "--config-template" in ended.err


IN_THE_BACKGROUND = f"sh -c {shlex.quote(f'{sys.executable} -S -E {SERVER} {{port}} &')}"
AT_ANOTHER_ADDRESS = shlex.join(
    [sys.executable, "-c", "import socket; socket.create_server(('::1', {port}), family=10).accept()"]
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (IN_THE_BACKGROUND, "it went into the background"),
        (AT_ANOTHER_ADDRESS, "listens at that port, but not at 127.0.0.1 (at ::1 alone?)"),
    ],
)
def test_one_that_cannot_be_reached_or_kept_is_told(deadheat: Deadheat, line: str, said: str) -> None:
    ended = deadheat.run("race", "--command", line, "--command", line, *BUDGET)
    assert ended.code == 3, ended
    assert said in " ".join((ended.out + ended.err).split())


def test_told_by_a_file(deadheat: Deadheat, tmp_path: Path) -> None:
    template = tmp_path / "it's $HOME.conf"
    template.write_text("listen {port} $HOME 'quoted' {other}\n")
    lines = ("--command", CONFIGURED, "--command", CONFIGURED, "--config-template", str(template))
    ended = deadheat.run("race", *lines, "--connections", "4", *BUDGET)
    assert ended.code in (0, 4), ended
    assert measured(deadheat) == ["measured"] * 2, deadheat.results()
    [*copies] = (deadheat.home / "cache").glob("builds/*/*/*/config-*")
    assert copies
    for copy in copies:
        port = copy.name.split("-")[1]
        assert copy.read_text() == f"listen {port} $HOME 'quoted' {{other}}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--program", "true", "--program", "true", "--port", PORT), "--port is of a --command"),
        (("--command", "a", "--command", "b", "--port", PORT, "--service", "redis"), "does not reach"),
        (("--command", "a", "--command", "b", "--config-template", "{file}"), "a: does not say {config}"),
        (("--url", "http://127.0.0.1:1", "--config-template", "{file}"), "--config-template is of"),
    ],
)
def test_what_cannot_be_is_one_line(
    deadheat: Deadheat, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "app.conf"
    file.write_text("{port}")
    ended = deadheat.run("race", *(word.replace("{file}", str(file)) for word in words))
    assert ended.code == 2, ended
    assert said in ended.error
