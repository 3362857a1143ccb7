"""The claims of studies at the terminal: the statement, what became of it, the ratio here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from deadheat.model.claim import ClaimResult, PublishedGate
from deadheat.model.result import Results
from deadheat.report import claims_table


@dataclass(frozen=True)
class Block:
    """The claims of one study: a headline, the lines of each claim, and what is said of all of them."""

    head: Text
    claims: tuple[tuple[Text, ...], ...]
    tail: tuple[Text, ...]

    def lines(self) -> Iterator[Text]:
        yield self.head
        for claim in self.claims:
            yield from claim
        yield from self.tail
        yield Text("")


def everything(results: Results, width: int) -> Iterator[Text]:
    """Every claim, and what published figures contradict."""
    for study, rows, broken in claims_table.by_study(results):
        if ours := claims_table.shown(rows):
            yield from _block(study, ours, ours, width, broken).lines()


def judged(results: Results, width: int, room: int | None = None) -> Iterator[Text]:
    """What was judged in this run, in at most `room` lines: the headline of each study in any case."""
    blocks = []
    for study, rows, _ in claims_table.by_study(results):
        ours = claims_table.shown(rows)
        if here := [row for row in ours if row.here is not None]:
            blocks.append(_block(study, here, ours, width))
    if room is None or sum(len([*block.lines()]) for block in blocks) <= room:
        for block in blocks:
            yield from block.lines()
        return
    room -= len(blocks) + 2  # the headlines, what is left out, an empty line
    left = 0
    for block in blocks:
        yield block.head
        for claim in block.claims:
            # The first that does not fit ends it, so that those shown are the first.
            if left or len(claim) > room:
                left += 1
                continue
            room -= len(claim)
            yield from claim
    yield Text(f"  {left} more, and what is to be known of them: deadheat claims", "dim")
    yield Text("")


def _block(
    study: str,
    rows: Sequence[ClaimResult],
    ours: Sequence[ClaimResult],
    width: int,
    broken: Sequence[PublishedGate] = (),
) -> Block:
    lines, notes = claims_table.reported(rows)
    statement = max(len(claims_table.name(line.row)) for line in lines)
    tail = [Text(f"  {note}", "yellow") for note in notes]
    if adjusted := claims_table.adjusted(rows):
        tail.append(Text(f"  {adjusted}", "dim"))
    if len(rows) < len(ours):
        more = f"{len(ours) - len(rows)} more of this study could not be judged here"
        tail.append(Text(f"  {more}: deadheat claims", "dim"))
    tail += [Text(f"  ! {claims_table.gate(gate)}", "yellow") for gate in broken]
    return Block(
        Text(f"claims · {study} · {claims_table.totals(rows)}", "bold"),
        tuple(_claim(line, statement, width) for line in lines),
        tuple(tail),
    )


def _claim(line: claims_table.ClaimRow, statement: int, width: int) -> tuple[Text, ...]:
    """In one line where that is wide enough, else in two."""
    answer = (line.direction.ljust(9), claims_table.STYLES[line.direction])
    here = f"  {line.size.ljust(12)}  {line.here}"
    name = f"  {claims_table.name(line.row):<{statement}}"
    if len(name) + 11 + len(here) <= width:
        return (Text.assemble(f"{name}  ", answer, here),)
    return Text(name.rstrip()), Text.assemble("    ", answer, here)
