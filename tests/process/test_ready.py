"""Ready when it answers right."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.ports import LOWEST_PORT, Ports, bindable
from deadheat.process import ExitedError
from deadheat.ready import NotReadyError, wait_until_ready

from .conftest import Start
from .watch import PATIENCE_S, python

SERVER = """
import socket
time.sleep(0.05)
listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))
for turn in range(1000):
    connection, _ = listener.accept()
    connection.sendall(b'no' if turn < 3 else b'yes')
    connection.close()
"""


def test_ready_is_when_the_answer_is_right(start: Start) -> None:
    port = Ports().take()
    process = start((*python(SERVER), str(port)))
    complaints = []

    def wrong() -> str | None:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            answer = connection.recv(3)
        complaints.append(answer)
        return None if answer == b"yes" else f"expected yes, got {answer!r}"

    first_response_ns = wait_until_ready(process, wrong, PATIENCE_S)
    assert complaints == [b"no", b"no", b"no", b"yes"]
    assert first_response_ns >= 50_000_000


def test_one_that_never_answers_right_says_what_it_answered_last(start: Start) -> None:
    process = start(("sleep", "600"))
    with pytest.raises(NotReadyError, match=r"not ready after 0.05 s: got 404") as caught:
        wait_until_ready(process, lambda: "got 404", 0.05)
    assert caught.value.reason == "got 404"


def test_nobody_listening_is_a_complaint(start: Start) -> None:
    port = Ports().take()

    def wrong() -> str | None:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return None

    with pytest.raises(NotReadyError, match="Connection refused"):
        wait_until_ready(start(("sleep", "600")), wrong, 0.05)


def test_one_that_exits_is_not_waited_for(start: Start, tmp_path: Path) -> None:
    process = start((sys.executable, "-c", "raise SystemExit('the port is taken')"))
    with pytest.raises(ExitedError, match="exited with status 1"):
        wait_until_ready(process, lambda: "nobody listens", PATIENCE_S)
    assert process.output_tail() == "the port is taken"


def test_an_error_of_the_asker_is_not_a_complaint(start: Start) -> None:
    def wrong() -> str | None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        wait_until_ready(start(("sleep", "600")), wrong, PATIENCE_S)


def test_two_contenders_never_share_a_port() -> None:
    ports = Ports()
    taken = [ports.take() for _ in range(100)]
    assert len(set(taken)) == 100


def test_ports_lie_below_those_of_outgoing_connections() -> None:
    low = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    port = Ports().take()
    assert port >= LOWEST_PORT
    assert port < low or low <= LOWEST_PORT


def test_a_port_somebody_listens_on_is_not_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert not bindable(port)


def test_a_taken_port_is_passed_over() -> None:
    low = LOWEST_PORT + 2
    assert Ports(is_free=lambda port: port == LOWEST_PORT + 1, ephemeral_from=low).take() == LOWEST_PORT + 1


def test_no_free_port_is_told() -> None:
    with pytest.raises(UserError, match="no free TCP port"):
        Ports(is_free=lambda _port: False).take()
