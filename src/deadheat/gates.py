"""Checks on the measurement itself. A broken gate means no verdict, never a footnote."""

from collections.abc import Callable, Iterable

import numpy as np

from deadheat import contamination, outside_gates, stats
from deadheat.gate import gate_result
from deadheat.model.observation import Slice
from deadheat.model.result import GateResult
from deadheat.tally import Tally, throughput_rps

GENERATOR_CPU_LIMIT = 0.85
CEILING_SHARE_LIMIT = 0.90
SERVER_CPU_LIMIT = 0.90
LITTLES_LAW_LIMIT = 0.05
FLATNESS_LIMIT = 0.02
MIN_BLOCKS = 3
# Broken, these say that the figure is only a lower bound.
GENERATOR_LIMITED = ("generator-cpu", "below-ceiling")


def of_contender(tally: Tally, entry: str, ceiling: str | None) -> tuple[GateResult, ...]:
    """The gates that one contender's own measurement must hold."""
    gates = [right_answers(tally, entry)]
    gates += list(_if_known(server_limited, tally, entry, tally.race.metric))
    slices = tally.slices(entry)
    if slices:
        gates += [errors(slices), littles_law(slices), generator_cpu(slices, tally.race.generator_threads)]
        gates.append(server_cpu_known(slices))
        gates += list(_if_known(below_ceiling, tally, entry, ceiling))
        gates += list(_if_known(flatness, tally, entry, tally.race.reference_entry))
    gates += contamination.of_contender(tally, entry)
    if (run := tally.outside_run(entry)) is not None:
        gates += outside_gates.of_run(run)
    return tuple(gates)


def of_workload(tally: Tally) -> tuple[GateResult, ...]:
    """The gates of the race as a whole, the null pair apart. A study's own method asks for one figure."""
    if tally.race.outside is not None:
        return ()
    return (enough_blocks(tally), *contamination.of_race(tally))


def right_answers(tally: Tally, entry: str) -> GateResult:
    """Full conformance was passed before any timing."""
    contender = next(e.contender for e in tally.race.entries if e.id == entry)
    checked = tally.checked.get(contender)
    ok = checked is not None and checked.ok
    cases = float(checked.cases) if checked else None
    advice = f"deadheat check {contender} shows the whole exchange"
    return gate_result("right-answers", ok, cases, "all cases", advice)


def errors(slices: list[Slice]) -> GateResult:
    """Every response was checked, and every one was right."""
    total = sum(sum(s.errors.values()) for s in slices)
    first = next((s.first_error for s in slices if s.first_error), "no detail")
    advice = f"{total} requests went wrong under load; the first: {first}"
    return gate_result("errors", total == 0, float(total), "0", advice)


def littles_law(slices: list[Slice]) -> GateResult:
    """The sum of latencies is the time integral of requests in flight (Little 1961).

    True on average only: a request counts with its whole latency where its reply falls, so a stall at a
    slice's edge moves the figure. Broken where the interval over blocks lies wholly beyond the limit.
    """
    blocks = sorted({s.block for s in slices})
    ratios = [_little([s for s in slices if s.block == block]) for block in blocks]
    estimate = stats.estimate(np.array([r for r in ratios if np.isfinite(r)]))
    value = estimate.ratio
    limit = float(np.log1p(LITTLES_LAW_LIMIT))
    ok = value is not None and estimate.low <= limit and estimate.high >= -limit
    advice = "latencies and requests in flight contradict each other: report this as a bug"
    return gate_result("littles-law", ok, value, f"1 +-{LITTLES_LAW_LIMIT:.0%}", advice)


def generator_cpu(slices: list[Slice], threads: int) -> GateResult:
    """The generator had CPU to spare on each thread, so that the race is not about the generator."""
    limit = f"below {GENERATOR_CPU_LIMIT:.0%}"
    counted = sum(s.counted_until_ns - s.counted_from_ns for s in slices)
    if counted <= 0:
        nothing = "no slice has a counted part: report this run's journal"
        return gate_result("generator-cpu", False, None, limit, nothing)
    share = sum(s.engine_cpu_ns for s in slices) / counted / threads
    server = sum(s.server_cpu_ns or 0 for s in slices) / counted
    ok = share < GENERATOR_CPU_LIMIT
    advice = (
        f"generator-limited: the generator used {share:.0%} of its core and the server {server:.0%} of its: "
        "the figure is a lower bound; lower --connections, or give the generator another core"
    )
    return gate_result("generator-cpu", ok, share, limit, advice)


def server_cpu_known(slices: list[Slice]) -> GateResult:
    """The server's CPU clock could be read at the edges of every slice: no process of it came or went."""
    unknown = sum(s.server_cpu_ns is None for s in slices)
    ok = unknown <= len(slices) * 0.05
    advice = "processes of this server come and go under load (a worker that dies?)"
    return gate_result("server-cpu-known", ok, 1 - unknown / len(slices), "95% of slices", advice)


def server_limited(tally: Tally, entry: str, metric: str) -> GateResult | None:
    """Of a client program: wall time means the client only where the server had time to spare."""
    turns = [turn for turn in tally.invocations(entry) if turn.server_cpu_s is not None]
    if not turns:
        return None
    wall = sum(turn.own_wall_s or turn.wall_s for turn in turns)
    share = sum(turn.server_cpu_s or 0.0 for turn in turns) / wall
    limited = share > SERVER_CPU_LIMIT
    judged = metric != "cpu_s"
    advice = f"server-limited: the server used {share:.0%} of its core, so wall time is the server's; "
    advice += "the verdict is on CPU time" if not judged else "race against the sink, or judge CPU time"
    return GateResult(
        name="server-limited",
        ok=not (limited and judged),
        value=share,
        limit=f"at most {SERVER_CPU_LIMIT:.0%}, where wall time is judged",
        advice=advice if limited else None,
    )


def below_ceiling(tally: Tally, entry: str, ceiling: str) -> GateResult | None:
    """The contender is clearly slower than the least possible work on this machine."""
    blocks = tally.common_blocks(entry, ceiling)
    if entry == ceiling or not blocks:
        return None
    pair = stats.compare(
        tally.series(entry, throughput_rps, blocks), tally.series(ceiling, throughput_rps, blocks)
    )
    ok = pair.ratio is None or pair.ratio < CEILING_SHARE_LIMIT
    limit = f"below {CEILING_SHARE_LIMIT:.0%} of the ceiling"
    advice = "generator-limited: as fast as this machine's ceiling, so only a lower bound"
    return gate_result("below-ceiling", ok, pair.ratio, limit, advice)


def flatness(tally: Tally, entry: str, reference: str) -> GateResult | None:
    """First against second half of the counted part, next to the reference's: else the lead-in is short."""
    blocks = tally.common_blocks(entry, reference)
    if entry == reference or len(blocks) < 2:
        return None
    halves = [_half_ratios(tally, entry, b) - _half_ratios(tally, reference, b) for b in blocks]
    estimate = stats.estimate(np.array([h for h in halves if np.isfinite(h)]))
    if estimate.log_ratio is None:
        return None
    ok = estimate.low <= FLATNESS_LIMIT and estimate.high >= -FLATNESS_LIMIT
    advice = (
        "the counted part of the slices is not flat: at its first look a race takes a longer lead-in by "
        "itself; where that does not help, this server has no steady rate within a slice"
    )
    return gate_result("flat", ok, estimate.log_ratio, f"0 +-{FLATNESS_LIMIT:.0%}", advice)


def enough_blocks(tally: Tally) -> GateResult:
    """An interval over blocks needs blocks."""
    ok = len(tally.blocks) >= MIN_BLOCKS
    advice = "race longer: --budget, or deadheat race --resume"
    return gate_result("enough-blocks", ok, float(len(tally.blocks)), f"at least {MIN_BLOCKS}", advice)


def _little(slices: list[Slice]) -> float:
    """The log of the sum of latencies over the integral of requests in flight."""
    latency, in_flight = sum(s.latency_sum_ns for s in slices), sum(s.in_flight_ns for s in slices)
    return float(np.log(latency / in_flight)) if latency and in_flight else np.nan


def _half_ratios(tally: Tally, entry: str, block: int) -> float:
    """The log of replies in the first half of the counted part over those in the second, over a block."""
    first = second = 0
    for turn in tally.turns[entry][block]:
        assert isinstance(turn, Slice)
        skip = round((turn.counted_from_ns - turn.started_ns) / 1e6 / turn.bin_ms)
        # The engine's last bin is the rest of the span, narrower than the others.
        counted = turn.bins[skip : skip + int(turn.counted_s * 1000 / turn.bin_ms)]
        half = len(counted) // 2
        first += sum(counted[:half])
        second += sum(counted[len(counted) - half :])
    return float(np.log(first / second)) if first and second else np.nan


def _if_known(
    gate: Callable[[Tally, str, str], GateResult | None], tally: Tally, entry: str, other: str | None
) -> Iterable[GateResult]:
    result = gate(tally, entry, other) if other is not None else None
    if result is not None:
        yield result
