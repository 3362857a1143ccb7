"""What serving costs, against the arithmetic done by hand."""

from __future__ import annotations

import pytest

from deadheat.model.gate import GateResult
from deadheat.model.result import BySlices, LatencyAtLoad, Measure, RaceResult, ServerResult
from deadheat.report import cost as words
from deadheat.results.cost import Prices, Wanted, costs

SERVES = ("90,000", "to", "110,000", "requests/s")
MEMORY = (500_000_000, 1_000_000_000)


def at_load(rps: float, p99_ms: tuple[float, float, float] | None, *, ok: bool = True) -> LatencyAtLoad:
    measure = None
    if p99_ms is not None:
        measure = Measure(estimate=p99_ms[1], ci=(p99_ms[0], p99_ms[2]), blocks=())
    return LatencyAtLoad(
        load=0.5,
        at_rps=rps,
        achieved_rps=rps,
        queue_max=1,
        latency_ms={"p99": measure},
        service_ms={},
        against_reference={},
        gate=GateResult(name="asked-rate", ok=ok, value=1.0, limit="within 5% of what was asked"),
    )


def server(name: str, rps: tuple[float, float, float], cpu_us: float, *loads: LatencyAtLoad) -> ServerResult:
    return ServerResult(
        name=name,
        title=name,
        language="C",
        class_="idiomatic",
        status="measured",
        throughput_rps=Measure(estimate=rps[1], ci=(rps[0], rps[2]), blocks=()),
        cpu_us_per_request=Measure(estimate=cpu_us, ci=(cpu_us * 0.9, cpu_us * 1.1), blocks=()),
        peak_memory_range_bytes=MEMORY,
        latency_at_load=loads,
    )


def race(*rows: ServerResult) -> RaceResult:
    return RaceResult(
        name="hello",
        kind="http",
        title="Hello",
        question="How many?",
        method="deadheat",
        metric="throughput_rps",
        reference=rows[0].name,
        measured=BySlices(connections=64, streams=1, server_cores=2),
        blocks=8,
        blocks_planned=8,
        slices=100,
        contenders=rows,
        null_pair=None,
        gates=(),
        verdicts=(),
        findings=(),
    )


def test_a_machine_at_its_full_rate() -> None:
    [found] = costs(race(server("a", (9_000, 10_000, 11_000), 100)), 2, Wanted(Prices(0.04, 0.01)))
    assert found.machine_rps == (9_000, 11_000)
    assert found.machines is None
    # Two cores and from 0.5 to 1 GB, over what is served in an hour.
    assert found.million is not None
    assert found.million == pytest.approx((0.085 / (11_000 * 0.0036), 0.09 / (9_000 * 0.0036)))
    # 100 µs a request, give or take 10%, at what it serves.
    assert found.cpu_cores == pytest.approx((9_000 * 90e-6, 11_000 * 110e-6))


def test_whole_machines_are_paid_for() -> None:
    wanted = Wanted(Prices(0.04), rate_rps=50_000)
    [found] = costs(race(server("a", (9_000, 10_000, 11_000), 100)), 2, wanted)
    assert found.machines == (5, 6)
    assert found.cpu_cores == pytest.approx((4.5, 5.5))
    assert found.million == pytest.approx((5 * 0.08 / (50_000 * 0.0036), 6 * 0.08 / (50_000 * 0.0036)))


def test_with_a_latency_a_machine_serves_what_was_seen_to_hold_it() -> None:
    held, broken = at_load(5_000, (8, 10, 12)), at_load(8_000, (25, 30, 40))
    wanted = Wanted(Prices(0.04), p99_s=0.020)
    [found] = costs(race(server("a", (9_000, 10_000, 11_000), 100, held, broken)), 2, wanted)
    assert found.machine_rps == (5_000, 8_000)
    # Nobody knows of a rate at which it breaks, or whether it does there.
    for loads in ([held], [held, at_load(8_000, (15, 19, 25))], [held, at_load(8_000, None)]):
        [found] = costs(race(server("a", (9_000, 10_000, 11_000), 100, *loads)), 2, wanted)
        assert found.machine_rps == (5_000, 11_000)


def test_what_keeps_within_no_latency_has_no_price() -> None:
    wanted = Wanted(Prices(0.04), p99_s=0.005)
    slow = server("slow", (9_000, 10_000, 11_000), 100, at_load(5_000, (8, 10, 12)))
    unknown = server("unknown", (9_000, 10_000, 11_000), 100, at_load(5_000, (1, 2, 3), ok=False))
    quick = server("quick", (900, 1_000, 1_100), 100, at_load(500, (1, 2, 3)))
    found = costs(race(slow, unknown, quick), 2, wanted)
    assert [one.contender for one in found] == ["quick", "slow", "unknown"]
    assert [one.million is None for one in found] == [False, True, True]
    text = "\n".join(words.lines(race(slow), 2, wanted, found))
    assert "hello · machines of 2 cores, p99 within 5 ms" in text
    assert "slow: its 99th percentile is 10 ms (8 to 12) at 5,000 a second, the lowest measured" in text
    assert "unknown: its 99th percentile was measured at no rate" in text


def test_what_was_not_metered_has_no_price() -> None:
    elsewhere = server("a", (9_000, 10_000, 11_000), 100).replaced(peak_memory_range_bytes=None)
    wanted = Wanted(Prices(0.04))
    found = costs(race(elsewhere), 2, wanted)
    assert found[0].million is None
    assert "a: its memory was not metered" in "\n".join(words.lines(race(elsewhere), 2, wanted, found))


def test_the_table() -> None:
    rows = race(server("a", (9_000, 10_000, 11_000), 100), server("b", (90_000, 100_000, 110_000), 10))
    wanted = Wanted(Prices(0.04), rate_rps=50_000)
    title, header, first, second = words.lines(rows, 2, wanted, costs(rows, 2, wanted))
    assert title == "hello · machines of 2 cores, 50,000 requests/s"
    assert header.split("  ")[-1] == "a million requests"
    # Of b one machine is enough: that interval is of no length.
    assert first.split() == ["b", "0.45", "to", "0.55", *SERVES, "1", "0.000444"]
    assert second.split()[:1] == ["a"]
