"""CPU time of each contender over the reference's: what a reply costs, or a run of a program."""

import textwrap
from collections.abc import Iterator

from deadheat.model.kinds.registry import TRAITS
from deadheat.model.result import ContenderResult, RaceResult
from deadheat.report import words

WIDTH = 78


def title(result: RaceResult) -> str:
    """`CPU a request over go's`; of programs `CPU time over go's`."""
    of = f"a {words.asked(result.kind)}" if TRAITS[result.kind].serves else "time"
    return f"CPU {of} over {result.reference}'s"


def cell(result: RaceResult, row: ContenderResult) -> str:
    """`0.83 (0.80 to 0.86)`."""
    used = row.figures.cpu_against_reference
    return words.DASH if used is None else f"{words.ratio(used.ratio)} ({words.of_race(used.ci, result)})"


def lines(result: RaceResult) -> Iterator[str]:
    """For the terminal, the least first; ceilings are no rivals."""
    used = sorted(
        (row.figures.cpu_against_reference.ratio, row.id, cell(result, row))
        for row in result.contenders
        if row.figures.cpu_against_reference is not None and row.class_ != "ceiling"
    )
    if used:
        listed = ", ".join(f"{id_} {shown}" for _, id_, shown in used)
        yield from textwrap.wrap(
            f"{title(result)}: {listed}", WIDTH, subsequent_indent="  ", break_on_hyphens=False
        )
