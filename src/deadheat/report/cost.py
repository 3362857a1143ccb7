"""What serving costs, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deadheat.model.result import RaceResult
from deadheat.report import words
from deadheat.results.cost import Cost, Wanted

HEADER = ("", "cores by CPU time", "a machine serves", "machines", "a million {unit}s")


def lines(race: RaceResult, cores: int, wanted: Wanted, found: Sequence[Cost]) -> Iterator[str]:
    """A title, and a row a contender."""
    unit = words.asked(race.kind)
    asked = [f"machines of {cores} core{'s' * (cores != 1)}"]
    if wanted.rate_rps is not None:
        asked.append(f"{words.figure(wanted.rate_rps)} {unit}s/s")
    if wanted.p99_s is not None:
        asked.append(f"p99 within {words.seconds(wanted.p99_s)}")
    yield f"{race.name}{f' [{race.setting}]' if race.setting else ''} · {', '.join(asked)}"
    table = [[one.format(unit=unit) for one in HEADER], *(_row(one, unit) for one in found)]
    widths = [max(len(row[at]) for row in table) for at in range(len(HEADER))]
    for row in table:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
    yield from (f"  {one.contender}: {one.why}" for one in found if one.why is not None)


def _row(one: Cost, unit: str) -> list[str]:
    machines = one.machines
    return [
        one.contender,
        _between(one.cpu_cores),
        f"{_between(one.machine_rps)} {unit}s/s" if one.machine_rps is not None else words.DASH,
        words.DASH if machines is None else _between((float(machines[0]), float(machines[1]))),
        _between(one.million),
    ]


def _between(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return words.DASH
    low, high = (words.figure(end) for end in ends)
    return low if low == high else f"{low} to {high}"
