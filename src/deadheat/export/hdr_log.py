"""HdrHistogram log, version 1.3: an interval histogram for each server and block, tagged with its name."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hdrh.histogram import HdrHistogram

from deadheat.errors import UserError
from deadheat.export.format import Format, Rendered, text
from deadheat.export.source import Race, Source
from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.observation import BlockStarted

HEADER = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


@dataclass(frozen=True)
class _Interval:
    """Seconds since the epoch and seconds; `hdr` is the encoded histogram, nanoseconds."""

    tag: str
    start_s: float
    length_s: float
    hdr: str


def render(source: Source) -> Rendered:
    """Raises UserError where the run has no histogram at all."""
    intervals: list[_Interval] = []
    notes: list[str] = []
    for race in source.races:
        of_race = list(_intervals(source, race))
        intervals += of_race
        notes += _missing(race, {interval.tag for interval in of_race})
    if not intervals:
        raise UserError(
            "this run has no latency histogram",
            hint="servers have them; programs and races by a study's own method have none",
        )
    start_s = _epoch_s(source.plan.started)
    lines = [
        f"#[Deadheat {source.results.version}, run {source.results.run}; values in nanoseconds]",
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {start_s:.3f} (seconds since epoch), {source.plan.started}]",
    ]
    if source.unfinished:
        lines.append(f"#[half-done: {' '.join(source.unfinished.split())}]")
    lines.append(HEADER)
    for interval in sorted(intervals, key=lambda i: i.start_s):
        since_s = max(0.0, interval.start_s - start_s)
        most_ms = _histogram(interval.hdr).get_max_value() / 1e6
        lines.append(f"Tag={interval.tag},{since_s:.3f},{interval.length_s:.3f},{most_ms:.3f},{interval.hdr}")
    return text("latency.hlog", "\n".join(lines) + "\n", tuple(notes))


def _intervals(source: Source, race: Race) -> Iterator[_Interval]:
    """Of each block's closed loop, and of each turn at a fixed rate."""
    started = {
        o.block: _epoch_s(o.at)
        for o in source.observations
        if isinstance(o, BlockStarted) and o.race == race.key
    }
    for entry in race.plan.entries:
        if entry.null:
            continue
        tag = _tag(f"{race.key} {entry.id}")
        for ended in race.tally.ended.get(entry.id, []):
            turns = [t for t in race.tally.slices(entry.id) if t.block == ended.block]
            length_s = sum(turn.counted_s for turn in turns)
            if ended.hdr:
                yield _Interval(tag, started.get(ended.block, 0.0), length_s, ended.hdr)
        for turn in race.tally.open_loop.get(entry.id, []):
            at = _tag(f"{race.key} {entry.id} at {turn.rate_rps:.0f}/s")
            length_s = turn.due / turn.rate_rps if turn.rate_rps else 0.0
            yield _Interval(at, started.get(turn.block, 0.0), length_s, turn.hdr)


def _missing(race: Race, tags: set[str]) -> Iterator[str]:
    for entry in race.plan.entries:
        if not entry.null and race.tally.slices(entry.id) and _tag(f"{race.key} {entry.id}") not in tags:
            yield f"{race.key}: {entry.id} has no histogram, so it is left out"


def _histogram(encoded: str) -> HdrHistogram:
    histogram = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    histogram.decode_and_add(encoded)
    return histogram


def _tag(name: str) -> str:
    """The format allows neither comma nor white space in a tag."""
    return re.sub(r"[\s,]+", "_", name)


def _epoch_s(text_: str) -> float:
    return datetime.datetime.fromisoformat(text_).timestamp()


FORMAT = Format(
    "hdr-log",
    "HdrHistogram log, for HistogramLogAnalyzer, HistogramLogProcessor and its libraries",
    "deadheat export latest --to hdr-log --out latency.hlog",
    render,
)
