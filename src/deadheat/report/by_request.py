"""The requests of a mix: how often each was answered, how fast, and beside the reference."""

from collections.abc import Iterator

from deadheat.model.result import Latency, RaceResult, RequestFigures
from deadheat.report import details, words

CAPTION = (
    "Each request of the mix, in the closed loop of the whole: its share of the replies, its latency in "
    "milliseconds, and by its mean how many times as fast as the reference, with a plain 95% interval."
)
HEADER = ["", "request", "share", "/s", "mean", "p50", "p90", "p99", "errors", "against the reference"]


def table(result: RaceResult) -> list[list[str]] | None:
    """The header, then a row for each request of each contender; None where the load was no mix."""
    rows = [[row.id, *_cells(each)] for row in result.contenders for each in row.figures.by_request]
    return [HEADER, *rows] if rows else None


def lines(result: RaceResult) -> Iterator[str]:
    """The same in columns of text, short enough for a terminal."""
    if (shown := table(result)) is not None:
        yield ""
        yield from details.aligned(
            [[cell for at, cell in enumerate(row) if at not in _LEFT_OUT] for row in shown]
        )


# Of a terminal, by its place in the header: p90 and the rate, which the share tells of.
_LEFT_OUT = (HEADER.index("/s"), HEADER.index("p90"))


def _cells(each: RequestFigures) -> Iterator[str]:
    yield each.name
    yield f"{each.share:.1%}"
    yield words.DASH if each.throughput_rps is None else words.figure(each.throughput_rps)
    yield from (_latency(each.latency_ms, name) for name in ("mean", "p50", "p90", "p99"))
    yield str(each.errors)
    against = each.against_reference
    if against is None:
        yield words.DASH
    else:
        interval = f" ({words.interval(against.ci)})" if against.ci is not None else ""
        yield words.figure(against.ratio) + interval


def _latency(found: Latency | None, name: str) -> str:
    value = getattr(found, name) if found is not None else None
    return words.DASH if value is None else words.figure(value)
