"""`race --scale`: which cores are whose, a race at each number of them, and what cannot be shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.hosts.cpus import Cpus, cores_of, scale_cpus
from deadheat.kinds.registry import KINDS
from deadheat.plan import Asked
from deadheat.plan.scale import steps
from deadheat.studies.registry import PLANNERS
from deadheat.suite.suite import Suite, load

SUITE = Path(__file__).parents[2] / "suite"
SIBLINGS = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def asked(cpus: Cpus) -> Asked:
    return Asked(
        workloads=("grpc-unary",),
        seed=1,
        scale=True,
        server_cpus=cpus.servers,
        generator_cpus=cpus.generators,
    )


def test_eight_cores(suite: Suite, tmp_path: Path) -> None:
    whose = scale_cpus(cores_of(range(8), tmp_path))
    assert whose == Cpus(servers=(0, 1, 2, 3, 4, 5), generators=(6, 7))
    plan = planning.plan(asked(whose), suite, tuple(KINDS))
    assert [(race.setting, race.server_cpus) for race in plan.workloads] == [
        ("cores=1", (0,)),
        ("cores=2", (0, 1)),
        ("cores=4", (0, 1, 2, 3)),
        ("cores=6", (0, 1, 2, 3, 4, 5)),
    ]
    assert {race.slices.generator_threads for race in plan.workloads} == {2}
    for race in plan.workloads:
        assert race.server_cpus is not None
        assert not set(race.server_cpus) & set(plan.generator_cpus)
        assert race.notes == ("servers on more than 6 CPUs are not shown: 2 CPUs are the load's",)
    # They share the time of one.
    (one,) = planning.plan(replace(asked(whose), scale=False), suite, tuple(KINDS)).workloads
    assert {race.rounds for race in plan.workloads} == {planning.MIN_ROUNDS}
    assert one.rounds > planning.MIN_ROUNDS


def test_two_cores_say_what_they_cannot_show(suite: Suite, tmp_path: Path) -> None:
    whose = scale_cpus(cores_of({0, 1}, tmp_path))
    assert whose == Cpus(servers=(0,), generators=(1,))
    (race,) = planning.plan(asked(whose), suite, tuple(KINDS)).workloads
    assert (race.setting, race.server_cpus) == ("cores=1", (0,))
    assert race.notes == (
        "scaling cannot be shown here: 1 CPU is the load's and 1 is left to the servers; "
        "it takes 3 CPUs or more",
    )


def test_cores_that_the_load_shares_are_named(suite: Suite) -> None:
    one, both = planning.plan(asked(Cpus((0, 1), (1,))), suite, tuple(KINDS)).workloads
    last = "servers on more than 2 CPUs are not shown: the load has none of its own"
    assert one.notes == (last,)
    assert both.notes == (
        "the load takes its time from CPU 1, which is the servers' too: their throughput a core is a lower "
        "bound",
        last,
    )


def test_threads_of_a_core_are_given_after_whole_cores(tmp_path: Path) -> None:
    # CPUs n and n + 4 share a physical core.
    for cpu in range(8):
        file = tmp_path / SIBLINGS.format(cpu)
        file.parent.mkdir(parents=True)
        file.write_text(f"{cpu % 4},{cpu % 4 + 4}\n")
    assert scale_cpus(cores_of(range(8), tmp_path)) == Cpus(servers=(0, 1, 2, 4, 5, 6), generators=(3,))


def test_one_cpu_is_shared(tmp_path: Path) -> None:
    assert scale_cpus(cores_of({3}, tmp_path)) == Cpus((3,), (3,))


@pytest.mark.parametrize(
    ("cores", "raced"), [(1, (1,)), (2, (1, 2)), (3, (1, 2, 3)), (8, (1, 2, 4, 8)), (12, (1, 2, 4, 8, 12))]
)
def test_cores_are_doubled_up_to_all(cores: int, raced: tuple[int, ...]) -> None:
    assert steps(cores) == raced


def test_each_load_is_raced_at_each_number_of_cores(suite: Suite) -> None:
    both = replace(asked(Cpus((0, 1), (2,))), connections=(10, 100))
    races = planning.plan(both, suite, tuple(KINDS)).workloads
    assert [race.setting for race in races] == [
        "cores=1",
        "cores=2",
        "cores=1 connections=100",
        "cores=2 connections=100",
    ]


def test_only_servers_scale_so(suite: Suite) -> None:
    with pytest.raises(UserError, match="--scale is for servers"):
        planning.plan(Asked(workloads=("fib",), seed=1, scale=True), suite, tuple(KINDS))
    with pytest.raises(UserError, match="--scale cannot be given with --method as-published"):
        planning.plan(Asked(seed=1, scale=True, method="as-published"), suite, tuple(KINDS), PLANNERS)
