"""`--metric`: what races are judged by, and that they are not taken for others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.model.choices import JudgedBy
from deadheat.model.plan import RacePlan
from deadheat.plan import Asked, judged
from deadheat.suite.suite import Suite, load

SUITE = Path(__file__).parents[2] / "suite"
ASKED = Asked(workloads=("http-hello", "fib"), seed=1)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def races(asked: Asked, suite: Suite) -> list[RacePlan]:
    return list(planning.plan(asked, suite, tuple(KINDS)).workloads)


def test_by_cpu_the_races_are_the_same_but_for_what_is_judged(suite: Suite) -> None:
    usual, by_cpu = races(ASKED, suite), races(replace(ASKED, judged_by="cpu"), suite)
    assert [race.judged for race in usual] == ["throughput_rps", "wall_s"]
    assert [race.judged for race in by_cpu] == ["cpu_us_per_request", "cpu_s"]
    assert [race.key for race in by_cpu] == ["http-hello [by=cpu]", "fib [by=cpu]"]
    for race, own in zip(by_cpu, usual, strict=True):
        assert race.replaced(judged_by="throughput", setting=None) == own


def test_several_loads(suite: Suite) -> None:
    asked = Asked(workloads=("http-hello",), seed=1, judged_by="memory", connections=(400, 64))
    assert [race.setting for race in races(asked, suite)] == ["by=memory", "connections=400 by=memory"]


def test_a_percentile_is_measured_in_every_block_at_the_rate_that_is_judged(suite: Suite) -> None:
    asked = Asked(workloads=("http-hello",), seed=1, judged_by="p99")
    (race,) = races(asked, suite)
    assert (race.loads, race.judged) == ((0.5,), "latency_p99_at_load_ms")


def test_what_cannot_be_judged_is_left_out_where_nothing_is_named(suite: Suite) -> None:
    found = races(Asked(seed=1, judged_by="startup"), suite)
    assert {race.kind for race in found} == {"http", "grpc"}


@pytest.mark.parametrize(
    ("workload", "by", "why"),
    [
        ("fib", "p99", "fib: a program that runs to its end has no p99"),
        ("fib", "startup", "fib: a program that runs to its end has no startup"),
        ("http-hello", "size", "a size does not vary"),
        (None, "size", "a size does not vary"),
    ],
)
def test_what_cannot_be_judged_is_refused(suite: Suite, workload: str | None, by: JudgedBy, why: str) -> None:
    with pytest.raises(UserError, match=why):
        races(Asked(workloads=(workload,) if workload else (), seed=1, judged_by=by), suite)


def test_a_cold_race_is_judged_by_startup_anyway(suite: Suite) -> None:
    cold = suite.workloads["http-hello"].replaced(measure="cold", metric="first_reply_s")
    with_it = replace(suite, workloads={**suite.workloads, "http-hello": cold})
    asked = Asked(workloads=("http-hello",), seed=1, judged_by="startup")
    (race,) = races(asked, with_it)
    assert (race.judged, race.setting) == ("first_reply_s", None)
    with pytest.raises(UserError, match="knows its startup alone, not its cpu"):
        races(replace(asked, judged_by="cpu"), with_it)


@pytest.mark.parametrize(
    ("workload", "others", "by"),
    [
        ("app-db", {}, "cpu"),
        ("app-updates", {}, "cpu"),
        ("app-json", {}, "throughput"),  # has no database
        ("app-cached", {}, "throughput"),  # reads its database once
        ("app-db", {"generator_cpus": (1, 2)}, "throughput"),
        ("app-db", {"services_cpus": (2, 3)}, "throughput"),
        ("app-db", {"scale": True, "server_cpus": (0, 1), "generator_cpus": (2,)}, "throughput"),
        ("app-db", {"judged_by": "throughput"}, "throughput"),
        ("app-db", {"judged_by": "p50"}, "p50"),
    ],
)
def test_beside_a_database_on_the_loads_only_cpu_cpu_time_is_judged(
    suite: Suite, workload: str, others: dict[str, Any], by: JudgedBy
) -> None:
    found = races(replace(Asked(workloads=(workload,), seed=1), **others), suite)
    assert {race.judged_by for race in found} == {by}
    assert {judged.BESIDE_THE_LOAD in race.notes for race in found} == {by == "cpu"}


def test_what_is_claimed_of_throughput_is_judged_by_it(suite: Suite) -> None:
    found = races(Asked(claims="techempower-r23", seed=1), suite)
    assert {race.judged_by for race in found} == {"throughput"}


def test_by_memory_each_block_of_programs_has_the_invocation_that_tells_it(suite: Suite) -> None:
    (usual,) = races(Asked(workloads=("fib",), seed=1), suite)
    (by_memory,) = races(Asked(workloads=("fib",), seed=1, judged_by="memory"), suite)
    assert usual.invocations.warmed_blocks == 10 and by_memory.invocations.warmed_blocks is None
