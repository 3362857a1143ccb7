"""A server listens at the address that it is given, and at no other: load may come from other hosts."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from deadheat.hosts.local import LocalHost
from deadheat.model.contender import Contender
from deadheat.suite import suite

from .conftest import SUITE, Ready
from .http_server import LOOPBACK, started, wait_until_it_listens

#: Of loopback too, and none that a server takes by itself.
GIVEN = "127.0.0.7"
SERVED = ("http-hello", "grpc-unary", "grpc-stream", "app-plaintext")


def servers() -> list[Contender]:
    every = suite.load(SUITE).contenders
    return [one for workload in every if workload != "redis-pipeline" for one in every[workload]]


def test_each_takes_an_address() -> None:
    """Variants too, which have an environment of their own."""
    deaf = {
        f"{one.workload}/{one.id}"
        for one in servers()
        if "{port}" in one.run + str(one.env) and "{host}" not in one.run + str(one.env)
    }
    assert deaf == set()
    assert sum("{port}" in one.run + str(one.env) for one in servers()) > 60


@pytest.mark.parametrize(
    ("workload", "contender"),
    [
        pytest.param(one.workload, one.id, id=f"{one.workload}-{one.id}")
        for one in servers()
        # Streams are of the same servers, and variants of the same sources but for Granian.
        if one.workload in SERVED
        and one.workload != "grpc-stream"
        and (one.variant is None or one.variant == "granian")
    ],
)
def test_it_listens_there_and_nowhere_else(
    workload: str, contender: str, host: LocalHost, ready: Ready, tmp_path: Path
) -> None:
    server = started(host, ready(workload, contender), host.free_port(), tmp_path, {"host": GIVEN})
    try:
        wait_until_it_listens(server, GIVEN)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((LOOPBACK, server.port), timeout=5)
    finally:
        server.stop()
