"""What serving a rate costs: cores, machines and money, of a race's own figures and the prices of a user."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from deadheat.model.result import ContenderResult, Interval, LatencyAtLoad, RaceResult

HOUR_S = 3600
MILLION = 1e6
GB = 1e9

# Of a server that runs elsewhere, for one.
UNMETERED = "its memory was not metered"


@dataclass(frozen=True)
class Prices:
    """Of a core and of a gigabyte of memory for an hour, in any currency."""

    core_hour: float
    gb_hour: float = 0.0


@dataclass(frozen=True)
class Wanted:
    """`rate_rps`: what is to be served, None: as much as the machines can; `p99_s`: what the 99th percentile
    may be at most, seconds."""

    prices: Prices
    rate_rps: float | None = None
    p99_s: float | None = None


@dataclass(frozen=True)
class Cost:
    """Of one contender; each pair is from the cheapest that the figures allow to the dearest.

    `cpu_cores`: CPU time alone, as if cores could be filled. `machine_rps`: what a machine of the race's
    server cores serves. Of the others all are None, with the reason in `why`, where nothing that was measured
    keeps within the wanted latency.
    """

    contender: str
    cpu_cores: Interval | None
    machine_rps: Interval | None = None
    machines: tuple[int, int] | None = None
    million: Interval | None = None
    why: str | None = None


def costs(race: RaceResult, cores: int, wanted: Wanted) -> list[Cost]:
    """Of each contender that was measured under load, the cheapest first by what it costs at most; `cores`:
    those of the race's servers."""
    rows = [row for row in race.contenders if row.status == "measured" and row.class_ != "ceiling"]
    found = [_cost(row, cores, wanted) for row in rows if row.figures.throughput_rps is not None]
    return sorted(found, key=lambda one: (one.million[1] if one.million else math.inf, one.contender))


def _cost(row: ContenderResult, cores: int, wanted: Wanted) -> Cost:
    figures = row.figures
    assert figures.throughput_rps is not None
    full = figures.throughput_rps.ci or (figures.throughput_rps.estimate,) * 2
    cpu = figures.cpu_us_per_request
    cpu_cores = None
    if cpu is not None:
        served = (wanted.rate_rps,) * 2 if wanted.rate_rps is not None else full
        used = cpu.ci or (cpu.estimate, cpu.estimate)
        cpu_cores = (served[0] * used[0] / MILLION, served[1] * used[1] / MILLION)
    can = full if wanted.p99_s is None else _within(figures.latency_at_load, wanted.p99_s * 1e3, full[1])
    if isinstance(can, str):
        return Cost(row.id, cpu_cores, why=can)
    if row.peak_memory_range_bytes is None and row.peak_memory_bytes is None:
        return Cost(row.id, cpu_cores, why=UNMETERED)
    memory = row.peak_memory_range_bytes or (row.peak_memory_bytes or 0,) * 2
    machines = None
    if wanted.rate_rps is not None:
        machines = (math.ceil(wanted.rate_rps / can[1]), math.ceil(wanted.rate_rps / can[0]))
    hour = [cores * wanted.prices.core_hour + one / GB * wanted.prices.gb_hour for one in memory]
    # What one machine's hour is paid for: its share of the rate, where whole machines are bought for one.
    each = [
        can[1] if machines is None or wanted.rate_rps is None else wanted.rate_rps / machines[0],
        can[0] if machines is None or wanted.rate_rps is None else wanted.rate_rps / machines[1],
    ]
    million = (hour[0] / (each[0] * HOUR_S) * MILLION, hour[1] / (each[1] * HOUR_S) * MILLION)
    return Cost(row.id, cpu_cores, can, machines, million)


def _within(loads: Sequence[LatencyAtLoad], limit_ms: float, most_rps: float) -> Interval | str:
    """From the highest rate at which the whole interval of the 99th percentile is within the limit, to the
    lowest above it at which the whole interval is beyond, or to all that a machine can; or why none is."""
    known = [
        (one.at_rps, p99) for one in loads if one.gate.ok and (p99 := one.latency_ms.get("p99")) is not None
    ]
    if not known:
        return "its 99th percentile was measured at no rate"
    held = [rate for rate, p99 in known if (p99.ci or (0.0, p99.estimate))[1] <= limit_ms]
    if not held:
        lowest, p99 = min(known, key=lambda one: one[0])
        ci = f" ({p99.ci[0]:.3g} to {p99.ci[1]:.3g})" if p99.ci is not None else ""
        return (
            f"its 99th percentile is {p99.estimate:.3g} ms{ci} at {lowest:,.0f} a second, the lowest measured"
        )
    low = max(held)
    broken = [rate for rate, p99 in known if rate > low and (p99.ci or (p99.estimate,))[0] > limit_ms]
    return low, max(low, min([*broken, most_rps]))
