"""A forest plot in text: ratios to the reference with their intervals, on a logarithmic axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from deadheat.model.result import Interval, RaceResult
from deadheat.report import axis, verdicts, words

# Ratios beyond this many times the others' would leave no room to see an interval.
WIDEST = 4.0


@dataclass(frozen=True)
class Mark:
    """One line of the plot."""

    label: str
    ratio: float
    ci: Interval | None


def marks(result: RaceResult) -> list[Mark]:
    """The contenders that were compared, ceilings left out, and the null pair last."""
    found = [
        Mark(row.id, row.against_reference.ratio, _shown(verdicts.judged_interval(result, row), result))
        for row in result.contenders
        if row.against_reference is not None and row.class_ != "ceiling"
    ]
    if result.null_pair is not None:
        found.append(Mark("null pair", result.null_pair.ratio, _shown(result.null_pair.ci, result)))
    return found


def _shown(ci: Interval | None, result: RaceResult) -> Interval | None:
    return ci if ci is not None and words.is_interval(ci, result.blocks, result.method_version) else None


def draw(marks: Sequence[Mark], margin: float, width: int = 78) -> list[str]:
    """Lines of at most `width` columns; none where there is nothing to compare or no room."""
    label = min(max((len(mark.label) for mark in marks), default=0), 24)
    columns = width - label - 4
    if not marks or columns < 20:
        return []
    low, high = span(marks, margin)
    scale = (columns - 1) / (math.log(high) - math.log(low))

    def column(ratio: float) -> int:
        at = round((math.log(max(ratio, 1e-9)) - math.log(low)) * scale)
        return min(max(at, 0), columns - 1)

    lines = [" " * (label + 4) + _axis(low, high, columns, column)]
    for mark in marks:
        cells = [" "] * columns
        for at in range(column(1 / (1 + margin)), column(1 + margin) + 1):
            cells[at] = "░"
        cells[column(1)] = "│"
        if mark.ci is not None:
            left, right = column(mark.ci[0]), column(mark.ci[1])
            cells[left : right + 1] = "─" * (right - left + 1)
            cells[left], cells[right] = "├", "┤"
        cells[column(mark.ratio)] = "●"
        lines.append(f"  {mark.label[:label]:<{label}}  {''.join(cells)}".rstrip())
    return lines


def span(marks: Sequence[Mark], margin: float) -> tuple[float, float]:
    """The ends of the axis: every mark with its interval, unless that is wild."""
    ends = [end for mark in marks for end in (mark.ratio, *(mark.ci or ()))]
    low = min(1 / (1 + 2 * margin), *ends)
    high = max(1 + 2 * margin, *ends)
    # A wild interval is cut at the edge rather than squeezing all the others.
    low = max(low, min(mark.ratio for mark in marks) / WIDEST, 1e-6)
    high = min(high, max(1.0, *(mark.ratio for mark in marks)) * WIDEST)
    room = (high / low) ** 0.04
    return low / room, high * room


def _axis(low: float, high: float, columns: int, column: object) -> str:
    assert callable(column)
    cells = [" "] * columns
    end = -2
    for tick in axis.ticks(low, high):
        text = f"{tick:g}"
        at = column(tick) - len(text) // 2
        if at > end + 1 and at >= 0 and at + len(text) <= columns:
            cells[at : at + len(text)] = text
            end = at + len(text)
    return "".join(cells).rstrip()
