"""Servers with bad habits, all in one race: each is a row that says what was wrong, and the race goes on."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.made.once import Once

from .bench import SERVE, Deadheat, Ended, hello

HABITS = (
    "never-ready",
    "respawns",
    "exits-at-once",
    "wrong",
    "canned",
    "dies-when-checked",
    "dies-mid-race",
    "wrong-under-load",
    "hangs",
    "ignores-term",
    "floods",
    "closes-each",
    "answers-old",
    "no-length",
    "long-length",
    "unescapes",
    "closes-under-load",
)


class Menagerie:
    """The race and what it left."""

    def __init__(self, home: Path) -> None:
        suite = hello(home / "suite", HABITS)
        self.pids = home / "pids"
        suite.contender("hello", "forks", f"{SERVE} forks {self.pids}")
        # Two contenders that would listen on one port, whatever they are told.
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        for twin in ("twin-a", "twin-b"):
            suite.contender("hello", twin, f"{SERVE} fixed-port {self.port}")
        self.deadheat = Deadheat(home, suite.path)
        self.ended: Ended = self.deadheat.run("race", "--budget", "10s", "--seed", "1")
        self.results = self.deadheat.results()

    def row(self, contender: str) -> dict[str, Any]:
        return self.deadheat.row(contender, self.results)

    def gate(self, contender: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = next(g for g in self.row(contender)["gates"] if g["name"] == name)
        return found


@pytest.fixture(scope="module")
def race(once: Once) -> Menagerie:
    return once("servers", Menagerie)


def test_the_good_one_is_measured_among_them(race: Menagerie) -> None:
    assert race.row("good")["status"] == "measured"
    assert race.row("good")["throughput_rps"]["estimate"] > 0
    assert race.ended.code in (0, 4)
    assert "Traceback" not in race.ended.err


def test_each_slice_has_what_the_whole_turn_cost_and_how_long_who_waited(race: Menagerie) -> None:
    slices = [one for one in race.deadheat.journal() if one["type"] == "slice" and one["entry"] == "good"]
    assert slices
    for one in slices:
        # The kernel's clock of a thread that runs is behind by a tick at most; of a frozen one it is exact.
        assert one["turn_cpu_ns"] >= one["server_cpu_ns"] - 10_000_000
        if Path("/proc/self/schedstat").exists():
            assert one["generator_runqueue_wait_ns"] >= 0 and one["server_runqueue_wait_ns"] >= 0
    assert sum(one["turn_cpu_ns"] for one in slices) > sum(one["server_cpu_ns"] for one in slices)


@pytest.mark.parametrize(
    ("contender", "words"),
    [
        ("never-ready", ["not ready after", "refused"]),
        ("respawns", ["not ready after", "refused"]),
        ("exits-at-once", ["exited with status 3", "its last line: cannot find /etc/exits-at-once.conf"]),
        ("wrong", ['expected body "Hello from', 'got "Hello from /']),
        ("canned", ['expected body "Hello from']),
        ("dies-when-checked", ["exited with status 9", "its last line: enough of this"]),
        ("dies-mid-race", ["in block 1", "exited with status 7", "its last line: out of luck"]),
        ("closes-each", ["not kept alive"]),
        ("answers-old", ["expected HTTP/1.1  got HTTP/1.0"]),
        ("no-length", ["expected Content-Length or chunked  got neither"]),
        ("long-length", ["not an HTTP answer", "IncompleteRead"]),
        ("unescapes", ["%7E"]),
    ],
)
def test_it_is_a_row_with_its_reason(race: Menagerie, contender: str, words: list[str]) -> None:
    row = race.row(contender)
    assert row["status"] == "failed"
    assert "throughput_rps" not in row
    for word in words:
        assert word in row["reason"]
    assert "\n" not in row["reason"]
    # On the screen too: in the table, and when it happened.
    assert row["reason"] in race.ended.out
    assert f"! {contender} " in race.ended.err


@pytest.mark.parametrize("twin", ["twin-a", "twin-b"])
def test_a_server_that_does_not_heed_its_port_is_told_where_it_listens(race: Menagerie, twin: str) -> None:
    assert race.row(twin)["status"] == "failed"
    assert f"listens on {race.port}" in race.row(twin)["reason"]


@pytest.mark.parametrize("contender", ["wrong-under-load", "hangs"])
def test_wrong_under_load_never_gets_a_verdict(race: Menagerie, contender: str) -> None:
    row = race.row(contender)
    assert (row["status"], row["place"], "throughput_rps" in row) == ("invalid", None, False)
    assert [gate["name"] for gate in row["gates"] if not gate["ok"]] == ["errors"]
    assert "went wrong under load" in race.ended.out
    verdicts = [v for w in race.results["workloads"] for v in w["verdicts"] if contender in (v["a"], v["b"])]
    assert verdicts == []


@pytest.mark.parametrize("contender", ["floods", "ignores-term", "forks", "closes-under-load"])
def test_a_nuisance_that_answers_right_is_measured(race: Menagerie, contender: str) -> None:
    assert race.row(contender)["status"] == "measured", race.row(contender)
    assert race.gate(contender, "errors")["ok"]


def test_a_connection_that_closes_under_load_is_opened_again_and_counted(race: Menagerie) -> None:
    slices = [line for line in race.deadheat.journal() if line["type"] == "slice"]
    assert sum(s["reconnects"] for s in slices if s["entry"] == "closes-under-load") > 0
    assert sum(s["reconnects"] for s in slices if s["entry"] == "good") == 0


def test_a_flood_does_not_fill_the_disk(race: Menagerie) -> None:
    logs = list((race.deadheat.runs / "latest" / "logs").glob("floods.*"))
    assert logs
    assert sum(log.stat().st_size for log in logs) <= 2 << 20


def test_nobody_is_left_behind(race: Menagerie) -> None:
    children = [int(line) for line in race.pids.read_text().split()]
    # Three a start: the check, and one block at least.
    assert len(children) >= 6
    # A number may have been given to another since: then it is not one of these.
    left = [pid for pid in children if "server.py" in _command(pid)]
    assert not left


def test_the_warnings_name_no_contender_that_did_well(race: Menagerie) -> None:
    assert "! good " not in race.ended.err


def _command(pid: int) -> str:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
