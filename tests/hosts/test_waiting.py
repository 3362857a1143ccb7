"""Ready when it answers right, not after a sleep."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from deadheat import hosts
from deadheat.hosts import ExitedError, Handle, Host, NotReadyError, Spec
from deadheat.interrupt import InterruptedRunError, Stop

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
    return host.start(Spec(("/bin/sleep", "600"), host.place(folder).path))


def test_ready_is_when_the_answer_is_right(host: Host, stop: Stop, tmp_path: Path) -> None:
    port = host.free_port()
    argv = (sys.executable, "-S", "-c", SERVER, str(port))
    handle = host.start(Spec(argv, host.place(tmp_path).path))
    answers = []

    def wrong() -> str | None:
        with socket.create_connection((host.address, port), timeout=5) as connection:
            answers.append(connection.recv(3))
        return None if answers[-1] == b"yes" else f"expected yes, got {answers[-1]!r}"

    first_response_ns = hosts.ready(host, handle, wrong, PATIENCE_S, stop)
    assert answers == [b"no", b"no", b"no", b"yes"]
    assert first_response_ns >= 50_000_000


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

    with pytest.raises(NotReadyError, match="Connection refused"):
        hosts.ready(host, sleeper(host, tmp_path), wrong, 0.05, stop)


def test_one_that_exits_is_not_waited_for(host: Host, stop: Stop, tmp_path: Path) -> None:
    folder = host.place(tmp_path).path
    argv = (sys.executable, "-S", "-c", "raise SystemExit('the port is taken')")
    handle = host.start(Spec(argv, folder, stderr=folder / "err"))
    with pytest.raises(ExitedError, match="exited with status 1"):
        hosts.ready(host, handle, lambda: "nobody listens", PATIENCE_S, stop)
    assert host.collect(handle).output_tail == "the port is taken"


def test_one_that_daemonises_is_told_from_one_that_serves(host: Host, stop: Stop, tmp_path: Path) -> None:
    folder = host.place(tmp_path).path
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
