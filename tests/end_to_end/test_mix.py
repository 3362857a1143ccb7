"""Requests that are one load, by weight: `deadheat ab` races them together and tells of each."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.made.repository import ENVIRONMENT, Made, made
from tests.made.serving import server

from .bench import Deadheat

BUDGET = ("--budget", "14s", "--seed", "7")
# One that writes, the longer the higher LOOPS.
SERVER = server(
    """\
    def do_GET(self):
        self.answer(200, b"read")

    def do_POST(self):
        sum(range(LOOPS))
        self.answer(201, ANSWERED.encode() + self.rfile.read(int(self.headers["Content-Length"])))
    """,
    'LOOPS = 0\nANSWERED = "a"\n',
)
BENCH = f"""\
run = "{sys.executable} -S -E server.py"
connections = 1

[[request]]
path = "/items"
weight = 3

[[request]]
name = "write"
method = "POST"
path = "/items"
body = '{{"a": 1}}'
"""
# The same, as deadheat-load takes it.
MIX = """\
{"path": "/items", "weight": 3}
{"name": "write", "method": "POST", "path": "/items", "body": "{\\"a\\": 1}", "expect": \
{"status": 201, "body": "a{\\"a\\": 1}"}}
"""
LINE = f"{sys.executable} -S -E {{}}.py"


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    return made(tmp_path / "mine", {"bench/deadheat.toml": BENCH, "server.py": SERVER})


@pytest.fixture
def deadheat(home: Path, mine: Made) -> Deadheat:
    return Deadheat(home, Path(), env={**ENVIRONMENT}, cwd=mine.path, names_suite=False)


def of_each(deadheat: Deadheat) -> dict[str, list[dict[str, Any]]]:
    [race] = deadheat.results()["workloads"]
    return {row["name"]: row["by_request"] for row in race["contenders"]}


def test_one_race_with_the_figures_of_each_request(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"server.py": SERVER.replace("LOOPS = 0", "LOOPS = 50_000")})
    ended = deadheat.run("ab", "HEAD", *BUDGET)
    assert ended.code == 0, ended
    assert "2 requests in one load" in ended.err
    found = of_each(deadheat)
    assert found.keys() == {"base", "head"}
    for requests in found.values():
        assert [each["name"] for each in requests] == ["GET /items", "write"]
        # Any stretch has of each its share, to within a few of some hundreds.
        assert requests[0]["share"] == pytest.approx(0.75, abs=0.02)
        assert sum(each["share"] for each in requests) == pytest.approx(1)
        assert {each["errors"] for each in requests} == {0}
        assert all(each["latency_ms"]["mean"] > 0 for each in requests)
    read, write = (each["against_reference"]["ratio"] for each in found["head"])
    assert write < read
    said = json.loads((deadheat.runs / "latest" / "ab.json").read_text())["workloads"][0]["by_request"]
    assert [each["ratio"] for each in said] == pytest.approx([1 / read, 1 / write])
    for name in ("mean latency of GET /items", "mean latency of write"):
        assert name in ended.out
    report = (deadheat.runs / "latest" / "report.md").read_text()
    assert "Each request of the mix" in report and "| head | write | 2" in report


def test_another_answer_to_one_of_them_is_no_verdict(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"server.py": SERVER.replace('ANSWERED = "a"', 'ANSWERED = "b"')})
    ended = deadheat.run("ab", "HEAD", *BUDGET)
    assert ended.code == 3, ended
    assert "not compared: the working tree: " in ended.out
    assert 'POST /items  expected body "a{"a": 1}"  got "b{"a": 1}"' in ended.out


def test_servers_without_a_suite_are_raced_by_a_file_of_requests(
    deadheat: Deadheat, mine: Made, tmp_path: Path
) -> None:
    (tmp_path / "mix.jsonl").write_text(MIX)
    mine.write({"other.py": SERVER.replace("LOOPS = 0", "LOOPS = 50_000")})
    lines = [word for name in ("server", "other") for word in ("--command", LINE.format(name), "-n", name)]
    mix = ("--requests", str(tmp_path / "mix.jsonl"), "--connections", "2")
    ended = deadheat.run("race", *lines, *mix, *BUDGET)
    assert ended.code in (0, 4), ended
    found = of_each(deadheat)
    assert found.keys() == {"server", "other"}
    for requests in found.values():
        assert [each["name"] for each in requests] == ["GET /items", "write"]
        assert requests[0]["share"] == pytest.approx(0.75, abs=0.02)
        assert {each["errors"] for each in requests} == {0}
    # Its answer is what the file says, whatever the first answers.
    wrong = MIX.replace('"body": "a{', '"body": "b{')
    (tmp_path / "mix.jsonl").write_text(wrong)
    ended = deadheat.run("race", *lines, *mix, *BUDGET)
    assert ended.code == 3, ended
    assert 'POST /items  expected body "b{"a": 1}"  got "a{"a": 1}"' in deadheat.row("server")["reason"]


def test_revisions_are_compared_by_a_file_of_requests(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"mix.jsonl": MIX, "server.py": SERVER.replace('ANSWERED = "a"', 'ANSWERED = "b"')})
    line = f"{sys.executable} -S -E server.py"
    ended = deadheat.run("ab", "HEAD", "--command", line, "--requests", "mix.jsonl", *BUDGET)
    assert ended.code == 3, ended
    assert 'POST /items  expected body "a{"a": 1}"  got "b{"a": 1}"' in ended.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--path", "/a"), "--requests says all of the requests"),
        (("--request", "mix.jsonl"), "--request or --requests, not both"),
        (("--redis", "GET key"), "Redis or HTTP, not both"),
    ],
)
@pytest.mark.parametrize("verb", ["race", "ab"])
def test_what_stands_beside_a_file_of_requests(
    deadheat: Deadheat, mine: Made, verb: str, words: tuple[str, ...], says: str
) -> None:
    mine.write({"mix.jsonl": MIX})
    twice = 2 if verb == "race" else 1
    lines = ["--command", "./a {port}", "--command", "./b {port}"][: 2 * twice]
    ended = deadheat.run(verb, *lines, "--requests", "mix.jsonl", *words)
    assert ended.code == 2, ended
    assert says in ended.error


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("race", "--program", "true", "--program", "true"), "a program is asked nothing"),
        (("ab", "HEAD", "--program", "true"), "a program that runs to its end is asked nothing"),
        (("race", "http-hello"), "--requests and --login are of a --command or a --url"),
    ],
)
def test_a_file_of_requests_is_of_servers(
    deadheat: Deadheat, mine: Made, words: tuple[str, ...], says: str
) -> None:
    mine.write({"mix.jsonl": MIX})
    ended = deadheat.run(*words, "--requests", "mix.jsonl")
    assert ended.code == 2, ended
    assert says in ended.error
    assert "Traceback" not in ended.err


def test_check_asks_all_of_them(deadheat: Deadheat) -> None:
    ended = deadheat.run("check")
    assert ended.code == 0, ended
    assert "mix/head: " in ended.out


@pytest.mark.parametrize(
    ("bench", "says"),
    [
        (BENCH.partition("\n[[request]]\nname")[0], "weight is of 2 to 50 requests"),
        (BENCH.replace('"write"', '"GET /items"'), 'two requests of one load are called "GET /items"'),
        (BENCH.replace("weight = 3", 'weight = 3\nvalues = "users.csv"'), "leave weight out"),
        (BENCH.replace("weight = 3", "weight = 0"), "greater than 0"),
    ],
    ids=["alone", "one name", "values", "nothing"],
)
def test_what_is_no_mix_is_refused(deadheat: Deadheat, mine: Made, bench: str, says: str) -> None:
    mine.write({"bench/deadheat.toml": bench})
    ended = deadheat.run("ab", "HEAD", *BUDGET)
    assert ended.code == 2, ended
    assert says in ended.error
