"""Each check says what it saw, and what to do where that is not well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deadheat.hosts import machine
from deadheat.hosts.cpus import Cpus
from deadheat.hosts.fitness import Fitness, checks
from deadheat.hosts.machine import Activity, Machine

from .conftest import Make

TWO = Cpus((0,), (1,))
CORES = ((0, 2), (1, 3))


@pytest.fixture
def metal(make: Make) -> Machine:
    return machine.read(make(), sleep=lambda _seconds: None)


def of(found: list[Fitness], name: str) -> Fitness:
    (check,) = (check for check in found if check.name == name)
    return check


def test_a_good_machine_has_no_advice(make: Make, metal: Machine) -> None:
    found = checks(metal, TWO, CORES)
    assert [check for check in found if not check.ok or check.advice] == []
    assert len(found) == len({check.name for check in found}) == 9


@pytest.mark.parametrize(
    ("name", "change", "shown"),
    [
        ("frequency", {"governors": ("powersave",)}, "powersave"),
        ("frequency", {"governors": ("performance", "powersave")}, "performance, powersave"),
        ("frequency", {"governors": (), "virtualisation": "virtual machine"}, "(virtual machine)"),
        ("boost", {"boost": True}, "boost is on"),
        ("steal", {"activity": Activity(5, 0.0, 0.008)}, "steal 0.8% over 5 s"),
        ("load", {"activity": Activity(5, 0.34, 0.0)}, "other load 34% over 5 s"),
        ("swap", {"swap_used_bytes": 300 << 20}, "300 MB"),
        ("cgroup", {"core_limit": 1.5}, "a CPU quota of 1.5 cores"),
        ("clock", {"clock_source": "hpet"}, "hpet"),
        ("perf", {"perf": False}, "cannot be used"),
    ],
)
def test_what_is_not_well_is_said_with_advice(
    make: Make, metal: Machine, name: str, change: dict[str, object], shown: str
) -> None:
    found = checks(replace(metal, **change), TWO, CORES)  # type: ignore[arg-type]
    assert [check.name for check in found if not check.ok] == [name]
    assert shown in of(found, name).show
    assert of(found, name).advice


def test_one_core_is_said(make: Make, metal: Machine) -> None:
    check = of(checks(metal, Cpus((0,), (0,)), CORES), "cores")
    assert not check.ok
    assert "1 core only" in check.show


def test_two_threads_of_one_core_are_said(make: Make, metal: Machine) -> None:
    check = of(checks(metal, Cpus((0,), (2,)), CORES), "siblings")
    assert (check.ok, "CPUs 0 and 2" in check.show) == (False, True)


def test_silence_is_not_a_fault(make: Make, metal: Machine) -> None:
    silent = replace(metal, boost=None, clock_source=None, cgroup_version=None, swap_bytes=0)
    assert all(check.ok for check in checks(silent, TWO, CORES))
