"""The gates on load from other hosts: that they began together, and that the network was not the limit."""

from __future__ import annotations

import pytest

from deadheat.model.observation import NetworkFloor, Slice
from deadheat.model.observation.turns import GeneratorShare
from deadheat.report.gates import advice
from deadheat.results.gates import elsewhere, own
from tests.made.slices import COUNTED_NS, LEAD_IN_NS, made_slice


def share(host: str, *, late_ns: int = 0, error_ns: int = 0, cpu_ns: int = 0) -> GeneratorShare:
    return GeneratorShare(
        host=host,
        late_ns=late_ns,
        clock_error_ns=error_ns,
        replies=100,
        errors=0,
        latency_sum_ns=1,
        engine_cpu_ns=cpu_ns,
        loop_delay_max_ns=0,
    )


def slices(*shares: GeneratorShare, count: int = 20, **changed: object) -> list[Slice]:
    """So many alike; the counted part begins LEAD_IN_NS after the start."""
    return [
        made_slice("echo", 0, n, 0, "fast", 100).replaced(generators=shares, **changed) for n in range(count)
    ]


def floor(bytes_per_s: float) -> NetworkFloor:
    return NetworkFloor(host="10.0.0.2", rtt_s=1e-4, rtt_p99_s=2e-4, bytes_per_s=bytes_per_s)


def test_they_begin_together() -> None:
    near = LEAD_IN_NS // 20
    gate = elsewhere.generators_together(slices(share("a"), share("b", late_ns=near, error_ns=1000)))
    assert gate is not None and gate.ok and gate.value == pytest.approx(0.05, abs=0.001)


@pytest.mark.parametrize("late", [{"late_ns": LEAD_IN_NS // 5}, {"error_ns": LEAD_IN_NS // 5}])
def test_one_that_is_late_or_may_be_breaks_it(late: dict[str, int]) -> None:
    gate = elsewhere.generators_together(slices(share("a"), share("b", **late)))
    assert gate is not None and not gate.ok
    assert "20% of the lead-in apart: deadheat cluster doctor" in str(advice(gate))


def test_one_slice_of_twenty_may_be_late() -> None:
    seen = slices(share("a"), share("b"), count=30)
    seen[3:4] = slices(share("a"), share("b", late_ns=LEAD_IN_NS), count=1)
    gate = elsewhere.generators_together(seen)
    assert gate is not None and gate.ok


def test_beside_its_servers_a_generator_waits_for_nobody() -> None:
    assert elsewhere.generators_together(slices()) is None
    assert elsewhere.network_limited(slices(), [floor(1e6)]) is None


@pytest.mark.parametrize(("crossed", "ok"), [(0.5, True), (0.9, False)])
@pytest.mark.parametrize("way", ["bytes_in", "bytes_out"])
def test_the_network_has_room_to_spare(crossed: float, ok: bool, way: str) -> None:
    """Two hosts carry twice what one does."""
    room = 2 * 100e6
    seen = slices(share("a"), share("b"), **{way: round(crossed * room * COUNTED_NS / 1e9)})
    gate = elsewhere.network_limited(seen, [floor(100e6), floor(100e6)])
    assert gate is not None and gate.ok == ok
    if not ok:
        assert "180 MB/s crossed a network that carries 200" in str(advice(gate))


def test_of_several_generators_the_busiest_is_held_to_the_limit() -> None:
    """One that is at its limit holds all up, whatever the others have left."""
    seen = slices(share("a", cpu_ns=COUNTED_NS * 95 // 100), share("b"), engine_cpu_ns=COUNTED_NS)
    assert not own.generator_cpu(seen, 1).ok
    seen = slices(
        share("a", cpu_ns=COUNTED_NS // 2), share("b", cpu_ns=COUNTED_NS // 2), engine_cpu_ns=COUNTED_NS
    )
    assert own.generator_cpu(seen, 1).ok
