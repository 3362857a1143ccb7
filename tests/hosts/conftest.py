"""The implementations that must keep the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deadheat.hosts import Host
from deadheat.hosts.local import LocalHost
from deadheat.util.interrupt import Stop

from .recording import recording

#: A new one joins these.
HOSTS: tuple[Callable[[], Host], ...] = (LocalHost, recording)


@pytest.fixture(params=HOSTS, ids=["local", "behind a wire"])
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    made: Host = request.param()
    yield made
    made.close()


@pytest.fixture
def stop() -> Stop:
    return Stop()
