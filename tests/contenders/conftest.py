"""The contenders of fib and http-hello, built as a race builds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deadheat import suite
from deadheat.build import Build, Builder
from deadheat.hosts.local import LocalHost
from deadheat.interrupt import Stop

SUITE = Path(__file__).parents[2] / "suite"
Ready = Callable[[str, str], Build]


@pytest.fixture(scope="session")
def host() -> Iterator[LocalHost]:
    with LocalHost() as host:
        yield host


@pytest.fixture(scope="session")
def ready(host: LocalHost) -> Ready:
    """A build of a contender, by workload and name; skips with the reason where it is unavailable."""
    builder = Builder(host, Stop())
    contenders = suite.load(SUITE)

    def build(workload: str, id_: str) -> Build:
        build = builder.build(contenders.contender(workload, id_))
        if build.record.status == "unavailable":
            pytest.skip(f"{id_} is unavailable: {build.record.reason}")
        assert build.record.status == "ready", build.record.reason
        return build

    return build
