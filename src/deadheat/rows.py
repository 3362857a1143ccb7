"""One contender of one race: whether it was measured, and its figures."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deadheat import build_summary, derive_outside, gates, judging, latency, stats
from deadheat.model.contender import Contender
from deadheat.model.observation import Ended, Invocation
from deadheat.model.result import ContenderResult, Measure
from deadheat.report import words
from deadheat.tally import (
    VALUES,
    Tally,
    Value,
    cpu_s,
    cpu_us_per_request,
    own_wall_s,
    system_s,
    throughput_rps,
    user_s,
    wall_s,
)


def row_of(found: Tally, contender: Contender, ceiling: str | None) -> ContenderResult:
    entry = contender.id
    status, reason = _status(found, entry)
    built = found.built.get(entry)
    row: dict[str, Any] = {
        "name": contender.name,
        "variant": contender.variant,
        "title": contender.title,
        "language": contender.language,
        "class_": contender.class_,
        "status": status,
        "reason": reason,
    }
    if built is not None:
        row |= {
            "artifact_bytes": built.artifact_bytes,
            "runtime_bytes": built.runtime_bytes,
            "build_s": built.build_s,
            "binary": built.binary,
            "compiling": build_summary.summary(built.times) if built.times else None,
            "toolchains": built.toolchains,
        }
    if (checked := found.checked.get(entry)) is not None:
        row["response_headers"] = checked.headers
        row["offers"] = contender.offers if checked.ok else ()
    if status == "measured":
        row |= _figures(found, entry, ceiling)
    return ContenderResult(**row)


def _status(found: Tally, entry: str) -> tuple[str, str | None]:
    built, checked, failed = found.built.get(entry), found.checked.get(entry), found.failed.get(entry)
    if found.unavailable is not None and not found.turns:
        return "unavailable", found.unavailable
    if built is not None and built.status != "ready":
        return built.status, built.reason
    if checked is not None and not checked.ok:
        return "failed", checked.reason
    if failed is not None:
        if failed.unavailable:
            return "unavailable", failed.reason
        return ("not run" if failed.not_run else "failed"), failed.reason
    if not found.of(entry):
        return "not run", found.unavailable or "the run ended before its first block"
    # Wrong answers under load are no speed: such a row is out of the table, not a footnote in it.
    if (slices := found.slices(entry)) and not (errors := gates.errors(slices)).ok:
        return "invalid", errors.advice
    return "measured", None


def _figures(found: Tally, entry: str, ceiling: str | None) -> dict[str, Any]:
    reference = found.race.reference_entry
    value = VALUES[found.race.metric]
    ended = found.ended.get(entry, [])
    started = [s.first_response_ms for s in found.started.get(entry, [])]
    peaks = [e.peak_memory_bytes for e in ended if e.peak_memory_bytes]
    row: dict[str, Any] = {"gates": gates.of_contender(found, entry, ceiling)}
    if entry != reference:
        row["against_reference"] = judging.against(found, entry, reference, value)
    if slices := found.slices(entry):
        row |= {
            "throughput_rps": _measure(found, entry, throughput_rps),
            "cpu_us_per_request": _measure(found, entry, cpu_us_per_request),
            "latency_closed_ms": latency.closed_loop([e.hdr for e in ended if e.hdr], slices),
            "latency_at_load": latency.at_loads(found, entry),
            "bytes_per_response": sum(s.bytes_in for s in slices) / max(1, sum(s.replies for s in slices)),
            "threads": max((e.threads for e in ended if e.threads), default=None),
            "first_response_ms": float(np.median(started)) if started else None,
        }
        row["latency_ms"] = latency.headline(found, entry) or row["latency_closed_ms"]
        if ceiling is not None:
            share = judging.against(found, entry, ceiling, throughput_rps)
            row["of_ceiling"] = share.ratio if share else None
    if found.invocations(entry):
        row |= _seen_once(found, entry)
        row |= {
            "wall_s": _measure(found, entry, wall_s),
            "cpu_s": _measure(found, entry, cpu_s),
            "user_s": _measure(found, entry, user_s),
            "system_s": _measure(found, entry, system_s),
            "own_wall_s": _measure(found, entry, own_wall_s),
        }
        traced = [turn for turn in found.warm_ups.get(entry, []) if isinstance(turn, Invocation)]
        peaks = [i.peak_memory_bytes for i in traced if i.peak_memory_bytes]
    if (run := found.outside_run(entry)) is not None:
        row |= {
            "throughput_rps": derive_outside.runs(found, entry, throughput_rps),
            "cpu_us_per_request": derive_outside.runs(found, entry, cpu_us_per_request),
            "latency_ms": derive_outside.told_latency(run),
            "bytes_per_response": run.bytes_in / run.requests if run.bytes_in else None,
            "threads": max((e.threads for e in ended if e.threads), default=None),
            "first_response_ms": float(np.median(started)) if started else None,
            "outside": run,
        }
    row |= _memory(ended)
    if (peak := stats.spread(peaks)) is not None:
        row["peak_memory_bytes"] = int(peak.median)
        if peak.varies:
            row["peak_memory_range_bytes"] = (int(peak.least), int(peak.greatest))
    row["lower_bound"] = any(not g.ok and g.name in gates.GENERATOR_LIMITED for g in row["gates"])
    return row


def _memory(ended: Sequence[Ended]) -> dict[str, int]:
    """Medians over blocks of what a server holds at the end of one: its share of it, and of that what is
    its own and what it shares with others (the pages of its runtime's libraries)."""
    whole = [(e.memory_bytes, e.private_bytes) for e in ended if e.memory_bytes and e.private_bytes]
    if not whole:
        return {}
    return {
        "memory_bytes": int(np.median([memory for memory, _ in whole])),
        "private_memory_bytes": int(np.median([private for _, private in whole])),
        "shared_memory_bytes": int(np.median([memory - private for memory, private in whole])),
    }


def _seen_once(found: Tally, entry: str) -> dict[str, Any]:
    """What an invocation apart showed that no other repeats: calls on the connection, calls executed."""
    row: dict[str, Any] = {}
    if (trace := found.traced.get(entry)) is not None:
        row |= trace.model_dump(include={"write_calls", "read_calls", "bytes_out", "bytes_in"})
        row["overlaps"] = words.overlaps(trace)
    if (count := found.calls.get(entry)) is not None:
        row["calls"] = count.model_dump(include={"n", "asked", "executed", "unknown"})
    return row


def _measure(found: Tally, entry: str, value: Value) -> Measure | None:
    series = found.series(entry, value, found.common_blocks(entry))
    level = stats.absolute(series)
    if level.ratio is None:
        return None
    blocks = tuple(float(np.exp(np.nanmean(b))) for b in series if np.isfinite(b).any())
    return Measure(estimate=level.ratio, ci=level.ci, blocks=blocks)
