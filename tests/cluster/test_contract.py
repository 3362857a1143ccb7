"""A machine of a cluster keeps the contract of hosts: the same tests, run where the driver's node is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from .nodes import Cluster

HOSTS = Path(__file__).parents[1] / "hosts"


def run(machines: Cluster, tests: str) -> int:
    """How many tests of a file pass on a machine of the cluster."""
    ran = subprocess.run(
        machines.inside(
            "n0",
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-k",
            "cluster and not container",  # its machines are namespaces, in which podman is not
            str(HOSTS / tests),
        ),
        env=machines.environment(
            DEADHEAT_TEST_CLUSTER=machines.address, DEADHEAT_TEST_MACHINE=machines.ip("n1")
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    [passed] = re.findall(r"(\d+) passed", ran.stdout)
    assert "skipped" not in ran.stdout
    return int(passed)


def test_a_machine_of_a_cluster_is_a_host_like_any(machines: Cluster) -> None:
    assert run(machines, "test_contract.py") >= 20


def test_what_is_started_there_finds_what_it_would_here(machines: Cluster) -> None:
    assert run(machines, "test_start.py") == 2
