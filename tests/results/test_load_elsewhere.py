"""The gates on load from other hosts: that they began together, and that the network was not the limit."""

from __future__ import annotations

import pytest

from deadheat.model.finding import LoadFromHosts, LoadHost, NetworkPart
from deadheat.model.observation import Interference, NetworkFloor, ServiceRan, Slice
from deadheat.model.observation.turns import GeneratorShare
from deadheat.report import findings
from deadheat.report.gates import advice
from deadheat.results import load_from
from deadheat.results.gates import elsewhere, own
from deadheat.results.tally import Tally
from tests.made.observed import race as race_of
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


def test_a_report_says_what_the_hosts_did_and_which_part_the_network_is() -> None:
    told = LoadFromHosts(
        hosts=(
            LoadHost(
                host="10.0.0.4",
                generator=0.43,
                in_bytes_per_s=12e6,
                out_bytes_per_s=3.1e6,
                rtt_ms=0.21,
                rtt_p99_ms=0.4,
                clock_ahead_ms=-12.5,
                clock_error_ms=0.02,
            ),
        )
    )
    said = findings.sentence(told)
    assert said.startswith("load from 10.0.0.4 (generator 43% of a core, 12.0 MB/s in, 3.1 out, 210")
    assert "clock -12.50 ms of the servers', to 0.02 ms" in said
    part = findings.sentence(NetworkPart(rtt_ms=0.2, p50_ms={"go": 0.4, "node": 0.8}))
    assert part.endswith("of each answer, there and back: 50% of go's p50, 25% of node's p50")


def test_the_figures_of_hosts_come_of_slices_counters_and_floors() -> None:
    """Two hosts, of which one's clock is a second behind and one's network was looked at."""
    tally = Tally(race_of())
    seen = slices(share("10.0.0.2", cpu_ns=COUNTED_NS // 2), share("10.0.0.3", cpu_ns=COUNTED_NS // 10))
    behind = [
        one.replaced(generators=(one.generators[0], one.generators[1].replaced(clock_ahead_ns=-(10**9))))
        for one in seen
    ]
    tally.turns["fast"] = {0: list(behind)}
    tally.network.append(floor(1e8))
    around = Interference(race="echo", block=0, cpus=(1,), wall_ns=2 * 10**9, busy_ns=0, own_ns=0,
                          others_ns=0, steal_ns=0, iowait_ns=0, network_in_bytes=4_000_000,
                          network_out_bytes=2_000_000, host="10.0.0.2")  # fmt: skip
    tally.interference.append(around)
    [found] = load_from.hosts(tally)
    near, far = found.hosts
    assert near.generator == pytest.approx(0.5)
    assert far.generator == pytest.approx(0.1)
    assert (near.in_bytes_per_s, near.out_bytes_per_s) == (2e6, 1e6)
    assert near.rtt_ms == pytest.approx(0.1)
    assert far.in_bytes_per_s is None and far.rtt_ms is None and far.clock_ahead_ms == -1000


FAR = "10.0.0.9"


def with_services(in_bytes: int, *, host: str | None = FAR) -> Tally:
    """A block in which one contender gave 100 replies in each of 10 slices, another 300, while so many bytes
    went to the machine of their services, which used half of its two CPUs."""
    tally = Tally(race_of())
    for entry, replies in (("fast", 300), ("slow", 100)):
        turns = [made_slice("echo", 0, n, 0, entry, replies) for n in range(10)]
        tally.turns[entry] = {0: [one.replaced(services_cpu_ns=COUNTED_NS) for one in turns]}
    tally.services.append(
        ServiceRan(race="echo", block=0, service="postgres", host=host, program="postgres", cpus=(0, 1),
                   ready_ms=1.0, cpu_s=2.0)
    )  # fmt: skip
    tally.services_network.append(floor(100e6).replaced(host=FAR, role="services"))
    tally.interference.append(
        Interference(race="echo", block=0, cpus=(0, 1), wall_ns=2 * 10**9, busy_ns=0, own_ns=0, others_ns=0,
                     steal_ns=0, iowait_ns=0, network_in_bytes=in_bytes, network_out_bytes=0, host=FAR)
    )  # fmt: skip
    return tally


def test_the_network_to_the_services_by_each_ones_part_of_the_replies() -> None:
    """Whoever gives three times as many replies in the same time had three times as many of the bytes."""
    loaded_s = 10 * (LEAD_IN_NS + COUNTED_NS) / 1e9
    tally = with_services(round(120e6 * loaded_s))
    fast, slow = (elsewhere.services_network(tally, entry) for entry in ("fast", "slow"))
    assert fast is not None and slow is not None
    assert fast.value == pytest.approx(0.9, rel=0.01)
    assert slow.value == pytest.approx(0.3, rel=0.01)
    assert slow.ok and not fast.ok
    assert "90 MB/s crossed the network to the services on 10.0.0.9, which carries 100" in str(advice(fast))
    assert fast.name in own.LOWER_BOUND


def test_a_full_network_is_no_matter_where_cpu_is_judged() -> None:
    tally = with_services(10**12)
    tally.race = tally.race.replaced(judged_by="cpu")
    gate = elsewhere.services_network(tally, "fast")
    assert gate is not None and gate.ok


def test_beside_the_servers_there_is_no_such_network() -> None:
    tally = with_services(10**12, host=None)
    tally.services_network.clear()
    assert elsewhere.services_network(tally, "fast") is None
    assert [*load_from.services(tally)] == []


def test_services_on_a_machine_of_their_own_have_its_cpus_for_themselves() -> None:
    """The generator, which used a fifth of a CPU, is on another."""
    apart, beside = (own.services_cpu(with_services(0, host=host), "fast") for host in (FAR, None))
    assert apart is not None and beside is not None
    assert apart.facts["generator"] == 0 != beside.facts["generator"]
    assert apart.value == pytest.approx(COUNTED_NS / (LEAD_IN_NS + COUNTED_NS) / 2)
    assert "limited by its services, which used 33% of their CPUs" in str(advice(apart.replaced(ok=False)))
    assert "the CPUs that they share" in str(advice(beside.replaced(ok=False)))


def test_a_report_says_what_the_services_used_on_their_machine() -> None:
    [found] = load_from.services(with_services(4_000_000))
    assert found.used == pytest.approx(0.5)
    assert findings.sentence(found).startswith(
        "postgres on 10.0.0.9 (50% of its 2 CPUs, 2.0 MB/s in, 0.0 out, 100"
    )
