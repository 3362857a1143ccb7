"""The sink's word for what a client sent is held against the workload, command for command."""

from pathlib import Path

import pytest

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program.pipeline.digest import digest
from deadheat.kinds.program.pipeline.stream import Stream, compare, expected
from deadheat.model.pipeline import Pipeline
from deadheat.suite.suite import load


@pytest.fixture(scope="module")
def work() -> Pipeline:
    found = load(Path(__file__).parents[2] / "suite").workloads["redis-pipeline"].pipeline
    assert found is not None
    return found


def stream(runs: list[tuple[int, str]], before: tuple[str, ...] = (), more: int = 0) -> Stream:
    return Stream(tuple(runs), more, before)


@pytest.mark.parametrize("increment", ["INCR foo", "INCRBY foo 1"])
def test_either_spelling_of_the_increment_is_right(work: Pipeline, increment: str) -> None:
    compare(work, stream(expected(work, increment, 1000, 2), ("HELLO", "CLIENT")), 1000, 2)


def test_a_skipped_command_is_named(work: Pipeline) -> None:
    runs = expected(work, "INCR foo", 1000, 1)
    runs[2] = (999, "GET foo")
    with pytest.raises(Wrong, match="1000 times GET foo, got 999 times GET foo"):
        compare(work, stream(runs), 1000, 1)


def test_other_orders_and_missing_ends_are_refused(work: Pipeline) -> None:
    runs = expected(work, "INCR foo", 10, 1)
    for wrong in (runs[:-1], [*runs, (1, "PING")], [runs[1], runs[0], *runs[2:]]):
        with pytest.raises(Wrong, match="other commands than asked"):
            compare(work, stream(wrong), 10, 1)


def test_what_comes_before_the_clock_must_be_allowed(work: Pipeline) -> None:
    with pytest.raises(Wrong, match="FLUSHALL before the pipeline"):
        compare(work, stream(expected(work, "INCR foo", 10, 1), ("FLUSHALL",)), 10, 1)


def test_the_digest_of_the_workloads_own_readme(work: Pipeline) -> None:
    assert digest(work, 100_000, 1) == "8657dcd853fdb9d6"
