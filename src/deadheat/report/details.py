"""Tables beside a race's own: what a server holds and sends, what clients do on their connection, what
compilers made of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from deadheat.model.kinds.registry import TRAITS
from deadheat.model.kinds.traits import Traits
from deadheat.model.result import ClientResult, Compiling, ContenderResult, RaceResult
from deadheat.report import handshakes, words

Cell = Callable[[ContenderResult], str]
Table = list[tuple[str, ...]]


def table(result: RaceResult, *, short: bool = False) -> Table:
    """A head and a row a contender; empty where nothing of it is known. `short`: what a terminal has room
    for, so libraries are counted, and of servers there is nothing."""
    rows = [row for row in result.contenders if row.status == "measured"]
    traits = TRAITS[result.kind]
    if short and traits.serves:
        return []
    columns = _columns(traits, rows, short=short)
    if not columns or not rows:
        return []
    head = ("", *(name for name, _ in columns))
    return [head, *((row.id, *(cell(row) for _, cell in columns)) for row in rows)]


def lines(result: RaceResult) -> Iterator[str]:
    """The same in columns of text."""
    if shown := table(result, short=True):
        yield ""
        yield from aligned(shown)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _columns(traits: Traits, rows: Sequence[ContenderResult], *, short: bool) -> list[tuple[str, Cell]]:
    if any(row.figures.overlaps for row in rows):
        parts: list[tuple[str, Cell]] = [
            ("user", lambda row: words.amount("cpu_s", row.figures.user_s)),
            ("system", lambda row: words.amount("cpu_s", row.figures.system_s)),
        ]
        return [
            *([] if short else parts),
            ("overlaps", lambda row: words.overlaps(row.figures.overlaps)),
            ("write calls", lambda row: _count(row.figures.write_calls)),
            ("read calls", lambda row: _count(row.figures.read_calls)),
            ("sent", lambda row: words.size(row.figures.bytes_out)),
            ("received", lambda row: words.size(row.figures.bytes_in)),
            ("peak memory", lambda row: words.size(row.peak_memory_bytes)),
        ]
    if traits.beside == "memory" and any(row.figures.private_memory_bytes for row in rows):
        main: tuple[str, Cell] = (
            "headers of a response",
            lambda row: "; ".join(row.response_headers) or words.DASH,
        )
        also: tuple[str, Cell] = ("serves also", lambda row: ", ".join(row.offers) or words.DASH)
        return [
            ("memory of its own", lambda row: words.size(row.figures.private_memory_bytes)),
            ("its share of others'", lambda row: words.size(row.figures.shared_memory_bytes)),
            ("threads", lambda row: _count(row.figures.threads)),
            *_handshakes(rows),
            main if traits.answers == "headers" else also,
            *_builds(rows),
        ]
    if traits.beside != "binary" or any(isinstance(row, ClientResult) for row in rows):
        return []
    columns: list[tuple[str, Cell]] = []
    if any(row.figures.calls for row in rows):
        columns.append(("calls executed", words.calls))
    if any(row.binary for row in rows):
        columns += [
            ("as built", lambda row: words.size(row.binary.as_built if row.binary else row.artifact_bytes)),
            ("no debug data", lambda row: words.size(row.binary.without_debug if row.binary else None)),
            ("stripped", lambda row: words.size(row.binary.stripped if row.binary else None)),
            ("libraries", _libraries_short if short else _libraries),
        ]
    return [*columns, *_builds(rows)]


def _handshakes(rows: Sequence[ContenderResult]) -> list[tuple[str, Cell]]:
    """Of races over TLS."""
    if not any(row.figures.handshakes for row in rows):
        return []
    return [
        ("TLS", lambda row: _agreed(row) or words.DASH),
        (handshakes.TITLE, lambda row: handshakes.cost(row.figures.handshakes)),
        ("handshakes before", lambda row: _shook(row, "before")),
        ("and in slices", lambda row: _shook(row, "in_slices")),
    ]


def _agreed(row: ContenderResult) -> str | None:
    return None if row.figures.handshakes is None else row.figures.handshakes.agreed


def _shook(row: ContenderResult, when: str) -> str:
    found = row.figures.handshakes
    return _count(None if found is None else getattr(found, when))


def _builds(rows: Sequence[ContenderResult]) -> list[tuple[str, Cell]]:
    """Where builds were timed (`deadheat build --times`)."""
    if not any(row.compiling for row in rows):
        return []
    return [
        ("cold build", lambda row: cold(row.compiling)),
        ("warm build", lambda row: warm(row.compiling)),
    ]


def cold(times: Compiling | None) -> str:
    """The median of cold builds with its interval."""
    return words.DASH if times is None else _median(times.cold_s, times.cold_ci)


def warm(times: Compiling | None) -> str:
    """The median of warm builds with its interval."""
    return words.DASH if times is None else _median(times.warm_s, times.warm_ci)


def _median(value_s: float, ci: tuple[float, float] | None) -> str:
    shown = words.seconds(value_s)
    return shown if ci is None else f"{shown} ({words.seconds(ci[0])} to {words.seconds(ci[1])})"


def _count(value: int | None) -> str:
    return words.DASH if value is None else f"{value:,}"


def _libraries(row: ContenderResult) -> str:
    if row.binary is None or row.binary.libraries is None:
        return words.DASH
    return ", ".join(row.binary.libraries) or "none"


def _libraries_short(row: ContenderResult) -> str:
    if row.binary is None or row.binary.libraries is None:
        return words.DASH
    return str(len(row.binary.libraries))
