"""The contenders, built as a race builds them: once, for all tests and all workers of pytest-xdist."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from deadheat.build.builder import NO_REASON, Builder
from deadheat.build.built import Build
from deadheat.hosts.local import LocalHost
from deadheat.hosts.ports import Ports
from deadheat.suite import suite
from deadheat.util.interrupt import Stop

from .http_server import Server, started, wait_until_it_listens

SUITE = Path(__file__).parents[2] / "suite"
Ready = Callable[[str, str], Build]
Start = Callable[[str, str], Server]


@pytest.fixture(scope="session", autouse=True)
def unoptimised() -> Iterator[None]:
    """Cargo optimises nothing: that is most of what its builds take, and only answers are looked at here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        yield


@pytest.fixture(scope="session")
def host() -> Iterator[LocalHost]:
    with LocalHost() as host:
        yield host


@pytest.fixture(scope="session")
def ready(host: LocalHost) -> Ready:
    """A build of a contender, by workload and name; skips with the reason where it is unavailable."""
    builder = Builder(host, Stop())
    contenders = suite.load(SUITE)

    @cache
    def built(workload: str, id_: str) -> Build:
        return builder.build(contenders.contender(workload, id_))

    def build(workload: str, id_: str) -> Build:
        build = built(workload, id_)
        if build.record.status == "unavailable":
            assert build.record.reason != NO_REASON, "a build that exits 69 says why on its last line"
            pytest.skip(f"{id_} is unavailable: {build.record.reason}")
        assert build.record.status == "ready", build.record.reason
        return build

    return build


@pytest.fixture
def start(host: LocalHost, ready: Ready, tmp_path: Path) -> Iterator[Start]:
    """Starts an HTTP contender, by workload and name, and stops it at the test's end."""
    ports = Ports()
    servers: list[Server] = []

    def start_one(workload: str, id_: str) -> Server:
        server = started(host, ready(workload, id_), ports.take(), tmp_path)
        servers.append(server)
        wait_until_it_listens(server)
        return server

    yield start_one
    for server in servers:
        server.stop()
