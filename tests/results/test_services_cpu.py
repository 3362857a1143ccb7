"""The gate on services that are the limit, such as a database on the generator's CPU."""

from __future__ import annotations

import pytest

from deadheat.model.observation import ServiceRan
from deadheat.report.gates import advice
from deadheat.results.gates import own
from deadheat.results.tally import Tally, tallied
from tests.made.observed import observations, race
from tests.made.slices import COUNTED_NS, LEAD_IN_NS

TURN_NS = LEAD_IN_NS + COUNTED_NS
ENGINE_CPU_NS = COUNTED_NS // 10


def loaded(services_cpu_ns: int | None, cpus: tuple[int, ...] = (1,)) -> Tally:
    """A race beside a database that used so much in each turn."""
    one = {"services_cpu_ns": services_cpu_ns, "engine_cpu_ns": ENGINE_CPU_NS, "started_ns": 0}
    seen = observations(race(), changed={"fast": {**one, "drained_ns": TURN_NS}})
    ran = ServiceRan(race="echo", block=0, service="db", program="postgres", cpus=cpus, ready_ms=1, cpu_s=1)
    return tallied(race(), [*seen, ran])


@pytest.mark.parametrize(
    ("used", "cpus", "ok"),
    [(0.7, (1,), True), (0.85, (1,), False), (0.85, (1, 2), True)],
    ids=["to spare", "none to spare beside the generator", "on two CPUs"],
)
def test_services_and_generator_have_cpu_to_spare_or_are_the_limit(
    used: float, cpus: tuple[int, ...], ok: bool
) -> None:
    gate = own.services_cpu(loaded(round(used * TURN_NS), cpus), "fast")
    assert gate is not None
    assert gate.ok == ok
    assert gate.value == pytest.approx((used + 0.1) / len(cpus))
    assert ok or "they used 85% and the generator 10% of the CPUs" in (advice(gate) or "")


def test_the_generator_uses_nothing_of_what_services_have_for_themselves() -> None:
    tally = loaded(round(0.85 * TURN_NS))
    tally.services = [one.model_copy(update={"beside_load": False}) for one in tally.services]
    gate = own.services_cpu(tally, "fast")
    assert gate is not None
    assert gate.ok
    assert gate.value == pytest.approx(0.85)


def test_cpu_a_request_may_be_judged_where_services_are_the_limit() -> None:
    limited = loaded(round(0.95 * TURN_NS))
    limited.race = limited.race.replaced(judged_by="cpu")
    gate = own.services_cpu(limited, "fast")
    assert gate is not None
    assert gate.ok


def test_a_race_without_services_has_no_such_gate() -> None:
    assert own.services_cpu(loaded(None), "fast") is None
    assert own.services_cpu(tallied(race(), observations(race())), "fast") is None
