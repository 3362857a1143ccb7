"""Claims of a study are raced under the load that they were made under too, where that is another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.model.plan import RacePlan
from deadheat.model.shape import Shape
from deadheat.plan import Asked, shapes
from deadheat.suite.suite import Suite, load

SUITE = Path(__file__).parents[2] / "suite"
GRPC = Asked(claims="go-vs-rust-grpc", seed=1, usable_cpus=(0, 1))


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def races(asked: Asked, suite: Suite) -> tuple[RacePlan, ...]:
    return planning.plan(asked, suite, tuple(KINDS)).workloads


def test_a_published_load_is_a_race_beside_the_usual_one(suite: Suite) -> None:
    usual, theirs = races(GRPC, suite)
    assert (usual.setting, usual.shape) == (None, None)
    assert (theirs.setting, theirs.shape) == ("cores=2 gzip connections=100", "go-vs-rust-grpc/ghz")
    assert (theirs.slices.connections, theirs.slices.streams) == (100, 50)
    assert theirs.values == {"compression": "gzip"}
    assert theirs.notes[0].startswith("under the load of go-vs-rust-grpc: --concurrency 5000")
    # Equal work, both ways: both reply in gzip, and neither does.
    for race in (usual, theirs):
        assert {"go-grpc:plain-replies", "rust-tonic:gzip-replies"} <= {e.contender for e in race.entries}


@pytest.mark.parametrize(
    ("study", "raced"),
    [
        ("fiber-docs", ["app-plaintext", "app-json", "app-db", "app-queries", "app-updates"]),
        ("techempower-r23", ["app-json", "app-db", "app-queries", "app-updates", "app-fortunes"]),
    ],
)
def test_studies_of_applications_are_raced_under_both_loads(
    study: str, raced: list[str], suite: Suite
) -> None:
    found = races(Asked(claims=study, seed=1, usable_cpus=(0, 1)), suite)
    assert list(dict.fromkeys(race.workload for race in found)) == raced
    theirs = [race for race in found if race.shape is not None]
    assert [(race.workload, race.slices.connections) for race in theirs] == [
        (name, 512) for name in raced if name != "app-plaintext"
    ]
    # Of each workload just whom its own claims compare, and the reference.
    for race in found:
        of = [claim for claim in suite.studies[study].claim if claim.workload == race.workload]
        named = {id_ for claim in of for id_ in (claim.a, claim.b)}
        assert {e.contender for e in race.entries} == named | {"go-net-http-pgx"}
    more = races(Asked(claims=study, contenders=("python-fastapi-asyncpg",), seed=1), suite)
    usual = [{e.contender for e in race.entries} for race in more if race.shape is None]
    assert all("python-fastapi-asyncpg" in entries for entries in usual)


def test_servers_get_the_loads_cores_only_where_there_are_no_others(suite: Suite) -> None:
    small, large = (
        races(replace(GRPC, usable_cpus=usable), suite)[1].slices for usable in ((0, 1), (0, 2, 3, 1))
    )
    assert (small.server_cpus, small.shared_cpus) == ((0, 1), (1,))
    assert (large.server_cpus, large.shared_cpus) == ((0, 2), ())


def test_a_load_that_needs_more_cores_than_there_are_is_not_planned(suite: Suite) -> None:
    asked = Asked(claims="go-vs-crystal-2020", seed=1, usable_cpus=(0, 1))
    assert [race.setting for race in races(asked, suite)] == [None, None, "connections=400"]
    more = races(replace(asked, usable_cpus=(0, 2, 3, 1)), suite)
    assert [race.setting for race in more] == [None, None, "connections=400", "cores=3 connections=400"]


def test_under_a_load_just_whom_its_claims_compare_is_raced(suite: Suite) -> None:
    found = races(Asked(claims="phoenix-vs-go-2016", seed=1, usable_cpus=(0, 1)), suite)
    of = {race.setting: {e.contender for e in race.entries} for race in found}
    assert of["connections=10"] == {"go-net-http", "node-http", "express"}
    assert len({race.key for race in found}) == len(found)


def test_who_says_how_servers_are_loaded_gets_that_load_alone(suite: Suite) -> None:
    [race] = races(replace(GRPC, connections=(10,), streams=(1,)), suite)
    assert (race.setting, race.shape) == ("streams=1", None)


def test_a_load_that_is_the_usual_one_is_refused(suite: Suite) -> None:
    workload = suite.workload("http-hello")
    wanted = shapes.InShape("s", Shape(name="x", words="w", workload="http-hello", connections=64), ())
    usual = races(Asked(workloads=("http-hello",), seed=1), suite)[0]
    with pytest.raises(UserError, match="is the load that http-hello has anyway"):
        shapes.in_shape(usual, workload, wanted, (0, 1), (1,))
