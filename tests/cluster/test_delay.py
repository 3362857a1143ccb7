"""A network that takes 1 ms each way reads 2 ms more, there and back: by the floor measured before a race,
and by the load generator's own latencies."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deadheat.generators.engine import find_binary

from .nodes import PATIENCE_S, Cluster, network, unavailable

RELAY = Path(__file__).with_name("relay.py")
DELAY_MS, THERE_AND_BACK_MS = 1.0, 2.0
NEAR = 0.05
ECHO = """
import sys, time
from deadheat.cluster.network import Echo
while True:
    print(Echo(sys.argv[1]).port, flush=True)
    sys.stdin.readline()
"""
MEASURE = """
import sys
from deadheat.cluster.network import measured
print(measured(sys.argv[1], int(sys.argv[2])).rtt_s * 1e3)
"""


@pytest.fixture(scope="module")
def hosts() -> Iterator[Cluster]:
    if (why := unavailable()) is not None:
        pytest.skip(why)
    with network(2) as made:
        yield made


@contextlib.contextmanager
def running(argv: list[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said, "it ended"
    return said.strip()


def relayed(hosts: Cluster, port: str) -> list[str]:
    """A relay on the host of the server, n1, to its port there."""
    return hosts.inside("n1", sys.executable, str(RELAY), hosts.ip("n1"), hosts.ip("n1"), port, str(DELAY_MS))


def reads_two_more(direct_ms: Callable[[], float], relayed_ms: Callable[[], float]) -> None:
    """No reading is below it; where a machine is busy one may be above it, and another is taken."""
    readings = []
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        readings.append(relayed_ms() - direct_ms())
        assert readings[-1] >= THERE_AND_BACK_MS * (1 - NEAR), readings
        if readings[-1] <= THERE_AND_BACK_MS * (1 + NEAR):
            print(f"+{readings[-1]:.3f} ms, reading {len(readings)}")
            return
    raise AssertionError(readings)


def test_the_floor_of_a_network(hosts: Cluster) -> None:
    def measured(port: str) -> float:
        argv = hosts.inside("n2", sys.executable, "-c", MEASURE, hosts.ip("n1"), port)
        return float(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)

    with running(hosts.inside("n1", sys.executable, "-c", ECHO, hosts.ip("n1"))) as echo:
        assert echo.stdin is not None

        def another() -> str:
            assert echo.stdin is not None
            echo.stdin.write("\n")
            echo.stdin.flush()
            return line(echo)

        def direct_ms() -> float:
            return measured(another())

        def relayed_ms() -> float:
            with running(relayed(hosts, another())) as relay:
                return measured(line(relay))

        assert line(echo)
        reads_two_more(direct_ms, relayed_ms)


def test_what_the_load_generator_sees(hosts: Cluster) -> None:
    def p50_ms(port: str) -> float:
        url = f"http://{hosts.ip('n1')}:{port}/delay"
        argv = hosts.inside("n2", find_binary(), url, "-c", "1", "-n", "300", "--json", "--quiet")
        ran = subprocess.run(argv, check=True, capture_output=True, text=True)
        return float(json.loads(ran.stdout)["latency_ms"]["p50"])

    serve = [find_binary(), "serve", "http", "--host", hosts.ip("n1"), "--port", "0"]
    with subprocess.Popen(hosts.inside("n1", *serve), stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            port = server.stderr.readline().rpartition(":")[2].split("/")[0].strip()
            with running(relayed(hosts, port)) as relay:
                delayed = line(relay)
                reads_two_more(lambda: p50_ms(port), lambda: p50_ms(delayed))
        finally:
            server.kill()
