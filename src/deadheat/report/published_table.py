"""A study's figures beside the same figures here, as lines of text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from deadheat.model.kinds.registry import TRAITS
from deadheat.model.measured import Length
from deadheat.model.published import PublishedRow
from deadheat.model.result import ByOutside, ContenderResult, RaceResult
from deadheat.report import gates, verdicts, words

DASH = words.DASH
# Gates that are told in the row that they break, not below the table.
SAID_IN_ROW = ("littles-law",)


def header(result: RaceResult) -> tuple[str, ...]:
    second = "mean latency" if TRAITS[result.kind].serves else "own clock"
    what = words.unit(result.metric, result.kind)
    return ("contender", f"{what}, published", "here", f"{second}, published", "here", "remarks")


def rows(result: RaceResult) -> list[tuple[str, ...]]:
    """A row a contender, in the order of the header: figures are context, ratios what to compare."""
    return [_row(result, row) for row in result.contenders]


def ratios(result: RaceResult) -> Iterator[str]:
    """`a over b: published 1.20, here 1.31; one figure of each, so no interval`, of each other."""
    reference = next((r.published for r in result.contenders if r.id == result.reference), None)
    for row in result.contenders:
        printed = _published_ratio(result.metric, row.published, reference)
        if row.id == result.reference or printed is None:
            continue
        here = DASH if row.against_reference is None else words.ratio(row.against_reference.ratio)
        yield (
            f"{row.id} over {result.reference}: published {words.ratio(printed)}, here {here}; "
            "one figure of each, so no interval"
        )


def broken_below(result: RaceResult) -> Iterator[tuple[str, str]]:
    """Whose gate is broken and what it says, but for those that their row says."""
    for whose, said in gates.all_broken(result):
        if said.partition(":")[0] not in SAID_IN_ROW:
            yield whose, said


def lines(result: RaceResult) -> Iterator[str]:
    """In columns, the remarks below their row."""
    cells = rows(result)
    table = [header(result)[:-1], *(row[:-1] for row in cells)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    remarks = ["", *(row[-1] for row in cells)]
    for row, remark in zip(table, remarks, strict=True):
        first, *rest = row
        yield "  ".join(
            [first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(rest, widths[1:], strict=True))]
        ).rstrip()
        if remark:
            yield f"  {remark}"


def _row(result: RaceResult, row: ContenderResult) -> tuple[str, ...]:
    return (
        row.id,
        _printed(result.metric, row.published),
        words.amount(result.metric, words.own_measure(result.metric, row)),
        *_second(result, row),
        "; ".join(_remarks(result, row)),
    )


def _second(result: RaceResult, row: ContenderResult) -> tuple[str, str]:
    printed, latency = row.published, row.figures.latency_ms
    if not TRAITS[result.kind].serves:
        return _printed("own_wall_s", printed), words.amount("own_wall_s", row.figures.own_wall_s)
    published_ms = None if printed is None else printed.latency_ms.get("mean")
    return _ms(published_ms), _ms(None if latency is None else latency.mean)


def _remarks(result: RaceResult, row: ContenderResult) -> Iterator[str]:
    if row.status != "measured":
        said = verdicts.reason(result, row)
        yield f"{row.status}: {said}" if said else row.status
    elif (length := _length(result)) is not None:
        yield length
    for gate in row.gates:
        if gate.name in SAID_IN_ROW and not gate.ok and row.status == "measured":
            yield gates.broken(gate)
    if row.figures.outside is not None:
        run = row.figures.outside
        yield f"{run.tool} {run.version} {shlex.join(run.argv[1:])}"
        used = f"{run.tool} used {run.generator_cpu_s / run.wall_s:.0%} of a CPU"
        if run.server_cpu_s is None:
            yield used
        else:
            share = f"{run.server_cpu_s / run.wall_s:.0%}"
            printed = row.published or PublishedRow(contender=row.id)
            yield f"{used}, the server {share}{_as_published(printed.cpu_percent, '%')}"
            memory = words.size(row.peak_memory_bytes)
            yield f"peak memory of the server {memory}{_as_published(printed.memory)}"
        if run.note:
            yield run.note
    if row.published is not None and row.published.errors:
        yield f"published errors: {_errors(row.published.errors)}"
    if row.figures.outside is not None and row.figures.outside.errors:
        yield f"errors here: {_errors(row.figures.outside.errors)}"


def _length(result: RaceResult) -> str | None:
    """How long its run was, and whether that is what was published; None where nothing says so."""
    measured = result.measured
    if not isinstance(measured, ByOutside) or measured.length is None or measured.published is None:
        return None
    here, theirs = (_lengths(one) for one in (measured.length, measured.published))
    if here is None:
        return None
    return f"{here}, as published" if here == theirs else f"{here}, shorter than the {theirs} published"


def _lengths(length: Length) -> str | None:
    if length.seconds is not None:
        return f"{length.seconds} s"
    if length.total is not None:
        return f"{length.total:,} requests"
    return None if length.n is None else f"n = {length.n}"


def _as_published(printed: float | str | None, unit: str = "") -> str:
    """What the study printed, in brackets; nothing where it printed nothing."""
    if isinstance(printed, float):
        printed = f"{printed:g}{unit}"
    return "" if printed is None else f" (published {printed})"


def _errors(errors: dict[str, int]) -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in errors.items())


def _printed(metric: str, row: PublishedRow | None) -> str:
    value = None if row is None else getattr(row, metric)
    if value is None:
        return DASH
    return words.figure(value) if metric == "throughput_rps" else words.seconds(value)


def _published_ratio(metric: str, row: PublishedRow | None, reference: PublishedRow | None) -> float | None:
    own, other = (None if r is None else getattr(r, metric) for r in (row, reference))
    if not own or not other:
        return None
    ratio: float = own / other if metric == "throughput_rps" else other / own
    return ratio


def _ms(value: float | None) -> str:
    return DASH if value is None else f"{words.figure(value)} ms"
