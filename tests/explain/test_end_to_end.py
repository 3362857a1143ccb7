"""`deadheat explain` on planted servers whose truth is known, and on bad input."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deadheat.explain.patterns import DELAYED_ACK_MS, DELAYED_ACK_SLACK_MS

from .conftest import PATIENCE_S, Explain

Make = Callable[..., Explain]


def row(page: dict[str, Any], key: str, of: str = "rows") -> tuple[float, float]:
    """A row's figures of both."""
    return next((r["a"], r["b"]) for r in page[of] if r["key"] == key)


def patterns(page: dict[str, Any], contender: str) -> set[str]:
    return {p["name"] for p in page["patterns"] if p["contender"] == contender}


def test_two_calls_and_three_writes(explain: Make) -> None:
    """The counts are those that the programs were written to have."""
    page = explain("three-writes").page("two-calls", "three-writes")
    # A call that was begun before strace came, or not ended when it left, is one in thousands.
    assert row(page, "system_calls") == pytest.approx((2.0, 4.0), abs=0.05)
    assert row(page, "recvfrom", "calls") == pytest.approx((1.0, 1.0), abs=0.02)
    assert row(page, "sendto", "calls") == pytest.approx((1.0, 3.0), abs=0.05)
    # The kernel counts what it sent twice, too: a segment now and then on a busy machine.
    assert row(page, "data_segments_sent") == pytest.approx((1.0, 3.0), abs=0.05)
    sent = [len(f"HTTP/1.1 200 OK\r\nContent-Length: {11 + n}\r\n\r\n") + 11 + n for n in range(4, 64)]
    assert round(row(page, "bytes_sent")[0]) in sent
    assert row(page, "bytes_sent")[1] == pytest.approx(row(page, "bytes_sent")[0], rel=0.02)
    assert patterns(page, "two-calls") == set()
    assert patterns(page, "three-writes") == {"several writes"}
    assert any("TCP segments" in s and "3.0" in s for s in page["sentences"])
    assert 1 <= len(page["sentences"]) <= 3
    cost = next(c for c in page["costs"] if c["instrument"] == "strace")
    assert 0 < cost["a"] < 1


def test_a_service_runs_beside_a_server_under_each_instrument(explain: Make) -> None:
    page = explain("asks-a-service", service=True).page("two-calls", "asks-a-service")
    assert row(page, "recvfrom", "calls") == pytest.approx((1.0, 2.0), abs=0.05)
    assert row(page, "sendto", "calls") == pytest.approx((1.0, 2.0), abs=0.05)
    # What its clients were sent, and nothing of what it was sent by the service.
    assert row(page, "bytes_sent")[1] == pytest.approx(row(page, "bytes_sent")[0], rel=0.02)


def test_idle_at_40_ms(explain: Make) -> None:
    page = explain("sleeps").page("sleeps", "two-calls")
    latency_ms = row(page, "latency_ms")[0]
    assert latency_ms >= 40
    # A loaded machine adds its own waiting, and it is no longer the pattern (test_patterns has both).
    near = abs(latency_ms - DELAYED_ACK_MS) <= DELAYED_ACK_SLACK_MS
    assert patterns(page, "sleeps") == ({"delayed acknowledgement"} if near else set())
    assert patterns(page, "two-calls") == set()


def test_spinning(explain: Make) -> None:
    page = explain("spins").page("two-calls", "spins")
    assert patterns(page, "spins") == {"spinning"}
    idle = row(page, "idle_cores")
    # How much of a core a spinning server gets depends on its neighbours.
    assert idle[1] > idle[0]


def test_closed_connections(explain: Make) -> None:
    page = explain("closes").page("two-calls", "closes")
    assert "closed connections" in patterns(page, "closes")
    assert any("TCP segments of closes were not counted: connections were closed" in n for n in page["notes"])
    assert row(page, "close", "calls")[1] == pytest.approx(0.1, abs=0.03)


def test_missing_tools_are_named_with_their_install_line(explain: Make) -> None:
    tools = explain("three-writes", without=("strace", "perf"))
    page = tools.page("two-calls", "three-writes")
    gaps = {gap["instrument"]: gap for gap in page["gaps"]}
    assert gaps["strace"]["why"] == "strace not found"
    assert gaps["strace"]["install"] == "Debian: apt-get install strace"
    assert gaps["strace"]["contenders"] == ["two-calls", "three-writes"]
    assert gaps["perf"]["install"] == "Debian: apt-get install linux-perf"
    assert page["calls"] == []
    # The rest is there.
    assert row(page, "data_segments_sent") == pytest.approx((1.0, 3.0), abs=0.05)
    text = next(tools.runs.glob("explain-*/explain.md")).read_text()
    assert "apt-get install strace" in text


def test_neither_inferno_nor_cargo(explain: Make) -> None:
    page = explain("three-writes").page("two-calls", "three-writes")
    [gap] = [gap for gap in page["gaps"] if gap["instrument"] == "perf"]
    assert gap["install"].startswith("cargo install --locked inferno@")


def test_the_page_is_printed_and_kept(explain: Make) -> None:
    tools = explain("three-writes", without=("perf",))
    code, out, err = tools.run("two-calls", "three-writes", "--seconds", "0.3")
    assert code == 0, err
    assert "two-calls against three-writes · planted · 1 connections" in out
    assert "system calls a request" in out
    [folder] = tools.runs.iterdir()
    assert folder.name.startswith("explain-")
    text = (folder / "explain.md").read_text()
    assert "## In short" in text
    assert "bytes a request in 3.0 segments: one write would do" in out
    assert f"page: {folder / 'explain.md'}" in err


def test_interrupted_leaves_nothing(explain: Make) -> None:
    tools = explain("three-writes")
    process = tools.start("two-calls", "three-writes", "--seconds", "30")
    logs = tools.runs / ".explain-*" / "logs"
    deadline = time.monotonic() + PATIENCE_S
    while not list(tools.runs.glob(f"{logs.relative_to(tools.runs)}/two-calls-counters.out")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    # The second only once the first is heard: two at once may become one.
    while "stopping at the end" not in (line := process.stderr.readline()):
        assert line, "it ended before it said so"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert list(tools.runs.iterdir()) == []
    assert _left(tools.suite.parent) == []


def _left(folder: Path) -> list[str]:
    """Programs that still run and name this folder on their command line, or run in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            cwd, words = (process / "cwd").readlink(), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if int(process.name) != os.getpid() and (str(folder) in words.decode() or cwd.is_relative_to(folder)):
            found.append(words.decode())
    return found


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("two-calls", "two-calls"), "two-calls is the same twice"),
        (("two-calls", "two-call"), 'no contender is called "two-call"; did you mean "two-calls"?'),
        (("two-calls", "sleeps", "--workload", "plantd"), 'no workload is called "plantd"'),
    ],
)
def test_bad_input(explain: Make, args: tuple[str, ...], says: str) -> None:
    tools = explain("sleeps")
    code, out, err = tools.run(*args)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err
    assert not tools.runs.exists()


def test_a_wrong_answer_is_not_explained(explain: Make) -> None:
    tools = explain("three-writes")
    workload = tools.suite / "planted" / "workload.toml"
    workload.write_text(workload.read_text().replace("Hello from", "Good bye from"))
    code, out, err = tools.run("two-calls", "three-writes")
    assert (code, out) == (3, "")
    assert "two-calls gave a wrong answer" in err
    assert list(tools.runs.iterdir()) == []
