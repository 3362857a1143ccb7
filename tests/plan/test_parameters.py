"""`--set` and `--sweep`: parameters that workloads declare, each value a race of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.model.parameter import Parameter
from deadheat.model.plan import RacePlan
from deadheat.plan import Asked
from deadheat.suite.suite import Suite, load

SUITE = Path(__file__).parents[2] / "suite"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def races(suite: Suite, *workloads: str, preset: str = "quick", **wanted: str) -> list[RacePlan]:
    parameters = {name: tuple(words.split(",")) for name, words in wanted.items()}
    names = workloads or ("redis-pipeline",)
    asked = Asked(workloads=names, parameters=parameters, preset=preset, seed=1)  # type: ignore[arg-type]
    return list(planning.plan(asked, suite, tuple(KINDS)).workloads)


def test_a_preset_has_values_of_its_own(suite: Suite) -> None:
    assert [race.setting for race in races(suite)] == [None, "sink"]
    assert [race.setting for race in races(suite, preset="standard")] == [None, "sink", "valkey"]


def test_what_is_set_is_raced_alone(suite: Suite) -> None:
    (race,) = races(suite, rounds="10")
    assert (race.setting, race.metric) == ("rounds=10", "cpu_s")
    assert race.values == {"server": "redis", "rounds": 10}
    assert (race.invocations.n, race.commands) == (100_000, 4_000_030)


def test_a_sweep_is_every_combination(suite: Suite) -> None:
    swept = races(suite, server="redis,sink", depth="1,100")
    assert [race.setting for race in swept] == ["depth=1", "depth=100", "sink depth=1", "sink depth=100"]
    assert [race.metric for race in swept] == ["cpu_s", "cpu_s", "wall_s", "wall_s"]


def test_few_commands_at_a_time_are_fewer_commands(suite: Suite) -> None:
    (one,) = races(suite, depth="1")
    assert one.values == {"server": "redis", "rounds": 1, "depth": 1}
    assert (one.invocations.n, one.commands) == (5_000, 20_003)


def test_a_server_may_have_parameters_too(suite: Suite) -> None:
    pool = Parameter(what="connections of its own", range=(1, 100), default=4)
    workload = suite.workloads["http-hello"].replaced(parameters={"pool": pool})
    suite = replace(suite, workloads={**suite.workloads, "http-hello": workload})
    swept = races(suite, "http-hello", pool="4,8")
    assert [(race.setting, race.values) for race in swept] == [(None, {"pool": 4}), ("pool=8", {"pool": 8})]
    assert [race.values for race in races(suite, "http-hello")] == [{"pool": 4}]


def test_an_unknown_parameter_is_told_the_nearest(suite: Suite) -> None:
    with pytest.raises(UserError, match='no workload raced here has a parameter "deph"') as raised:
        races(suite, deph="1")
    assert 'did you mean "depth"?' in str(raised.value.hint)


def test_a_parameter_of_a_workload_that_is_not_raced(suite: Suite) -> None:
    with pytest.raises(UserError, match="no workload raced here"):
        races(suite, "fib", rounds="2")


@pytest.mark.parametrize(("name", "value"), [("rounds", "0"), ("rounds", "x"), ("server", "memcached")])
def test_a_value_that_is_not_taken_is_refused(suite: Suite, name: str, value: str) -> None:
    with pytest.raises(UserError, match=f'{name} cannot be "{value}"'):
        races(suite, **{name: value})


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"range": (1, 5), "one_of": ("a",)},
        {"range": (1, 5), "default": 6},
        {"one_of": ("a", "b"), "presets": {"quick": ("c",)}},
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Parameter.model_validate({"what": "something", **wrong})
