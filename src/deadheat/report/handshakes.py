"""What a handshake of TLS costs a server, beside its race and not in it; and what it comes to."""

import textwrap
from collections.abc import Iterator

from deadheat.model.result import Handshakes, RaceResult
from deadheat.report import words

WIDTH = 78
TITLE = "CPU a handshake"


def cost(found: Handshakes | None) -> str:
    """`182 µs (175 to 190 µs)`: the median of blocks and their range."""
    if found is None or found.cpu_us is None or found.cpu_range_us is None:
        return words.DASH
    least, greatest = (words.seconds(us / 1e6) for us in found.cpu_range_us)
    median = words.seconds(found.cpu_us / 1e6)
    return median if least == greatest else f"{median} ({least} to {greatest})"


def lines(result: RaceResult) -> Iterator[str]:
    """For the terminal: the cost, the least first, and who has other ciphers; ceilings are no rivals."""
    known = sorted(
        (shook.cpu_us, row.id, cost(shook))
        for row in result.contenders
        if (shook := row.figures.handshakes) is not None
        and shook.cpu_us is not None
        and row.class_ != "ceiling"
    )
    if known:
        listed = ", ".join(f"{id_} {shown}" for _, id_, shown in known)
        yield from textwrap.wrap(
            f"{TITLE}, in no figure above: {listed}", WIDTH, subsequent_indent="  ", break_on_hyphens=False
        )
    if unlike := _unlike(result):
        yield from textwrap.wrap(unlike, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _unlike(result: RaceResult) -> str:
    """`TLS is not alike: TLSv1.3, X of go; TLSv1.3, Y of node`; empty where all agreed on the same."""
    whose: dict[str, list[str]] = {}
    for row in result.contenders:
        if (shook := row.figures.handshakes) is not None and shook.agreed is not None:
            whose.setdefault(shook.agreed, []).append(row.id)
    if len(whose) < 2:
        return ""
    return "TLS is not alike: " + "; ".join(f"{agreed} of {', '.join(ids)}" for agreed, ids in whose.items())
