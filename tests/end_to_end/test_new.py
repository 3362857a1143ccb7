"""`deadheat new` in a repository of a user's: what it writes is built, started and asked at once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.made.repository import ENVIRONMENT, Made, made

from .bench import Deadheat

# It heeds PORT, in a language whose build is a copy.
SERVER = """\
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A reply of two writes waits up to 40 ms in between, until its first was acknowledged.
    wbufsize = -1

    def do_GET(self):
        body = b"users"
        self.send_response(200 if self.path == "/users" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): pass

class Server(ThreadingHTTPServer):
    request_queue_size = 512

Server(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""
# Python as this test has it, started without what a virtual environment would be.
BY_HAND = ("--build", "true", "--command", f"{sys.executable} -S -E server.py")
PLACE = "bench/deadheat.toml"


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    return made(tmp_path / "mine", {"requirements.txt": "", "server.py": SERVER})


@pytest.fixture
def deadheat(home: Path, mine: Made) -> Deadheat:
    """Where there is no suite, as with a user: none is named either."""
    return Deadheat(home, Path(), env={**ENVIRONMENT}, cwd=mine.path, names_suite=False)


def test_what_is_written_is_checked_at_once(deadheat: Deadheat, mine: Made) -> None:
    ended = deadheat.run("new", "--yes", *BY_HAND, "--path", "/users")
    assert ended.code == 0, ended
    assert "right       get-users/head: " in ended.out, ended
    assert f"written: {PLACE}" in ended.err and "deadheat ab" in ended.err
    text = (mine.path / PLACE).read_text()
    assert "# How deadheat ab builds" in text and 'path = "/users"' in text
    again = deadheat.run("new", "--yes", *BY_HAND)
    assert again.code == 2 and f"{PLACE} is there already" in again.error
    checked = deadheat.run("check")
    assert checked.code == 0 and "right       get-users/head: " in checked.out, checked
    assert mine.worktrees() == 1


def test_a_path_that_it_does_not_serve_is_said(deadheat: Deadheat, mine: Made) -> None:
    ended = deadheat.run("new", "--yes", *BY_HAND, "--path", "/nobody")
    assert ended.code == 3, ended
    assert "answers GET /nobody with 404" in ended.error
    assert (mine.path / PLACE).exists()


def test_what_it_printed_at_last_is_said_once(deadheat: Deadheat, mine: Made) -> None:
    ended = deadheat.run("new", "--yes", "--command", "python3 not_there.py {port}")
    assert ended.code == 3, ended
    assert ended.error.count("not_there.py") == 1, ended.error


def test_what_cannot_be_found_is_said(deadheat: Deadheat, mine: Made) -> None:
    mine.git("rm", "--quiet", "requirements.txt", "server.py")
    ended = deadheat.run("new", "--yes")
    assert ended.code == 3, ended
    assert "to do: no file here tells its language" in ended.err
    assert f"to do: {PLACE}: write run" in ended.err
    assert "# run = " in (mine.path / PLACE).read_text()


def test_without_a_terminal_nothing_can_be_asked(deadheat: Deadheat, mine: Made) -> None:
    ended = deadheat.run("new")
    assert ended.code == 2 and "--yes takes what the project's files say" in ended.error
    assert not (mine.path / PLACE).exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("new", "claims"), "claims are of a study: name it"),
        (("new", "bench", "a-study"), "a study and --workload are of claims"),
    ],
)
def test_the_two_drafts_are_told_apart(deadheat: Deadheat, words: tuple[str, ...], said: str) -> None:
    ended = deadheat.run(*words)
    assert ended.code == 2 and said in ended.error
