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


def test_programs_and_servers_with_services_can_be_explained() -> None:
    asked = replace(wanted("rust-lean", "rust-redis-rs"), workload="redis-pipeline")
    assert [found.id for found in pair(SUITE, asked)] == ["rust-lean", "rust-redis-rs"]
    asked = replace(wanted("go-net-http-pgx", "node-fastify-pg"), workload="app-db")
    assert [found.workload for found in pair(SUITE, asked)] == ["app-db", "app-db"]


def test_a_workload_that_both_are_in_must_be_named() -> None:
    with pytest.raises(UserError, match="meet in app-cached and app-db and app-fortunes and"):
        pair(SUITE, wanted("go-net-http-pgx", "node-fastify-pg"))
