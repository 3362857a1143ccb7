"""The form in which ghz shows a run to people, for whichever generator's figures stand beside one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

LONGEST_BAR = 40


def lines(
    histogram: Sequence[tuple[float, int]],
    percentiles: Sequence[tuple[float, float]],
    statuses: Mapping[str, int],
) -> tuple[str, ...]:
    """Histogram (upper ends in ms, counts), percentiles (percent, ms), and how calls ended."""
    return (
        "Response time histogram (ms):",
        *_bars(histogram),
        "Latency distribution:",
        *(f"  {percent:g} % in {ms:.2f} ms" for percent, ms in percentiles),
        "Status code distribution:",
        *(f"  [{status}]   {count} responses" for status, count in statuses.items()),
    )


def _bars(histogram: Sequence[tuple[float, int]]) -> Iterator[str]:
    marks = [f"{mark:.3f}" for mark, _ in histogram]
    counts = [f"[{count}]" for _, count in histogram]
    wide, deep = max(map(len, marks), default=0), max(map(len, counts), default=0)
    most = max((count for _, count in histogram), default=0) or 1
    for mark, shown, (_, count) in zip(marks, counts, histogram, strict=True):
        yield f"  {mark:<{wide}} {shown:<{deep}} |" + "∎" * round(LONGEST_BAR * count / most)
