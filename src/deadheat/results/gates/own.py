"""Checks on the measurement itself. A broken gate means no verdict, never a footnote."""

from collections.abc import Sequence

import numpy as np

from deadheat import stats
from deadheat.model.gate import GateResult
from deadheat.model.measured import SlicePlan
from deadheat.model.observation import Slice, StatementsRan
from deadheat.results import long_turns
from deadheat.results.gates.gate import gate_result
from deadheat.results.gates.limits import GENERATOR_CPU, GENERATOR_SHARE, LITTLES_LAW
from deadheat.results.tally import Tally
from deadheat.results.values import throughput_rps

CEILING_SHARE_LIMIT = 0.90
SERVER_CPU_LIMIT = 0.90
SERVICES_CPU = 0.90
FLATNESS_LIMIT = 0.02
RISING_LIMIT = 0.25
DRIFT_LIMIT = 0.10
# Broken, these say that the figure is only a lower bound.
LOWER_BOUND = ("generator-cpu", "services-cpu", "services-network", "network-limited", "below-ceiling")


def right_answers(tally: Tally, entry: str) -> GateResult:
    """Full conformance was passed before any timing, of this run or of an earlier one of the same build."""
    contender = next(e.contender for e in tally.race.entries if e.id == entry)
    checked = tally.checked.get(contender)
    ok = checked is not None and checked.ok
    cases = float(checked.cases) if checked else None
    return gate_result("right-answers", ok, cases, "all cases", contender=contender)


def errors(slices: list[Slice]) -> GateResult:
    """Every response was checked, and every one was right."""
    total = sum(sum(s.errors.values()) for s in slices)
    first = next((s.first_error for s in slices if s.first_error), None)
    return gate_result("errors", total == 0, float(total), "0", first_error=first)


def littles_law(slices: list[Slice]) -> GateResult:
    """The sum of latencies is the time integral of requests in flight (Little 1961).

    True on average only: a request counts with its whole latency where its reply falls, so a stall at a
    slice's edge moves the figure. Broken where the interval over blocks lies wholly beyond the limit.
    """
    blocks = sorted({s.block for s in slices})
    ratios = [_little([s for s in slices if s.block == block]) for block in blocks]
    estimate = stats.estimate(np.array([r for r in ratios if np.isfinite(r)]))
    value = estimate.ratio
    ok = value is not None and _reaches_within(estimate, float(np.log1p(LITTLES_LAW)))
    longest_ns = max((s.latency_max_ns for s in slices), default=0)
    turn_ns = max((s.counted_until_ns - s.started_ns for s in slices), default=0)
    waits = {"longest_ms": longest_ns / 1e6, "turn_ms": turn_ns / 1e6}
    return gate_result("littles-law", ok, value, f"1 +-{LITTLES_LAW:.0%}", **waits)


def generator_cpu(slices: list[Slice], threads: int) -> GateResult:
    """The generator had CPU to spare on each thread, so that the race is not about the generator."""
    limit = f"below {GENERATOR_CPU:.0%}"
    counted = sum(s.counted_until_ns - s.counted_from_ns for s in slices)
    if counted <= 0:
        return gate_result("generator-cpu", False, None, limit)
    share = sum(map(_busiest_ns, slices)) / counted / threads
    known = [s.server_cpu_ns for s in slices if s.server_cpu_ns is not None]
    server = sum(known) / counted if known else None
    ok = share < GENERATOR_CPU
    return gate_result("generator-cpu", ok, share, limit, generator=share, server=server)


def _busiest_ns(turn: Slice) -> int:
    """CPU time of the generator, of several that of the one which used most."""
    return max((one.engine_cpu_ns for one in turn.generators), default=turn.engine_cpu_ns)


def services_cpu(tally: Tally, entry: str) -> GateResult | None:
    """The services, such as a database, and the generator where it is beside them had CPU to spare, so that
    the race is not about them. None where there are no services."""
    known = [s for s in tally.slices(entry) if s.services_cpu_ns is not None]
    cpus = len({cpu for service in tally.services for cpu in service.cpus})
    counted = sum(s.counted_until_ns - s.counted_from_ns for s in known)
    if not cpus or not counted:
        return None
    loaded = sum(s.took_ns for s in known)
    services = sum(s.services_cpu_ns or 0 for s in known) / loaded / cpus
    apart = any(service.host is not None or not service.beside_load for service in tally.services)
    generator = 0.0 if apart else sum(s.engine_cpu_ns for s in known) / counted / cpus
    share = services + generator
    ok = share < SERVICES_CPU or tally.race.judged_by != "throughput"
    limit = f"below {SERVICES_CPU:.0%}, where throughput is judged"
    return gate_result("services-cpu", ok, share, limit, services=services, generator=generator)


def database_statements(tally: Tally, entry: str) -> GateResult | None:
    """By its database's own count each reply took the statements and rows that it needs, in every block. None
    where it has no database, or one that counts nothing."""
    blocks = [block for block in tally.statements.get(entry, ()) if block.statements is not None]
    if not blocks:
        return None
    first = blocks[0]
    if first.at_most is not None:
        return _read_once(blocks, first.at_most)
    statements, rows, written = (
        first.per_reply,
        first.rows_per_reply or first.per_reply,
        first.written_per_reply,
    )
    each = (statements, rows) if written is None else (statements, rows, written)
    unlike = [b for b in blocks if b.unasked or _counted(b) != tuple(b.replies * number for number in each)]
    facts = {name: sum(getattr(b, name) or 0 for b in blocks) for name in ("replies", "statements", "rows")}
    share = facts["statements"] / facts["replies"] if facts["replies"] else None
    facts |= {"blocks": len(unlike), "per_reply": statements, "rows_per_reply": rows}
    if written is not None:
        facts |= {"written_per_reply": written, "written": sum(b.written or 0 for b in blocks)}
        facts |= {"unasked": sum(b.unasked or 0 for b in blocks)}
    limit = (
        f"{statements} a reply" if set(each) == {statements} else f"{' and '.join(map(str, each))} a reply"
    )
    return gate_result("database-statements", not unlike, share, limit, **facts)


def _read_once(blocks: Sequence[StatementsRan], at_most: int) -> GateResult:
    """Of who keeps rows: in each block it read some, and none of them twice."""
    # A database that counted no read was asked by a statement that hides what it reads.
    unlike = [block for block in blocks if not 0 < (block.rows or 0) <= at_most]
    rows = sum(block.rows or 0 for block in blocks)
    facts = {"blocks": len(unlike), "at_most": at_most, "rows": rows, "of_blocks": len(blocks)}
    facts |= {"replies": sum(block.replies for block in blocks), "per_reply": blocks[0].per_reply}
    share = rows / (at_most * len(blocks))
    limit = f"each of {at_most:,} rows read once"
    return gate_result("database-statements", not unlike, share, limit, **facts)


def _counted(ran: StatementsRan) -> tuple[int | None, ...]:
    counted = (ran.statements, ran.rows)
    return counted if ran.written is None else (*counted, ran.written)


def database_sessions(tally: Tally, entry: str) -> GateResult | None:
    """Its sessions were there before anything was counted, had ended what they did once it had answered, and
    never waited for one another for ever. None where it has no database, or that was not asked."""
    blocks = [block for block in tally.statements.get(entry, ()) if block.sessions_begun is not None]
    if not blocks:
        return None
    found = {
        name: sum(getattr(block, name) or 0 for block in blocks)
        for name in ("sessions_begun", "unsettled", "deadlocks")
    }
    total = sum(found.values())
    return gate_result("database-sessions", total == 0, total, "none begun, left busy or deadlocked", **found)


def generator_share(tally: Tally, entry: str) -> GateResult | None:
    """Of CPUs that the servers share with the generator it took little, so that they had them for
    themselves but for that. None where they have CPUs of their own."""
    share = share_of_cpus(tally, entry)
    if share is None:
        return None
    limit = f"at most {GENERATOR_SHARE:.0%}"
    cpus = len(tally.race.server_cpus or ())
    return gate_result("generator-share", share <= GENERATOR_SHARE, share, limit, cpus=cpus)


def share_of_cpus(tally: Tally, entry: str) -> float | None:
    """What the generator took of the servers' CPUs while it loaded this one, 0 to 1; None where it has others
    or nothing was counted."""
    plan = tally.race.measured
    if not isinstance(plan, SlicePlan) or not plan.shared_cpus or not plan.server_cpus:
        return None
    slices = tally.slices(entry)
    counted = sum(s.counted_until_ns - s.counted_from_ns for s in slices)
    return sum(s.engine_cpu_ns for s in slices) / counted / len(plan.server_cpus) if counted else None


def server_cpu_known(tally: Tally, entry: str, slices: list[Slice]) -> GateResult | None:
    """The server's CPU clock could be read at the edges of every slice: no process of it came or went. None
    where it runs elsewhere, and nobody reads it."""
    if not tally.metered(entry):
        return None
    unknown = sum(s.server_cpu_ns is None for s in slices)
    ok = unknown <= len(slices) * 0.05
    return gate_result("server-cpu-known", ok, 1 - unknown / len(slices), "95% of slices")


def server_limited(tally: Tally, entry: str, metric: str) -> GateResult | None:
    """Of a client program: wall time means the client only where the server had time to spare."""
    turns = [turn for turn in tally.invocations(entry) if turn.server_cpu_s is not None]
    if not turns:
        return None
    wall = sum(turn.own_wall_s or turn.wall_s for turn in turns)
    share = sum(turn.server_cpu_s or 0.0 for turn in turns) / wall
    limited = share > SERVER_CPU_LIMIT
    judged = metric != "cpu_s"
    limit = f"at most {SERVER_CPU_LIMIT:.0%}, where wall time is judged"
    return gate_result("server-limited", not (limited and judged), share, limit, server_limited=limited)


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
    return gate_result("below-ceiling", ok, pair.ratio, limit)


def flatness(tally: Tally, entry: str, reference: str) -> GateResult | None:
    """First against second half of the counted part, next to the reference's: else the lead-in is short."""
    blocks = tally.common_blocks(entry, reference)
    if entry == reference or len(blocks) < 2:
        return None
    halves = [_half_ratios(tally, entry, b) - _half_ratios(tally, reference, b) for b in blocks]
    estimate = stats.estimate(np.array([h for h in halves if np.isfinite(h)]))
    if estimate.log_ratio is None:
        return None
    ok = _reaches_within(estimate, FLATNESS_LIMIT)
    return gate_result("flat", ok, estimate.log_ratio, f"0 +-{FLATNESS_LIMIT:.0%}")


def enough_blocks(tally: Tally) -> GateResult:
    """An interval over blocks needs blocks."""
    fewest = tally.method.fewest_blocks
    ok = len(tally.blocks) >= fewest
    worst = max(tally.disturbed, key=lambda by: by.share, default=None)
    return gate_result(
        "enough-blocks",
        ok,
        float(len(tally.blocks)),
        f"at least {fewest}",
        disturbed=len(tally.disturbed),
        share=worst.share if worst else None,
        by=worst.by if worst else None,
        who=worst.who[0] if worst and worst.who else None,
        others=len(worst.who) - 1 if worst and worst.who else 0,
    )


def steady(tally: Tally, entry: str) -> GateResult | None:
    """Its starts were no longer getting faster when their slices began, and did nothing that nobody asked
    for: the share of those that were, or did."""
    starts = tally.warmed_up.get(entry, ())
    if not starts:
        return None
    share = sum(one.rising or one.working for one in starts) / len(starts)
    limit = f"at most {RISING_LIMIT:.0%} of starts"
    return gate_result(
        "steady", share <= RISING_LIMIT, share, limit, seconds=max(one.loaded_s for one in starts)
    )


def drift(tally: Tally, entry: str, reference: str) -> GateResult | None:
    """Within a block its ratio to the reference stays what it is: the second half of the rounds over the
    first. Beyond the limit it was still warming up in its slices, or gets slower by what it has served."""
    if entry == reference or len(tally.common_blocks(entry, reference)) < 2:
        return None
    estimate = tally.drift(entry)
    if estimate.ratio is None:
        return None
    ok = _reaches_within(estimate, float(np.log1p(DRIFT_LIMIT)))
    said = f"95% interval reaches within 1 +-{DRIFT_LIMIT:.0%}"
    return gate_result("drift", ok, estimate.ratio, said, reference=reference)


def slices_agree(tally: Tally, entry: str) -> GateResult | None:
    """Turns of seconds without a break give the same ratio to the reference as slices do.

    None where that is not known: a finding says so. It catches work that is done while nothing is counted.
    """
    seen = long_turns.agreement(tally, entry)
    if seen is None or seen.ci is None or not seen.known:
        return None
    low, high = seen.ci
    limit = f"95% interval reaches within 1 +-{long_turns.LIMIT:.0%}"
    return gate_result(
        "slices-agree", seen.holds, seen.ratio, limit, low=low, high=high, pairs=seen.pairs, run=seen.run
    )


def _reaches_within(estimate: stats.Estimate, limit: float) -> bool:
    """Whether the interval does not lie wholly beyond a limit (log units) to either side."""
    return estimate.low <= limit and estimate.high >= -limit


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
