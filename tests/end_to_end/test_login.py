"""A service that is asked by who has signed in: the login is asked at each start, and its answer used."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.made.repository import ENVIRONMENT, Made, made
from tests.made.serving import server

from .bench import Deadheat

BUDGET = ("--budget", "14s", "--seed", "7")
# A session of each start's own, without which nobody is told anything.
SERVER = server(
    """\
    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        right = sent == b"user=a&password=b"
        self.answer(303 if right else 403, b"", f"Set-Cookie: session={SESSION}; HttpOnly\\r\\n")

    def do_GET(self):
        knows = self.headers["Cookie"] == f"session={SESSION}"
        self.answer(200 if knows else 401, b"for you" if knows else b"who?")
    """,
    "SESSION = secrets.token_hex(8)\n",
)
BENCH = f"""\
run = "{sys.executable} -S -E server.py"
connections = 2

[login]
path = "/login"
body = "user=a&password=b"
take = {{ session = "cookie session" }}

[[request]]
path = "/me"
headers = {{ Cookie = "session={{session}}" }}
"""
AGAIN = """
[[request]]
name = "again"
path = "/me?again"
headers = { Cookie = "session={session}" }
weight = 2
"""


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    return made(tmp_path / "mine", {"bench/deadheat.toml": BENCH, "server.py": SERVER})


@pytest.fixture
def deadheat(home: Path, mine: Made) -> Deadheat:
    return Deadheat(home, Path(), env={**ENVIRONMENT}, cwd=mine.path, names_suite=False)


def test_requests_have_the_session_of_their_start(deadheat: Deadheat, mine: Made) -> None:
    mine.commit({"bench/deadheat.toml": BENCH + AGAIN})
    mine.write({"README": "nothing that matters\n"})
    ended = deadheat.run("ab", "HEAD", "--race-the-same", *BUDGET)
    assert ended.code == 0, ended
    [race] = deadheat.results()["workloads"]
    assert {row["status"] for row in race["contenders"]} == {"measured"}
    assert "not compared" not in ended.out + ended.err


def test_one_request_has_it_too(deadheat: Deadheat) -> None:
    ended = deadheat.run("check")
    assert ended.code == 0, ended
    assert "get-me/head: " in ended.out


def test_a_login_that_is_refused_is_said(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"bench/deadheat.toml": BENCH.replace("password=b", "password=c")})
    ended = deadheat.run("check")
    assert ended.code == 3, ended
    assert "POST /login, the login, is answered with 403" in ended.error


def test_a_place_that_is_none_is_refused(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"bench/deadheat.toml": BENCH.replace("cookie session", "the session")})
    ended = deadheat.run("check")
    assert ended.code == 2, ended
    assert 'session: "the session" says no place: "cookie NAME"' in ended.error
