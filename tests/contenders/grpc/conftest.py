"""The contenders of grpc-unary as running servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deadheat.hosts.local import LocalHost

from .servers import Server, Servers, UnavailableError

Start = Callable[[str], Server]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with LocalHost() as host:
        yield Servers(host, tmp_path_factory.mktemp("output"))


@pytest.fixture(scope="session")
def start(servers: Servers) -> Start:
    """Starts a contender, or skips with the reason why it is unavailable."""

    def start_one(id_: str) -> Server:
        try:
            return servers.start(id_)
        except UnavailableError as reason:
            pytest.skip(str(reason))

    return start_one
