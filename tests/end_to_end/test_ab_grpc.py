"""`deadheat ab` of a gRPC server: its calls by the contract in the repository."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deadheat.model.plan import Plan
from tests.made.repository import ENVIRONMENT, Made, made

from .bench import HABITS, Deadheat

SERVER = HABITS.parent / "grpc-habits" / "grpc_server.py"
GREETER = Path(__file__).parents[2] / "suite" / "grpc-unary" / "greeter.proto"
CALL = """\
[[call]]
proto = "api/greeter.proto"
call = "greeter.Greeter/SayHello"
data = '{"name": "friend"}'
"""
BUDGET = ("--budget", "14s", "--seed", "7")


def bench(habit: str = "", asked: str = CALL) -> str:
    line = f"{sys.executable} -S -E {SERVER} {{port}} {habit}".strip()
    return f'run = "{line}"\nconnections = 2\nstreams = 2\n{asked}'


@pytest.fixture
def mine(tmp_path: Path) -> Made:
    return made(
        tmp_path / "mine",
        {"bench/deadheat.toml": bench(), "api/greeter.proto": GREETER.read_text(), ".gitignore": "starts\n"},
    )


@pytest.fixture
def deadheat(home: Path, mine: Made) -> Deadheat:
    return Deadheat(home, Path(), env={**ENVIRONMENT}, cwd=mine.path, names_suite=False)


def test_two_revisions_of_a_server(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"README": "nothing that matters\n"})
    ended = deadheat.run("ab", "HEAD", *BUDGET)
    assert ended.code == 0, ended
    assert "1 call" in ended.err
    [race] = deadheat.results()["workloads"]
    assert race["kind"] == "grpc"
    assert {row["status"] for row in race["contenders"]} == {"measured"}
    plan = Plan.model_validate_json((deadheat.runs / "latest" / "plan.json").read_bytes())
    load = plan.workloads[0].load
    assert (load.connections, load.streams) == (2, 2)


def test_another_reply_is_no_answer(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"bench/deadheat.toml": bench("wrong-message")})
    ended = deadheat.run("ab", "HEAD", *BUDGET)
    assert ended.code == 3, ended
    assert "not compared: the working tree: " in ended.out
    assert 'expected "Hello from friend!"' in ended.out


def test_check_calls_it(deadheat: Deadheat) -> None:
    ended = deadheat.run("check")
    assert ended.code == 0, ended
    assert "right" in ended.out and "greeter-greeter-sayhello/head" in ended.out


def test_a_call_on_the_command_line(deadheat: Deadheat, mine: Made) -> None:
    mine.write({"README": "nothing that matters\n"})
    call = ("--proto", "api/greeter.proto", "--call", "greeter.Greeter/Nope")
    ended = deadheat.run("ab", "HEAD", *call, *BUDGET)
    assert ended.code == 2, ended
    assert "has no method greeter.Greeter/Nope" in ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (bench(asked=CALL + '[[request]]\npath = "/"\n'), "[[request]], [[call]] or redis"),
        (bench(asked=CALL.replace("api/", "")), "greeter.proto"),
        (bench(asked=CALL.replace("greeter.Greeter/", "")), "call"),
    ],
)
def test_what_cannot_be_called_is_one_line(deadheat: Deadheat, mine: Made, text: str, said: str) -> None:
    mine.write({"bench/deadheat.toml": text})
    ended = deadheat.run("check")
    assert ended.code == 2, ended
    assert said in ended.error
    assert "Traceback" not in ended.err
