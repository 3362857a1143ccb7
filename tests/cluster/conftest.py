"""One cluster of a driver and three machines for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bench import Deadheat, hello

from .nodes import Cluster, cluster, unavailable


@pytest.fixture(scope="package")
def machines() -> Iterator[Cluster]:
    if (why := unavailable()) is not None:
        pytest.skip(why)
    with cluster(3) as made:
        yield made


class OnCluster(Deadheat):
    """`deadheat` on the driver's node."""

    cluster: Cluster

    def argv(self, *args: str) -> list[str]:
        return self.cluster.inside("n0", *super().argv(*args))


@pytest.fixture
def deadheat(machines: Cluster, tmp_path: Path) -> OnCluster:
    suite = hello(tmp_path / "suite", copies=["copy"])
    for name in ("good", "copy"):
        with (suite.path / "hello" / name / "contender.toml").open("a") as manifest:
            manifest.write('env = { HOST = "{host}" }\n')
    made = OnCluster(tmp_path / "home", suite.path, env=machines.environment())
    made.cluster = machines
    return made
