"""One contender of one race: whether it was measured, and its figures. A row is built whole, once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from deadheat import stats
from deadheat.model.artifact import Binary
from deadheat.model.contender import Class, Offer
from deadheat.model.gate import GateResult
from deadheat.model.observation import ColdStart, Ended, Invocation
from deadheat.model.published import PublishedRow
from deadheat.model.result import (
    Against,
    AnyResult,
    Calls,
    ClientResult,
    Compiling,
    CpuRatio,
    Measure,
    NoFigures,
    Overlaps,
    ProgramResult,
    ServerResult,
    Status,
    Variance,
    WarmUp,
)
from deadheat.model.suite_facts import ContenderFacts
from deadheat.results import build_times, by_request, cpu, figures, handshakes, judging, latency
from deadheat.results.gates import own as gates
from deadheat.results.gates import registry
from deadheat.results.tally import Tally
from deadheat.results.values import (
    COLD_VALUES,
    VALUES,
    Value,
    cpu_s,
    cpu_us_per_request,
    own_wall_s,
    system_s,
    throughput_rps,
    user_s,
    wall_s,
)


@dataclass(frozen=True)
class Beside:
    """What is known of a contender only beside the race's others, or from its study. `against`: its ratio to
    the reference where it was judged."""

    place: int | None = None
    shares_place: bool = False
    against: Against | None = None
    variance: Variance | None = None
    warm_up: WarmUp | None = None
    drift: Against | None = None
    published: PublishedRow | None = None


class Common(TypedDict):
    """The fields of `ContenderResult`, all of them."""

    name: str
    variant: str | None
    title: str
    language: str
    class_: Class
    status: Status
    reason: str | None
    response_headers: tuple[str, ...]
    offers: tuple[Offer, ...]
    artifact_bytes: int | None
    runtime_bytes: int | None
    build_s: float | None
    binary: Binary | None
    compiling: Compiling | None
    toolchains: dict[str, str]
    peak_memory_bytes: int | None
    peak_memory_range_bytes: tuple[int, int] | None
    against_reference: Against | None
    place: int | None
    shares_place: bool
    lower_bound: bool
    published: PublishedRow | None
    variance: Variance | None
    warm_up: WarmUp | None
    drift: Against | None
    gates: tuple[GateResult, ...]


class Serving(TypedDict):
    """What a server shows of itself, whoever loads it."""

    memory_bytes: int | None
    private_memory_bytes: int | None
    shared_memory_bytes: int | None
    threads: int | None
    first_response_ms: float | None


class _Cold(TypedDict):
    """The fields of `ColdFigures`."""

    first_reply_s: Measure | None
    reply_100_s: Measure | None
    reply_10000_s: Measure | None
    cold_against_reference: dict[str, Against | None]


class _Timed(TypedDict):
    """The fields of `ProgramFigures` beyond the common ones."""

    wall_s: Measure | None
    cpu_s: Measure | None
    cpu_against_reference: CpuRatio | None
    user_s: Measure | None
    system_s: Measure | None
    own_wall_s: Measure | None
    calls: Calls | None


def row_of(tally: Tally, contender: ContenderFacts, ceiling: str | None, beside: Beside) -> AnyResult:
    """A contender of a race, with its figures where it was measured. `ceiling`: the entry that is one."""
    entry = contender.id
    status, reason = status_by_turns(tally, entry)
    if status != "measured":
        wrong = (gates.errors(tally.slices(entry)),) if status == "invalid" else ()
        return NoFigures(**described(tally, contender, status, reason, beside, wrong))
    against = beside.against
    if against is None and entry != tally.race.reference_entry:
        pair = figures.compared(tally)(entry, tally.race.reference_entry)
        against = None if pair.ratio is None else Against(ratio=pair.ratio, ci=pair.ci)
    held = registry.of_contender(tally, entry, ceiling)
    common = described(tally, contender, status, reason, beside, held, against, _peaks(tally, entry))
    if tally.slices(entry):
        return _server(tally, entry, ceiling, common)
    if tally.cold_starts(entry):
        return ServerResult(**common, **_cold(tally, entry))
    if tally.race.commands is not None:
        return _client(tally, entry, common)
    return ProgramResult(**common, **_timed(tally, entry))


def status_by_turns(tally: Tally, entry: str) -> tuple[Status, str | None]:
    """What became of an entry by our own method, and why."""
    status, reason = status_of(tally, entry, measured=bool(tally.of(entry)), raced=bool(tally.turns))
    # Wrong answers under load are no speed: such a row is out of the table, not a footnote in it.
    if status == "measured" and (slices := tally.slices(entry)) and not gates.errors(slices).ok:
        return "invalid", None
    return status, reason


def status_of(tally: Tally, entry: str, *, measured: bool, raced: bool) -> tuple[Status, str | None]:
    """What became of an entry, and why. `measured`: there are figures of it; `raced`: of anybody."""
    built, checked, failed = tally.built.get(entry), tally.checked.get(entry), tally.failed.get(entry)
    if tally.unavailable is not None and not raced:
        return "unavailable", tally.unavailable
    if built is not None and built.status != "ready":
        return built.status, built.reason
    if checked is not None and not checked.ok:
        return "failed", checked.reason
    if failed is not None:
        if failed.unavailable:
            return "unavailable", failed.reason
        return ("not run" if failed.not_run else "failed"), failed.reason
    if not measured:
        return "not run", tally.unavailable
    return "measured", None


def headline(tally: Tally, entry: str) -> Measure | None:
    """The figure that the race is about."""
    return _measure(tally, entry, VALUES[tally.race.metric])


def described(
    tally: Tally,
    contender: ContenderFacts,
    status: Status,
    reason: str | None,
    beside: Beside,
    own_gates: tuple[GateResult, ...] = (),
    against: Against | None = None,
    peaks: Sequence[int] = (),
) -> Common:
    """All of a row but the figures of its kind. `peaks`: memory, bytes, of each block."""
    built, checked = tally.built.get(contender.id), tally.checked.get(contender.id)
    peak = stats.spread(peaks)
    return {
        "name": contender.name,
        "variant": contender.variant,
        "title": contender.title,
        "language": contender.language,
        "class_": contender.class_,
        "status": status,
        "reason": reason,
        "response_headers": checked.headers if checked else (),
        "offers": contender.offers if checked and checked.ok else (),
        "artifact_bytes": built.artifact_bytes if built else None,
        "runtime_bytes": built.runtime_bytes if built else None,
        "build_s": built.build_s if built else None,
        "binary": built.binary if built else None,
        "compiling": build_times.summary(built.times) if built and built.times else None,
        "toolchains": built.toolchains if built else {},
        "peak_memory_bytes": int(peak.median) if peak else None,
        "peak_memory_range_bytes": (int(peak.least), int(peak.greatest)) if peak and peak.varies else None,
        "against_reference": against,
        "place": beside.place,
        "shares_place": beside.shares_place,
        "lower_bound": any(not gate.ok and gate.name in gates.LOWER_BOUND for gate in own_gates),
        "published": beside.published,
        "variance": beside.variance,
        "warm_up": beside.warm_up,
        "drift": beside.drift,
        "gates": own_gates,
    }


def _server(tally: Tally, entry: str, ceiling: str | None, common: Common) -> ServerResult:
    slices, ended = tally.slices(entry), tally.ended.get(entry, [])
    closed = latency.closed_loop(
        [e.hdr for e in ended if e.hdr],
        sum(s.replies for s in slices),
        sum(s.latency_sum_ns for s in slices),
    )
    throughput = _measure(tally, entry, throughput_rps)
    share = judging.against(tally, entry, ceiling, throughput_rps) if ceiling is not None else None
    return ServerResult(
        **common,
        **serving(tally, entry),
        throughput_rps=throughput,
        cpu_us_per_request=_measure(tally, entry, cpu_us_per_request),
        cpu_against_reference=cpu.ratio(tally, entry),
        latency_ms=latency.headline(tally, entry) or closed,
        latency_closed_ms=closed,
        latency_at_load=latency.at_loads(tally, entry),
        by_request=by_request.figures(tally, entry, throughput.estimate if throughput is not None else None),
        handshakes=handshakes.figures(tally, entry),
        bytes_per_response=tally.bytes_per_response(entry),
        of_ceiling=share.ratio if share is not None else None,
    )


def _cold(tally: Tally, entry: str) -> _Cold:
    """By all three times; the race's own is judged, and its ratio is not said twice."""
    reference, others = tally.race.reference_entry, {**COLD_VALUES}
    del others[tally.race.metric]
    ratios = {name: judging.against(tally, entry, reference, value) for name, value in others.items()}
    return {
        "first_reply_s": _measure(tally, entry, COLD_VALUES["first_reply_s"]),
        "reply_100_s": _measure(tally, entry, COLD_VALUES["reply_100_s"]),
        "reply_10000_s": _measure(tally, entry, COLD_VALUES["reply_10000_s"]),
        "cold_against_reference": ratios if entry != reference else {},
    }


def _client(tally: Tally, entry: str, common: Common) -> ClientResult:
    """With what an invocation apart showed of its connection, which no other repeats."""
    timed = _timed(tally, entry)
    trace = tally.traced.get(entry)
    if trace is None:
        return ClientResult(**common, **timed)
    return ClientResult(
        **common,
        **timed,
        overlaps=Overlaps(
            sends_early=trace.sends_early,
            reads_while_writing=trace.reads_while_writing,
            unknown=trace.unknown,
        ),
        write_calls=trace.write_calls,
        read_calls=trace.read_calls,
        bytes_out=trace.bytes_out,
        bytes_in=trace.bytes_in,
    )


def _timed(tally: Tally, entry: str) -> _Timed:
    count = tally.calls.get(entry)
    return {
        "wall_s": _measure(tally, entry, wall_s),
        "cpu_s": _measure(tally, entry, cpu_s),
        "cpu_against_reference": cpu.ratio(tally, entry),
        "user_s": _measure(tally, entry, user_s),
        "system_s": _measure(tally, entry, system_s),
        "own_wall_s": _measure(tally, entry, own_wall_s),
        "calls": None
        if count is None
        else Calls(n=count.n, asked=count.asked, executed=count.executed, unknown=count.unknown),
    }


def serving(tally: Tally, entry: str) -> Serving:
    """Memory: medians over blocks of what a server holds at the end of one, its share of it, and of that
    what is its own and what it shares with others (the pages of its runtime's libraries)."""
    ended = tally.ended.get(entry, [])
    times = (s.first_response_ms for s in tally.started.get(entry, []))
    started = [took for took in times if took is not None]
    whole = [(e.memory_bytes, e.private_bytes) for e in ended if e.memory_bytes and e.private_bytes]
    return {
        "memory_bytes": _median([memory for memory, _ in whole]),
        "private_memory_bytes": _median([private for _, private in whole]),
        "shared_memory_bytes": _median([memory - private for memory, private in whole]),
        "threads": max((e.threads for e in ended if e.threads), default=None),
        "first_response_ms": float(np.median(started)) if started else None,
    }


def _median(values: Sequence[int]) -> int | None:
    return int(np.median(values)) if values else None


def _peaks(tally: Tally, entry: str) -> list[int]:
    """Peak memory, bytes, of each block; of a program that of its warm-ups, which are traced for it."""
    seen: Sequence[Ended | Invocation | ColdStart] = tally.ended.get(entry, [])
    if tally.invocations(entry):
        seen = [turn for turn in tally.warm_ups.get(entry, []) if isinstance(turn, Invocation)]
    if starts := tally.cold_starts(entry):
        seen = starts
    return [one.peak_memory_bytes for one in seen if one.peak_memory_bytes]


def _measure(tally: Tally, entry: str, value: Value) -> Measure | None:
    series = tally.series(entry, value, tally.common_blocks(entry))
    level = stats.absolute(series)
    if level.ratio is None:
        return None
    blocks = tuple(float(np.exp(np.nanmean(b))) for b in series if np.isfinite(b).any())
    return Measure(estimate=level.ratio, ci=level.ci, blocks=blocks)
