"""Servers that speak Redis' protocol, raced without a suite: what the first replies is what all must."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deadheat.model.plan import Plan
from tests.made.repository import ENVIRONMENT, Made, made

from .bench import Deadheat

BUDGET = ("--budget", "8s", "--seed", "7")
REDIS = "redis-server --port {port} --save '' --appendonly no"
ASKED = (
    "--redis",
    "SET key 'a value'",
    "--redis",
    "GET key",
    "--redis",
    "LRANGE none 0 -1",
    "--redis",
    "GET none",
)
# Answers GET as it likes, and everything else as Redis does what is asked here.
OTHER = """\
import signal, socketserver, sys, os

class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            words = []
            for _ in range(int(line[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size + 2)[:-2])
            if words[0] == b"SET":
                self.wfile.write(b"+OK\\r\\n")
            elif words[0] == b"LRANGE":
                self.wfile.write(b"*0\\r\\n")
            elif words[1] == b"none":
                self.wfile.write(b"$-1\\r\\n")
            else:
                self.wfile.write(sys.argv[2].encode().decode("unicode_escape").encode())

class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True
    request_queue_size = 256

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def deadheat(home: Path, tmp_path: Path) -> Deadheat:
    """With no suite anywhere."""
    (tmp_path / "other.py").write_text(OTHER)
    return Deadheat(home, home / "no-suite", cwd=tmp_path)


def commands(a: str, b: str) -> tuple[str, ...]:
    return ("--command", a, "--command", b, "-n", "a", "-n", "b")


def other(answers: str) -> str:
    return f"{sys.executable} -S -E other.py {{port}} '{answers}'"


def test_two_servers_are_raced_by_commands(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", *commands(REDIS, other(r"$7\r\na value\r\n")), *ASKED, *BUDGET)
    assert ended.code in (0, 4), ended
    [race] = deadheat.results()["workloads"]
    assert race["kind"] == "redis"
    assert {row["status"] for row in race["contenders"]} == {"measured"}
    plan = Plan.model_validate_json((deadheat.runs / "latest" / "plan.json").read_bytes())
    assert plan.workloads[0].load.connections == 50


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (r"$5\r\nother\r\n", 'GET key  expected "a value"  got "other"'),
        (r"-ERR no such thing\r\n", "GET key  ERR no such thing"),
    ],
    ids=["another", "an error"],
)
def test_another_reply_is_wrong(deadheat: Deadheat, answers: str, says: str) -> None:
    ended = deadheat.run("race", *commands(REDIS, other(answers)), *ASKED, *BUDGET)
    assert ended.code == 3, ended
    assert says in ended.out


def test_a_command_that_the_first_refuses_is_said(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", *commands(REDIS, REDIS), "--redis", "NOPE key", *BUDGET)
    assert ended.code == 3, ended
    assert "NOPE key  ERR unknown command" in ended.error


def test_replies_that_vary_are_not_compared(deadheat: Deadheat) -> None:
    ended = deadheat.run("race", *commands(REDIS, REDIS), "--redis", "INCR counter", *BUDGET)
    assert ended.code in (0, 4), ended
    assert "what it replies is not compared" in ended.err
    assert {row["status"] for row in deadheat.results()["workloads"][0]["contenders"]} == {"measured"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--path", "/a"), "Redis or HTTP, not both"),
        (("--proto", __file__, "--call", "a.B/C"), "gRPC or another protocol, not both"),
    ],
)
def test_one_protocol_at_a_time(deadheat: Deadheat, words: tuple[str, ...], says: str) -> None:
    ended = deadheat.run("race", *commands(REDIS, REDIS), "--redis", "PING", *words)
    assert ended.code == 2, ended
    assert says in ended.error


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    bench = f'run = "{REDIS}"\nconnections = 4\nredis = ["SET key value", "GET key"]\n'
    return made(tmp_path / "mine", {"bench/deadheat.toml": bench})


def test_two_revisions(home: Path, mine: Made) -> None:
    deadheat = Deadheat(home, Path(), env={**ENVIRONMENT}, cwd=mine.path, names_suite=False)
    mine.write(
        {
            "bench/deadheat.toml": (mine.path / "bench/deadheat.toml")
            .read_text()
            .replace("no", "no --hz 20", 1)
        }
    )
    ended = deadheat.run("ab", "HEAD", "--budget", "14s", "--seed", "7")
    assert ended.code == 0, ended
    assert "2 commands" in ended.err
    [race] = deadheat.results()["workloads"]
    assert (race["kind"], {row["status"] for row in race["contenders"]}) == ("redis", {"measured"})
    assert "commands/s" in ended.out
