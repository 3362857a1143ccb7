"""docs/performance.md: what programs write stands between marks that name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
END = "<!-- end -->"


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; the first of the rows is its header."""
    header, *others = rows
    return ["| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *others)]


def put(program: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Puts `lines` between the marks of `program`; raises ValueError where there are none."""
    begin = f"<!-- begin: {program} -->"
    before, found, rest = page.read_text().partition(begin)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"{page}: no {begin} with {END} behind it")
    page.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + END + after)
