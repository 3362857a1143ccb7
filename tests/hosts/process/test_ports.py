"""Free ports, none twice."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.hosts.ports import LOWEST_PORT, Ports, bindable


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
