"""What is asked to be explained, before anything is built."""

from dataclasses import replace
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.explain.wanted import Wanted, pair
from deadheat.suite.suite import load

SUITE = load(Path(__file__).parents[2] / "suite")


def wanted(a: str, b: str) -> Wanted:
    return Wanted(a=a, b=b, workload=None, seconds=1.0, out=Path("runs"), command=("deadheat", "explain"))


def test_two_of_one_workload() -> None:
    assert [found.id for found in pair(SUITE, wanted("c", "go"))] == ["c", "go"]


def test_programs_with_services_can_be_explained_servers_with_such_not_yet() -> None:
    asked = replace(wanted("rust-lean", "rust-redis-rs"), workload="redis-pipeline")
    assert [found.id for found in pair(SUITE, asked)] == ["rust-lean", "rust-redis-rs"]
    sink = SUITE.workloads["redis-pipeline"].services[-1].replaced(when={})
    served = SUITE.workloads["http-hello"].replaced(services=(sink,))
    suite = replace(SUITE, workloads={**SUITE.workloads, "http-hello": served})
    with pytest.raises(UserError, match="http-hello has servers with services"):
        pair(suite, replace(wanted("go-net-http", "node-http"), workload="http-hello"))
