"""Requests that each take a row of a file: what the first answers to each row is what all must answer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.made import serving
from tests.made.repository import ENVIRONMENT, made

from .bench import HABITS, Deadheat

BUDGET = ("--budget", "8s", "--seed", "7")
ROWS = "user,city\n" + "".join(f"user-{n},city%20{n}\n" for n in range(50))
ASKED = ("--path", "/{user}", "-H", "X-City: {city}", "--values", "users.csv", "--connections", "4")
# Answers with what it is asked for, but for one user; has no place for another.
SERVER = serving.server("""\
    def do_GET(self):
        body = f"{self.path} of {self.headers['X-City']}"
        if self.path == sys.argv[1]:
            body = "somebody"
        self.answer("404 Not Found" if self.path == sys.argv[2] else "200 OK", body.encode())
    """)


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    """With no suite anywhere."""
    (tmp_path / "users.csv").write_text(ROWS)
    (tmp_path / "server.py").write_text(SERVER)
    return Deadheat(home, home / "no-suite", cwd=tmp_path)


def server(wrong: str = "none", missing: str = "none") -> str:
    return f"{sys.executable} -S -E server.py {wrong} {missing}"


def commands(a: str, b: str) -> tuple[str, ...]:
    return ("--command", a, "--command", b, "-n", "a", "-n", "b")


def test_each_row_is_held_to_the_firsts_answer(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", *commands(server(), server()), *ASKED, *BUDGET)
    assert ended.code in (0, 4), ended
    assert deadheat.row("a")["status"] == deadheat.row("b")["status"] == "measured"
    assert "not compared" not in ended.err
    [checked] = {
        line["cases"] for line in deadheat.journal() if line["type"] == "checked" and line["contender"] == "b"
    }
    assert checked == 6 + 2 + 50  # single ones, a kept connection and many at once, and each row


def test_one_row_that_is_answered_otherwise_is_no_answer(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", *commands(server(), server(wrong="/user-33")), *ASKED, *BUDGET)
    assert deadheat.row("b")["status"] == "failed", ended
    assert "GET /user-33" in deadheat.row("b")["reason"]


def test_rows_have_one_status(deadheat: Deadheat) -> None:
    one = server(missing="/user-7")
    ended = deadheat.run("race", *commands(one, one), *ASKED, *BUDGET)
    assert ended.code == 3, ended
    assert "answers GET /user-7 with 404" in ended.error


@pytest.mark.parametrize(
    ("rows", "words", "said"),
    [
        ("user,city\na b,c\n", ASKED, '"/a b" is no path'),
        ('user,city\na,"c\nd"\n', ASKED, "a path or a header of a row of values has what none may have"),
        ("user\n", ASKED, "users.csv: no row"),
        ("answer\n1\n", ASKED, '"answer" is no name for a column'),
        (ROWS, ("--values", "users.csv", "--request", "users.csv"), "--request says all of the request"),
        (ROWS, ("--values", "nobody.csv"), "nobody.csv' does not exist"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    deadheat: Deadheat, tmp_path: Path, rows: str, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "users.csv").write_text(rows)
    ended = deadheat.run("race", *commands(server(), server()), *words, *BUDGET)
    assert ended.code == 2, ended
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_two_revisions_are_asked_the_rows_of_head(deadheat: Deadheat, tmp_path: Path) -> None:
    served = (HABITS / "server.py").read_text()
    text = f'run = "{sys.executable} -S -E app.py {{port}}"\nconnections = 4\n'
    text += '[[request]]\npath = "/{user}"\nvalues = "bench/users.csv"\n'
    mine = made(
        tmp_path / "mine",
        {"app.py": served, "bench/deadheat.toml": text, "bench/users.csv": ROWS, ".gitignore": "starts\n"},
    )
    mine.write({"app.py": served.replace('f"Hello from', 'f"Hello, from')})
    deadheat.cwd, deadheat.env = mine.path, {**ENVIRONMENT}
    ended = deadheat.run("ab", "HEAD", "--budget", "14s", "--seed", "7")
    assert ended.code == 3, ended
    assert 'expected body "Hello from user-' in ended.out


def test_what_a_server_printed_that_answers_wrong_is_shown(deadheat: Deadheat, tmp_path: Path) -> None:
    complains = SERVER.replace(
        "        body = f", '        print("no such table", file=sys.stderr)\n        body = f'
    )
    complains = complains.replace('else "200 OK"', 'else "500 Internal Server Error"')
    (tmp_path / "complains.py").write_text(complains)
    asked = ("--path", "/", "--connections", "4")
    line = server().replace("server.py", "complains.py")
    ended = deadheat.run("race", *commands(server(), line), *asked, *BUDGET)
    assert ended.code in (3, 4), ended
    [checked] = [
        line for line in deadheat.journal() if line["type"] == "checked" and line["contender"] == "b"
    ]
    assert "got 500" in checked["reason"]
    assert "\nIt printed at last:\nno such table" in checked["exchange"]
