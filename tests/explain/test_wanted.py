"""What is asked to be explained, before anything is built."""

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


def test_programs_with_services_are_refused() -> None:
    with pytest.raises(UserError, match="redis-pipeline has services"):
        pair(SUITE, wanted("rust-lean", "ceiling"))
