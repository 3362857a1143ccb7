"""Every contender that says it speaks HTTPS or HTTP/2: right answers over it, quiet, a clean stop."""

from __future__ import annotations

import contextlib
import http.client
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from deadheat.build.builder import NO_REASON, Builder
from deadheat.build.built import Build
from deadheat.hosts.local import LocalHost
from deadheat.hosts.program import Exit
from deadheat.kinds import alone, certificate
from deadheat.kinds.http2_asking import Http2Connection, Http2Error
from deadheat.kinds.http_asking import Connection, connection_to
from deadheat.kinds.registry import KINDS
from deadheat.model.address import Address
from deadheat.model.http_protocol import HTTP2, OVER_TLS, HttpProtocol
from deadheat.suite import suite
from deadheat.util.interrupt import Stop

from .conftest import SUITE
from .http_server import GRACE_S, Server, started, wait_until_it_listens

LOADED = suite.load(SUITE)
PATHS = {"http-hello": "/", "app-json": "/json/"}
SPEAKING = [
    (workload, contender.id, protocol)
    for workload in PATHS
    for contender in LOADED.contenders[workload]
    for protocol in contender.protocols
]
Speaking = Callable[[LocalHost, str, str, HttpProtocol], Build]
REQUESTS = 200
SAID_AT_MOST_BYTES = 2048


@pytest.fixture(autouse=True)
def openssl() -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl not found: apt-get install openssl")


def test_those_that_are_documented_speak_all() -> None:
    every = {"https", "h2", "h2c"}
    for id_ in ("go-net-http", "node-http", "fastify", "nginx", "rust-axum", "python-uvicorn:granian"):
        assert {protocol for _, who, protocol in SPEAKING if who == id_} == every
    for id_ in ("express", "python-uvicorn", "ruby-puma"):
        assert {protocol for _, who, protocol in SPEAKING if who == id_} == {"https"}


@pytest.fixture(scope="module")
def build() -> Speaking:
    """A build of a contender as it speaks a protocol; skips with the reason where it is unavailable."""

    def built(host: LocalHost, workload: str, id_: str, protocol: HttpProtocol) -> Build:
        contender = LOADED.contender(workload, id_).speaking(protocol)
        assert contender is not None
        build = Builder(host, Stop()).build(contender)
        if build.record.status == "unavailable":
            assert build.record.reason != NO_REASON
            pytest.skip(f"{id_} is unavailable: {build.record.reason}")
        assert build.record.status == "ready", build.record.reason
        return build

    return built


def stopped(server: Server, *connections: Connection) -> Exit:
    """How it ends, with connections open; over TLS and HTTP/2 a client closes one that it hears is over."""
    with ThreadPoolExecutor(1) as pool:
        stopping = pool.submit(server.stop)
        for connection in connections:
            # What comes now is GOAWAY or close_notify, or the end.
            with contextlib.suppress(Http2Error, OSError):
                if isinstance(connection, Http2Connection):
                    connection.receive()
                elif isinstance(connection, http.client.HTTPSConnection):
                    connection.sock.recv(1)
            connection.close()
        return stopping.result()


@pytest.mark.parametrize(("workload", "id_", "protocol"), SPEAKING)
def test_every_answer_is_right(
    workload: str, id_: str, protocol: HttpProtocol, host: LocalHost, build: Speaking, tmp_path: Path
) -> None:
    built = build(host, workload, id_, protocol)
    stage = alone.stage(LOADED, workload, [built], host=host, stop=Stop(), logs=tmp_path, protocol=protocol)
    found = KINDS["http"].check(stage, id_)
    assert found.ok, f"{found.reason}\n{found.exchange}"
    assert ((found.agreed or "").startswith("TLSv1.3, ")) is (protocol in OVER_TLS)


@pytest.mark.parametrize(("workload", "id_", "protocol"), SPEAKING)
def test_it_is_quiet_and_stops_cleanly_with_connections_open(
    workload: str, id_: str, protocol: HttpProtocol, host: LocalHost, build: Speaking, tmp_path: Path
) -> None:
    built = build(host, workload, id_, protocol)
    pem, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    certificate.make(host, pem, key)
    server = started(host, built, host.free_port(), tmp_path, {"tls_cert": pem, "tls_key": key})
    try:
        wait_until_it_listens(server)
        at = Address(port=server.port, https=protocol in OVER_TLS, http2=protocol in HTTP2, cacert=pem)
        with closing(connection_to(at)) as idle, closing(connection_to(at)) as busy:
            for connection, requests in ((idle, 1), (busy, REQUESTS)):
                for n in range(requests):
                    connection.request("GET", f"{PATHS[workload]}n{n}")
                    assert f"n{n}!".encode() in connection.getresponse().read()
            assert sum(output.stat().st_size for output in server.outputs) < SAID_AT_MOST_BYTES
            exit_ = stopped(server, idle, busy)
    finally:
        server.stop()
    assert exit_.why == "stopped", f"killed after {GRACE_S:.0f} s: {exit_.describe()}"
    assert exit_.code == 0, exit_.describe()
