"""Ready when it answers right, not after a sleep."""

from __future__ import annotations

import errno
import math
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from deadheat import hosts
from deadheat.hosts import Event, ExitedError, Handle, Host, NotReadyError, Spec, waiting
from deadheat.util.interrupt import InterruptedRunError, Stop

PATIENCE_S = 60.0

SERVER = """
import socket, sys, time
time.sleep(0.05)
listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))
for turn in range(1000):
    connection, _ = listener.accept()
    connection.sendall(b'no' if turn < 3 else b'yes')
    connection.close()
"""


def sleeper(host: Host, folder: Path) -> Handle:
    return host.start(Spec(("/bin/sleep", "600"), folder))


def test_ready_is_when_the_answer_is_right(host: Host, stop: Stop, tmp_path: Path) -> None:
    port = host.free_port()
    argv = (sys.executable, "-S", "-c", SERVER, str(port))
    handle = host.start(Spec(argv, tmp_path))
    answers = []

    def wrong() -> str | None:
        with socket.create_connection((host.address, port), timeout=5) as connection:
            answers.append(connection.recv(3))
        return None if answers[-1] == b"yes" else f"expected yes, got {answers[-1]!r}"

    first_response_ns = hosts.ready(host, handle, wrong, PATIENCE_S, stop)
    assert answers == [b"no", b"no", b"no", b"yes"]
    assert first_response_ns >= 50_000_000


@dataclass
class Clock:
    """A host whose time passes only while somebody waits, or asks: a question costs 0.1 ms of CPU."""

    now_s: float = 0.0
    asked: int = 0
    question_s: float = 1e-4

    def now_ns(self) -> int:
        return round(self.now_s * 1e9)

    def events(self, _handle: Handle, timeout_s: float) -> tuple[Event, ...]:
        self.now_s += timeout_s
        return ()

    def ask(self, right_from_s: float) -> str | None:
        self.asked += 1
        self.now_s += self.question_s
        return None if self.now_s >= right_from_s else "not yet"


def first_response_s(clock: Clock, right_from_s: float, monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(time, "monotonic", lambda: clock.now_s)
    monkeypatch.setattr(time, "thread_time", lambda: clock.asked * clock.question_s)
    handle, host = Handle("1", "server", 0), cast(Host, clock)
    with Stop() as stop:
        return waiting.ready(host, handle, lambda: clock.ask(right_from_s), PATIENCE_S, stop) / 1e9


@pytest.mark.parametrize("right_from_s", [0.0, 0.004, 0.0311, 0.0632, 0.0999, 0.1131, 0.5002])
def test_the_first_response_is_told_to_the_millisecond(
    right_from_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as 31, 63, 113 ms, whichever of a few moments of asking came next."""
    late_s = first_response_s(Clock(), right_from_s, monkeypatch) - right_from_s
    assert 0 <= late_s <= 0.0013


@pytest.mark.parametrize("question_s", [1e-5, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("right_from_s", [0.3, 3.0, 30.0])
def test_asking_takes_no_more_than_its_share_of_a_cpu(
    right_from_s: float, question_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(question_s=question_s)
    took_s = first_response_s(clock, right_from_s, monkeypatch)
    assert clock.asked * question_s <= waiting.CPU_SHARE * took_s + question_s
    assert took_s - right_from_s <= max(0.0011, 0.0011 * right_from_s, 10 * question_s) + question_s
    assert clock.asked <= 1000 + 1000 * math.log(max(1.0, right_from_s)) + 10


def test_one_that_never_answers_right_says_what_it_answered_last(
    host: Host, stop: Stop, tmp_path: Path
) -> None:
    with pytest.raises(NotReadyError, match=r"^not ready after 0.05 s: got 404$") as caught:
        hosts.ready(host, sleeper(host, tmp_path), lambda: "got 404", 0.05, stop)
    assert caught.value.reason == "got 404"


def test_nobody_listening_is_a_complaint(host: Host, stop: Stop, tmp_path: Path) -> None:
    port = host.free_port()

    def wrong() -> str | None:
        socket.create_connection((host.address, port), timeout=1).close()
        return None

    with pytest.raises(NotReadyError, match="Connection refused") as caught:
        hosts.ready(host, sleeper(host, tmp_path), wrong, 0.05, stop)
    assert caught.value.errno == errno.ECONNREFUSED


def test_one_that_exits_is_not_waited_for(host: Host, stop: Stop, tmp_path: Path) -> None:
    folder = tmp_path
    argv = (sys.executable, "-S", "-c", "raise SystemExit('the port is taken')")
    handle = host.start(Spec(argv, folder, stderr=folder / "err"))
    with pytest.raises(ExitedError, match="exited with status 1"):
        hosts.ready(host, handle, lambda: "nobody listens", PATIENCE_S, stop)
    assert host.collect(handle).output_tail == "the port is taken"


def test_one_that_daemonises_is_told_from_one_that_serves(host: Host, stop: Stop, tmp_path: Path) -> None:
    folder = tmp_path
    handle = host.start(Spec(("/bin/sh", "-c", "sleep 600 & exit 0"), folder, env={"PATH": "/usr/bin:/bin"}))
    with pytest.raises(ExitedError, match=r"exited with status 0 .* leaving 1 process behind"):
        hosts.ready(host, handle, lambda: "nobody listens", PATIENCE_S, stop)


def test_an_error_of_the_asker_is_not_a_complaint(host: Host, stop: Stop, tmp_path: Path) -> None:
    def wrong() -> str | None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        hosts.ready(host, sleeper(host, tmp_path), wrong, PATIENCE_S, stop)


def test_somebody_who_asks_to_stop_is_heard(host: Host, stop: Stop, tmp_path: Path) -> None:
    def wrong() -> str | None:
        stop.requested = True
        return "not yet"

    with pytest.raises(InterruptedRunError):
        hosts.ready(host, sleeper(host, tmp_path), wrong, PATIENCE_S, stop)
