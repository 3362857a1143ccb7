"""What a command line asks becomes races: loads of servers, and what the claims of a study need."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.model.plan import RacePlan
from deadheat.plan import Asked
from deadheat.suite.suite import Suite, load

SUITE = Path(__file__).parents[2] / "suite"
HELLO = Asked(workloads=("http-hello",), seed=1)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def races(asked: Asked, suite: Suite) -> tuple[RacePlan, ...]:
    return planning.plan(asked, suite, tuple(KINDS)).workloads


def test_the_usual_load_comes_first_and_has_no_setting(suite: Suite) -> None:
    found = races(replace(HELLO, connections=(10, 64, 400)), suite)
    assert [(race.setting, race.slices.connections) for race in found] == [
        (None, 64),
        ("connections=10", 10),
        ("connections=400", 400),
    ]
    assert len({race.key for race in found}) == 3


def test_several_loads_share_the_time_of_one(suite: Suite) -> None:
    (one,) = races(HELLO, suite)
    three = races(replace(HELLO, connections=(10, 64, 400)), suite)
    assert one.rounds > three[0].rounds
    assert {race.blocks for race in three} == {one.blocks}


def test_every_choice_of_connections_meets_every_choice_of_streams(suite: Suite) -> None:
    asked = Asked(workloads=("grpc-unary",), seed=1, connections=(10, 100), streams=(50, 1))
    assert [(race.slices.connections, race.slices.streams, race.setting) for race in races(asked, suite)] == [
        (10, 50, None),
        (10, 1, "streams=1"),
        (100, 50, "connections=100"),
        (100, 1, "connections=100 streams=1"),
    ]


def test_claims_race_just_what_they_compare(suite: Suite) -> None:
    found = races(Asked(claims="go-vs-crystal-2020", seed=1), suite)
    entered = {race.workload: {e.contender for e in race.entries} for race in found}
    assert entered == {
        "fib": {"go", "crystal", "go:stripped"},
        "http-hello": {"go-net-http", "crystal-http-server"},
    }


def test_claims_of_several_rounds_race_that_setting_too(suite: Suite) -> None:
    found = races(Asked(claims="rust-vs-crystal-redis-2020", seed=1), suite)
    assert [race.setting for race in found] == [None, "rounds=10"]


def test_claims_of_one_workload_of_a_study(suite: Suite) -> None:
    asked = Asked(workloads=("fib",), claims="go-vs-crystal-2020", seed=1)
    assert {race.workload for race in races(asked, suite)} == {"fib"}


def test_a_study_that_is_not_there_names_the_nearest(suite: Suite) -> None:
    with pytest.raises(UserError, match="go-vs-crystal-2020"):
        races(Asked(claims="go-vs-crystal-2002", seed=1), suite)


def test_the_claims_of_every_study_can_be_planned(suite: Suite) -> None:
    for name, study in suite.studies.items():
        planned = {race.workload for race in races(Asked(claims=name, seed=1), suite)}
        assert planned == {claim.workload for claim in study.claim}


def test_others_may_use_less_beside_unlike_contenders_than_beside_revisions_of_one(suite: Suite) -> None:
    """docs/method.md: what 3% of the CPUs move a ratio of unlike ones by, 5%, both revisions share."""
    race, ab = (planning.plan(replace(HELLO, alike=alike), suite, tuple(KINDS)) for alike in (False, True))
    assert race.disturbance is not None and ab.disturbance is not None
    assert (race.disturbance.others, ab.disturbance.others) == (0.02, 0.03)
    assert race.disturbance.steal == ab.disturbance.steal


@pytest.mark.parametrize("budget_s", [80, 300, 1200])
def test_blocks_of_programs_have_one_round_as_long_as_these_are_no_more_than_60(
    suite: Suite, budget_s: float
) -> None:
    (race,) = races(Asked(workloads=("fib",), seed=1, budget_s=budget_s, invocation_s=1.0), suite)
    entries = len(race.entries)
    assert race.blocks <= 60 and (race.rounds == 1 or race.blocks * race.rounds > 60)
    took = race.blocks * race.rounds * 2 * entries + min(race.blocks, 10) * entries
    assert took == pytest.approx(budget_s, rel=0.1)


def test_what_talks_to_a_service_is_warmed_up_in_each_block_since_it_is_another(suite: Suite) -> None:
    (redis, *_) = races(Asked(workloads=("redis-pipeline",), seed=1), suite)
    assert redis.invocations.warmed_blocks is None
