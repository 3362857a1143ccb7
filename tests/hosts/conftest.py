"""The implementations that must keep the contract."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from deadheat.hosts import Host
from deadheat.hosts.local import LocalHost
from deadheat.util.interrupt import Stop

from .recording import recording


def on_cluster() -> Host:
    """A machine of the cluster that tests/cluster has made for this run of the tests alone."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    from deadheat.cluster.agent import Agent
    from deadheat.cluster.remote_host import RemoteHost

    ray = cluster()
    address = os.environ["DEADHEAT_TEST_MACHINE"]
    [node] = [one for one in ray.nodes() if one["NodeManagerAddress"] == address]
    placed = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
    options = {"num_cpus": 0, "max_concurrency": 4, "scheduling_strategy": placed}
    return RemoteHost(ray, ray.remote(Agent).options(**options).remote(alone_s=3600.0), address)


@cache
def cluster() -> Any:
    """Ray, connected until this process ends."""
    import ray

    ray.init(address=os.environ["DEADHEAT_TEST_CLUSTER"], log_to_driver=False)
    return ray


#: A new one joins these.
HOSTS: dict[str, Callable[[], Host]] = {"local": LocalHost, "behind a wire": recording}
if "DEADHEAT_TEST_CLUSTER" in os.environ:
    HOSTS = {"cluster": on_cluster}


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    made = HOSTS[request.param]()
    yield made
    made.close()


@pytest.fixture
def stop() -> Stop:
    return Stop()
