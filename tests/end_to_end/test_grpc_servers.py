"""gRPC servers with bad habits: what is wrong is named, counted, and keeps the row out of the table."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.made.once import Once

from .bench import Deadheat, Ended, SuiteFolder

FIXTURES = Path(__file__).parents[1] / "fixtures" / "grpc-habits"
PROTO = Path(__file__).parents[2] / "suite" / "grpc-unary" / "greeter.proto"
SERVE = "{python} -S -E ../grpc_server.py {port}"
GREET = """\
title = "Greet"
question = "Who misbehaves most?"
kind = "grpc"
metric = "throughput_rps"
reference = "good"

[load]
connections = 2
streams = 4

[grpc]
proto = "greeter.proto"
call = "greeter.Greeter/SayHello"
data = { name = "{token}" }
expect = { message = "Hello from {token}!" }
"""
#: What is found before any timing, and the words that name it.
CHECKED = {
    "resets": ["RST_STREAM: INTERNAL_ERROR"],
    "wrong-status": ["expected OK", "NOT_FOUND"],
    "wrong-message": ['expected "Hello from', 'got "Hello from somebody else!"'],
    "no-trailers": ["the trailers are missing"],
    "goes-away": ["GOAWAY: ENHANCE_YOUR_CALM", "the call was not taken"],
    "compresses": ["a compressed reply that nobody asked for"],
    "no-window": ["the server's flow-control window stays closed"],
    "http1": ["not gRPC on this port: it speaks HTTP/1, not HTTP/2"],
    "tls": ["not gRPC on this port: it speaks TLS where plaintext was asked"],
    "no-deadline": ["a deadline of 100 ms", "still open after"],
    "no-farewell": ["SIGTERM: it closes connections without GOAWAY"],
    "cuts-off": ["SIGTERM: a call under way was not finished: the connection ended in the middle"],
    "stays": ["SIGTERM: had to be killed"],
    "promises": ["health of the server", "expected SERVING"],
}
#: What only the load meets, and the words that name it.
LOADED = {
    "resets": "RST_STREAM: INTERNAL_ERROR",
    "wrong-status": "grpc-status 5 NOT_FOUND",
    "wrong-message": "Hello from somebody else!",
    "no-trailers": "the trailers are missing",
    "goes-away": "GOAWAY: ENHANCE_YOUR_CALM",
    "compresses": "a compressed reply that nobody asked for",
    "no-window": "flow-control window stays closed",
}


def greeters(suite: SuiteFolder) -> None:
    """The workload, and the two good servers."""
    suite.workload("greet", GREET)
    for file in (PROTO, *FIXTURES.glob("*.py")):
        shutil.copy(file, suite.path / "greet")
    for name in ("good", "twin"):
        suite.contender("greet", name, SERVE)


class Menagerie:
    """A race of two good servers with others, and what it left."""

    def __init__(self, home: Path, habits: Iterable[str]) -> None:
        suite = SuiteFolder(home / "suite")
        greeters(suite)
        for habit in habits:
            more = {"offers": ["health"]} if habit == "promises" else {}
            suite.contender("greet", habit, SERVE + f" {habit}" * (habit != "promises"), **more)
        self.deadheat = Deadheat(home, suite.path)
        self.ended: Ended = self.deadheat.run("race", "--budget", "10s", "--seed", "1")
        self.results = self.deadheat.results()

    def row(self, contender: str) -> dict[str, Any]:
        return self.deadheat.row(contender, self.results)


@pytest.fixture(scope="module")
def checked(once: Once) -> Menagerie:
    return once("grpc-checked", lambda folder: Menagerie(folder, CHECKED))


@pytest.fixture(scope="module")
def loaded(once: Once) -> Menagerie:
    return once("grpc-loaded", lambda folder: Menagerie(folder, [f"later-{habit}" for habit in LOADED]))


@pytest.mark.parametrize("race", ["checked", "loaded"])
def test_the_good_ones_are_measured_among_them(race: str, request: pytest.FixtureRequest) -> None:
    menagerie: Menagerie = request.getfixturevalue(race)
    assert menagerie.row("good")["status"] == "measured", menagerie.row("good")["reason"]
    assert menagerie.ended.code in (0, 4)
    assert "Traceback" not in menagerie.ended.err
    verdicts = [v for w in menagerie.results["workloads"] for v in w["verdicts"]]
    assert {name for v in verdicts for name in (v["a"], v["b"])} == {"good", "twin"}


@pytest.mark.parametrize(("contender", "words"), CHECKED.items())
def test_what_is_wrong_before_any_timing_is_named(
    checked: Menagerie, contender: str, words: list[str]
) -> None:
    row = checked.row(contender)
    assert (row["status"], "throughput_rps" in row) == ("failed", False)
    for word in words:
        assert word in row["reason"]
    assert "\n" not in row["reason"]


@pytest.mark.parametrize(("habit", "words"), LOADED.items())
def test_what_is_wrong_under_load_is_named_and_counted(loaded: Menagerie, habit: str, words: str) -> None:
    row = loaded.row(f"later-{habit}")
    assert (row["status"], row["place"], "throughput_rps" in row) == ("invalid", None, False)
    (gate,) = row["gates"]
    assert (gate["name"], gate["ok"]) == ("errors", False)
    assert words in gate["facts"]["first_error"]
    slices = [line for line in loaded.deadheat.journal() if line["type"] == "slice"]
    assert sum(sum(s["errors"].values()) for s in slices if s["entry"] == f"later-{habit}") > 0
