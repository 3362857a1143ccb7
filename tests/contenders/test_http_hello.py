"""Every HTTP contender: what the study asked, quiet, a clean stop. Conformance has the answers under load."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from deadheat.build.builder import Build
from deadheat.build.command import argv, environment
from deadheat.hosts import Handle
from deadheat.hosts.local import LocalHost
from deadheat.hosts.ports import Ports
from deadheat.hosts.program import Exit, Spec

from .conftest import SUITE, Ready

CONTENDERS = sorted(manifest.parent.name for manifest in (SUITE / "http-hello").glob("*/contender.toml"))
CONTENDERS += [
    "express:express-4",
    "express-cluster:shared-socket",
    "python-uvicorn:granian",
    "phoenix:bandit",
]
# The study of 2016 asked for / and was told "Hello World!".
OF_THE_STUDY = (
    *("phoenix", "phoenix-clean", "plug-cowboy", "go-net-http", "node-http", "express", "express-cluster"),
)
READY_S = 60.0
GRACE_S = 20.0
REQUESTS = 200
SAID_AT_MOST_BYTES = 2048


@dataclass(frozen=True)
class Server:
    """A contender that listens on loopback, and where its output goes."""

    build: Build
    port: int
    host: LocalHost
    handle: Handle
    outputs: tuple[Path, Path]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def stop(self) -> Exit:
        return self.host.stop(self.handle, GRACE_S)


Start = Callable[[str], Server]


@pytest.fixture
def start(host: LocalHost, ready: Ready, tmp_path: Path) -> Iterator[Start]:
    ports = Ports()
    started: list[Server] = []

    def start_one(id_: str) -> Server:
        build = ready("http-hello", id_)
        assert build.folder is not None
        port = ports.take()
        values = {"port": port, "cpus": 1}
        outputs = (tmp_path / "out", tmp_path / "err")
        spec = Spec(
            argv=argv(build.contender, values),
            cwd=build.folder,
            env=environment(build.contender, values),
            stdout=outputs[0],
            stderr=outputs[1],
        )
        server = Server(build, port, host, host.start(spec), outputs)
        started.append(server)
        wait_until_it_listens(server)
        return server

    yield start_one
    for server in started:
        server.stop()


def wait_until_it_listens(server: Server) -> None:
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        for event in server.host.events(server.handle, 0.05):
            output = server.host.collect(server.handle).output_tail
            raise AssertionError(f"{server.build.contender.id} {event.exit.describe()}\n{output}")
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        except OSError:
            continue
        return
    raise AssertionError(f"{server.build.contender.id} does not listen after {READY_S:.0f} s")


def get(connection: http.client.HTTPConnection, path: str) -> str:
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read().decode()
    assert response.status == 200, body
    return body


@pytest.mark.parametrize("contender", CONTENDERS)
def test_it_is_quiet_and_stops_cleanly_with_connections_open(contender: str, start: Start) -> None:
    server = start(contender)
    with closing(server.connect()) as idle, closing(server.connect()) as busy:
        assert get(idle, "/idle") == "Hello from idle!"
        for n in range(REQUESTS):
            assert get(busy, f"/n{n}") == f"Hello from n{n}!"
        # A line a request, to either, would be several times this.
        assert sum(output.stat().st_size for output in server.outputs) < SAID_AT_MOST_BYTES
        exit_ = server.stop()

    assert exit_.why == "stopped", f"killed after {GRACE_S:.0f} s: {exit_.describe()}"
    assert exit_.code == 0, exit_.describe()
    assert exit_.stray == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)


@pytest.mark.parametrize("contender", OF_THE_STUDY)
def test_the_root_answers_as_the_study_asked(contender: str, start: Start) -> None:
    with closing(start(contender).connect()) as connection:
        assert get(connection, "/") == "Hello World!"
