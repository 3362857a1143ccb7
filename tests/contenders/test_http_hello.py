"""Every HTTP contender: what the study asked, quiet, a clean stop. Conformance has the answers under load."""

from __future__ import annotations

import http.client
import socket
from contextlib import closing

import pytest

from .conftest import SUITE, Start
from .http_server import GRACE_S

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
REQUESTS = 200
SAID_AT_MOST_BYTES = 2048


def get(connection: http.client.HTTPConnection, path: str) -> str:
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read().decode()
    assert response.status == 200, body
    return body


@pytest.mark.parametrize("contender", CONTENDERS)
def test_it_is_quiet_and_stops_cleanly_with_connections_open(contender: str, start: Start) -> None:
    server = start("http-hello", contender)
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
    with closing(start("http-hello", contender).connect()) as connection:
        assert get(connection, "/") == "Hello World!"
