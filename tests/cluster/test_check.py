"""Which machines may race one race, and which have which part in it: said before anything is raced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deadheat import __version__
from deadheat.cluster import parts
from deadheat.cluster.agent import About
from deadheat.cluster.connection import Node
from deadheat.cluster.inherited import Inherited
from deadheat.cluster.machines import Machine
from deadheat.errors import UserError
from deadheat.plan import Asked
from deadheat.suite.suite import load as load_suite
from tests.end_to_end.bench import hello

FACTS = {"cpu_model": "A CPU", "architecture": "x86_64", "cores": 2, "memory_bytes": 2**33, "kernel": "6.1"}
PROGRAMS = {"deadheat-load": "a" * 64, "deadheat-launch": "b" * 64}


def machine(number: int, labels: dict[str, str] | None = None, **facts: Any) -> Machine:
    programs = facts.pop("programs", PROGRAMS)
    version = facts.pop("version", __version__)
    as_found = Inherited(0, 0)
    about = About(
        version=version,
        machine={**FACTS, "id": f"{number:032x}", **facts},
        cores=((0,), (1,)),
        programs=programs,
        before=as_found,
        after=as_found,
        kernel=f"boot {number}",
        pid=1,
    )
    node = Node(str(number), f"10.0.0.{number}", f"host-{number}", labels or {})
    return Machine(f"m{number}", node, None, about)


def refused(machines: list[Machine]) -> str:
    with pytest.raises(UserError) as caught:
        parts.check(machines, unlike=False, known_different=False)
    assert "\n" not in caught.value.message
    return f"{caught.value.message} ({caught.value.hint})"


def test_alike_they_may() -> None:
    parts.check([machine(1), machine(2)], unlike=False, known_different=False)


def test_another_architecture() -> None:
    machines = [machine(1), machine(2, architecture="aarch64")]
    said = refused(machines)
    assert "the machines are unlike: architecture: x86_64 in m1, aarch64 in m2" in said
    assert "--unlike-machines races on them all the same, and says nothing of any kind" in said
    parts.check(machines, unlike=True, known_different=False)


def test_another_build_of_our_own_programs() -> None:
    other = {**PROGRAMS, "deadheat-load": "c" * 64}
    said = refused([machine(1), machine(2, programs=other)])
    assert "deadheat-load: aaaaaaaaaaaa in m1, cccccccccccc in m2" in said


def test_another_version() -> None:
    assert "m2 (host-2, 10.0.0.2) has Deadheat 0.0.1" in refused([machine(1), machine(2, version="0.0.1")])


def test_one_machine_is_no_second() -> None:
    assert "only m1 (host-1, 10.0.0.1) can race: that is no second machine" in refused([machine(1)])


def of(
    tmp_path: Path,
    machines: list[Machine],
    load: str,
    servers: str | None = None,
    services: str | None = None,
) -> tuple[str, ...]:
    """Names of the machines: of the servers, of those that load, of the services."""
    suite = load_suite(hello(tmp_path / "suite", copies=["copy"]).path)
    named = {"load": load, "servers": servers, "services": services}
    labels = parts.Labels(**{part: {"role": role} for part, role in named.items() if role})
    apart, plan = parts.apart(machines, labels, Asked(), suite)
    assert plan.disturbance is not None and plan.disturbance.late == 0.1
    each = (apart.servers, *apart.load, *((apart.services,) if apart.services else ()))
    return tuple(one.name for one in each)


def test_parts_go_by_label(tmp_path: Path) -> None:
    machines = [machine(1), machine(2, {"role": "load"}), machine(3, {"role": "serve"})]
    assert of(tmp_path, machines, "load") == ("m1", "m2")


def test_the_servers_machine_by_label(tmp_path: Path) -> None:
    machines = [machine(1), machine(2, {"role": "load"}), machine(3, {"role": "serve"})]
    assert of(tmp_path, machines, "load", "serve") == ("m3", "m2")


def test_services_have_a_machine_of_their_own(tmp_path: Path) -> None:
    machines = [machine(1, {"role": "data"}), machine(2, {"role": "load"}), machine(3, {"role": "serve"})]
    assert of(tmp_path, machines, "load", None, "data") == ("m3", "m2", "m1")


@pytest.mark.parametrize(
    ("roles", "services", "said"),
    [
        (["a", "load"], "load", "m2 (host-2, 10.0.0.2), which has the services, is the only machine with"),
        (["data", "load"], "data", "role=load or the services (m1 (host-1, 10.0.0.1)): none is left for the"),
        (["a", "load"], "data", "no machine has the label role=data"),
    ],
)
def test_fewer_machines_than_parts_with_services(
    tmp_path: Path, roles: list[str], services: str, said: str
) -> None:
    machines = [machine(number, {"role": role}) for number, role in enumerate(roles, 1)]
    with pytest.raises(UserError) as caught:
        of(tmp_path, machines, "load", None, services)
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("labels", "servers_on", "said"),
    [
        (["none"], None, "no machine has the label role=load: m1 (host-1, 10.0.0.1): role=none"),
        (["load", "load"], None, "all machines have the label role=load: none is left for the servers"),
        (
            ["load", "other"],
            "serve",
            "no machine has the label role=serve: m2 (host-2, 10.0.0.2): role=other",
        ),
    ],
)
def test_fewer_machines_than_parts(
    tmp_path: Path, labels: list[str], servers_on: str | None, said: str
) -> None:
    machines = [machine(number, {"role": label}) for number, label in enumerate(labels, 1)]
    with pytest.raises(UserError) as caught:
        of(tmp_path, machines, "load", servers_on)
    assert said in caught.value.message and "\n" not in caught.value.message


def test_load_is_made_by_one_build(tmp_path: Path) -> None:
    """Whoever answers for machines of several kinds too."""
    other = {**PROGRAMS, "deadheat-load": "c" * 64}
    machines = [machine(1), machine(2, {"role": "load"}, programs=other)]
    with pytest.raises(
        UserError, match="deadheat-load is not the same build on all machines: aaaaaaaaaaaa on m1"
    ):
        of(tmp_path, machines, "load")
