"""The three tidy tables: a line a slice, a line a block of a contender, a line a verdict.

What csv and parquet share. Times of a slice are nanoseconds on the run's own clock. `null_pair` marks the
reference's second start, and `complete` whether the race had all the blocks that it was to have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deadheat.export.source import Race, Source
from deadheat.model.observation import ColdStart, Invocation, OutsideRun, Slice
from deadheat.report import reasons
from deadheat.results import cpu, figures, values
from deadheat.studies.derive import best, cpu_us_per_request

Type = Literal["text", "int", "float", "bool"]
Cell = str | int | float | bool | None
Row = Mapping[str, Cell]

RACE: dict[str, Type] = {
    "run": "text", "workload": "text", "setting": "text", "method": "text", "complete": "bool",
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A name, its columns in order with their types, and its rows (a missing key is an empty cell)."""

    name: str
    columns: Mapping[str, Type]
    rows: tuple[Row, ...]


def tables(source: Source) -> tuple[Table, Table, Table]:
    """Slices, blocks, verdicts."""
    return (
        Table("slices", SLICES, tuple(row for race in source.races for row in _slices(source, race))),
        Table("blocks", BLOCKS, tuple(row for race in source.races for row in _blocks(source, race))),
        Table("verdicts", VERDICTS, tuple(row for race in source.races for row in _verdicts(source, race))),
    )


SLICES: dict[str, Type] = {
    **RACE,
    "contender": "text", "null_pair": "bool", "block": "int", "round": "int", "turn": "int",
    "what": "text", "at_ns": "int", "counted_s": "float", "replies": "int", "errors": "int",
    "reconnects": "int", "resent": "int", "throughput_rps": "float", "latency_mean_ms": "float",
    "latency_max_ms": "float", "server_cpu_us_per_reply": "float", "wall_s": "float", "user_s": "float",
    "system_s": "float", "own_wall_s": "float", "first_reply_s": "float", "reply_100_s": "float",
    "reply_10000_s": "float",
}  # fmt: skip
BLOCKS: dict[str, Type] = {
    **RACE,
    "contender": "text", "null_pair": "bool", "block": "int", "turns": "int", "ratio_to_reference": "float",
    "cpu_over_reference": "float",
    "throughput_rps": "float", "cpu_us_per_request": "float", "wall_s": "float", "cpu_s": "float",
    "own_wall_s": "float", "first_reply_s": "float", "reply_100_s": "float", "reply_10000_s": "float",
    "first_response_ms": "float", "memory_bytes": "int", "peak_memory_bytes": "int",
}  # fmt: skip
VERDICTS: dict[str, Type] = {
    **RACE,
    "metric": "text", "a": "text", "b": "text", "ratio": "float", "ratio_low": "float",
    "ratio_high": "float", "verdict": "text", "why": "text", "margin": "float", "blocks": "int",
    "null_pair_ratio": "float", "null_pair_low": "float", "null_pair_high": "float",
}  # fmt: skip


def _race(source: Source, race: Race) -> dict[str, Cell]:
    return {
        "run": source.results.run,
        "workload": race.plan.workload,
        "setting": race.plan.setting,
        "method": race.plan.method,
        "complete": race.unfinished is None,
    }


def _slices(source: Source, race: Race) -> Iterator[Row]:
    for entry in race.plan.entries:
        who = {**_race(source, race), "contender": entry.contender, "null_pair": entry.null}
        turns: Sequence[values.Turn | OutsideRun] = race.outside.get(entry.id) or race.tally.of(entry.id)
        for turn in turns:
            place: dict[str, Cell] = {
                "block": turn.block,
                "round": 0 if isinstance(turn, OutsideRun) else turn.round,
                "what": turn.type,
            }
            yield who | place | _turn(turn)


def _turn(turn: values.Turn | OutsideRun) -> dict[str, Cell]:
    if isinstance(turn, Slice):
        return {
            "turn": turn.turn,
            "at_ns": turn.started_ns,
            "counted_s": turn.counted_s,
            "replies": turn.replies,
            "errors": sum(turn.errors.values()),
            "reconnects": turn.reconnects,
            "resent": turn.resent,
            "throughput_rps": turn.replies / turn.counted_s,
            "latency_mean_ms": turn.latency_sum_ns / turn.replies / 1e6 if turn.replies else None,
            "latency_max_ms": turn.latency_max_ns / 1e6,
            "server_cpu_us_per_reply": values.cpu_us_per_request(turn) or None,
        }
    if isinstance(turn, Invocation):
        return {
            "turn": turn.turn,
            "at_ns": turn.at_ns,
            "wall_s": turn.wall_s,
            "user_s": turn.user_s,
            "system_s": turn.system_s,
            "own_wall_s": turn.own_wall_s,
        }
    if isinstance(turn, ColdStart):
        return {
            "turn": turn.turn,
            "at_ns": turn.at_ns,
            "first_reply_s": turn.first_reply_s,
            "reply_100_s": turn.reply_100_s,
            "reply_10000_s": turn.reply_10000_s,
        }
    assert isinstance(turn, OutsideRun)
    return {
        "turn": turn.run,
        "counted_s": turn.seconds,
        "replies": turn.requests,
        "errors": sum(turn.errors.values()),
        "throughput_rps": turn.throughput_rps,
        "latency_mean_ms": turn.latency_ms.get("mean"),
        "latency_max_ms": turn.latency_ms.get("max"),
        "server_cpu_us_per_reply": cpu_us_per_request(turn) or None,
        "wall_s": turn.wall_s,
    }


def _blocks(source: Source, race: Race) -> Iterator[Row]:
    for entry in race.plan.entries:
        started = {s.block: s.first_response_ms for s in race.tally.started.get(entry.id, [])}
        ended = {e.block: e for e in race.tally.ended.get(entry.id, [])}
        for block, turns in race.turns(entry.id).items():
            end = ended.get(block)
            yield {
                **_race(source, race),
                "contender": entry.contender,
                "null_pair": entry.null,
                "block": block,
                "turns": len(turns),
                "ratio_to_reference": block_ratio(race, entry.id, block),
                "cpu_over_reference": _block_cpu(race, entry.id, block),
                **block_values(race, entry.id, block),
                "first_response_ms": started.get(block),
                "memory_bytes": end.memory_bytes if end else None,
                "peak_memory_bytes": end.peak_memory_bytes if end else None,
            }


def block_values(race: Race, entry: str, block: int) -> dict[str, float | None]:
    """Every metric of one contender in one block: the geometric mean over its rounds."""
    if entry in race.outside:
        run = best(race.outside[entry])
        return {"throughput_rps": run.throughput_rps, "cpu_us_per_request": cpu_us_per_request(run)}
    turns = race.tally.turns[entry][block]
    metrics: Mapping[str, values.Value]
    if all(isinstance(turn, Invocation) for turn in turns):
        metrics = {"wall_s": values.wall_s, "cpu_s": values.cpu_s, "own_wall_s": values.own_wall_s}
    elif all(isinstance(turn, ColdStart) for turn in turns):
        metrics = values.COLD_VALUES
    else:
        metrics = {
            "throughput_rps": values.throughput_rps,
            "cpu_us_per_request": values.cpu_us_per_request,
        }
    return {name: _mean(race, entry, value, block) for name, value in metrics.items()}


def block_ratio(race: Race, entry: str, block: int) -> float | None:
    """How many times as good as the reference in this block, by what the race is judged by; None of a figure
    that only all blocks together have, or that has no rounds."""
    reference = race.plan.reference_entry
    if entry in race.outside:
        row = next((row for row in race.result.contenders if row.id == entry), None)
        return row.against_reference.ratio if row is not None and row.against_reference else None
    if entry == reference or block not in race.tally.turns.get(reference, {}):
        return None
    effect = figures.by_block(race.tally, entry, reference).get(block)
    return None if effect is None else float(np.exp(effect))


def _block_cpu(race: Race, entry: str, block: int) -> float | None:
    """CPU time over the reference's in this block."""
    if entry in race.outside or entry == race.plan.reference_entry:
        return None
    return cpu.by_block(race.tally, entry).get(block)


def _mean(race: Race, entry: str, value: values.Value, block: int) -> float | None:
    logs = race.tally.series(entry, value, [block])[0]
    finite = logs[np.isfinite(logs)]
    return float(np.exp(finite.mean())) if len(finite) else None


def _verdicts(source: Source, race: Race) -> Iterator[Row]:
    null = race.result.null_pair
    for verdict in race.result.verdicts:
        yield {
            **_race(source, race),
            "metric": verdict.metric,
            "a": verdict.a,
            "b": verdict.b,
            "ratio": verdict.ratio,
            "ratio_low": verdict.ci and verdict.ci[0],
            "ratio_high": verdict.ci and verdict.ci[1],
            "verdict": verdict.verdict,
            "why": reasons.of_verdict(verdict) or None,
            "margin": source.results.margin,
            "blocks": race.result.blocks,
            "null_pair_ratio": null.ratio if null else None,
            "null_pair_low": null.ci[0] if null and null.ci else None,
            "null_pair_high": null.ci[1] if null and null.ci else None,
        }
