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
LOGIN = (
    *("--login", "/login", "--login-body", "user=a&password=b"),
    *("--login-take", "session=cookie session"),
)
ME = ("--path", "/me", "--header", "Cookie: session={session}")
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


def test_servers_without_a_suite_are_signed_in_to(deadheat: Deadheat) -> None:
    line = f"{sys.executable} -S -E server.py"
    lines = ("--command", line, "--command", line, "-n", "one", "-n", "other", "--connections", "2")
    ended = deadheat.run("race", *lines, *LOGIN, *ME, *BUDGET)
    assert ended.code in (0, 4), ended
    assert deadheat.row("one")["status"] == deadheat.row("other")["status"] == "measured"
    # The report is shared, what signs in is not.
    assert "--login-body '***' --login-take" in ended.err
    results = deadheat.results()
    assert "password" not in " ".join(results["command"])
    ended = deadheat.run("race", *lines, *ME, *BUDGET)
    assert ended.code == 3, ended
    assert "answers GET /me with 401" in ended.error


def test_revisions_are_signed_in_to(deadheat: Deadheat, mine: Made) -> None:
    (mine.path / "mix.jsonl").write_text(
        '{"path": "/me", "headers": [["Cookie", "session={session}"]], "expect": {"body": "for you"}}\n'
        '{"path": "/me?2", "headers": [["Cookie", "session={session}"]], "weight": 2}\n'
    )
    line = f"{sys.executable} -S -E server.py"
    given = ("--command", line, "--connections", "2", "--requests", "mix.jsonl")
    ended = deadheat.run("ab", "HEAD", "--race-the-same", *given, *LOGIN, *BUDGET)
    assert ended.code == 0, ended
    [race] = deadheat.results()["workloads"]
    assert {row["status"] for row in race["contenders"]} == {"measured"}
    assert "not compared" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--login-body", "a"), "--login-header, --login-body and --login-take are of a login"),
        (("--login", "/login"), "nothing of the login's answer is taken"),
        (("--login", "login", "--login-take", "a=json $.a"), '"login" is no login'),
        (("--login", "/login", "--login-take", "a=the session"), 'a: "the session" says no place'),
        (("--login", "/login", "--login-take", "token=json $.a"), '"token" is no name'),
        (("--login", "/login", "--login-take", "session"), "takes nothing of a login"),
        ((*LOGIN, "--redis", "GET key"), "Redis or HTTP, not both"),
    ],
)
@pytest.mark.parametrize("verb", ["race", "ab"])
def test_a_login_that_is_none_is_refused(
    deadheat: Deadheat, verb: str, words: tuple[str, ...], says: str
) -> None:
    lines = ("--command", "./a {port}") * (2 if verb == "race" else 1)
    ended = deadheat.run(verb, *lines, *words)
    assert ended.code == 2, ended
    assert says in ended.error
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("race", "--program", "true", "--program", "true"), "--login is of servers"),
        (("ab", "HEAD", "--program", "true"), "a [login] is of servers that are asked over HTTP"),
        (("race", "http-hello"), "--requests and --login are of a --command or a --url"),
    ],
)
def test_a_login_is_of_servers(deadheat: Deadheat, words: tuple[str, ...], says: str) -> None:
    ended = deadheat.run(*words, *LOGIN)
    assert ended.code == 2, ended
    assert says in ended.error
    assert "Traceback" not in ended.err
