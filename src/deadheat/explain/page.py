"""What is printed: both contenders side by side, as values. How it looks: terminal.py and markdown.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from deadheat.explain import patterns, sentences
from deadheat.explain.patterns import Pattern
from deadheat.explain.quantity import QUANTITIES
from deadheat.explain.reading import Observed, Reading
from deadheat.model.kinds.registry import Kind

# A system call that is rarer than this in both is left out of the table, and counted in "others".
RARE = 0.005
MOST_CALLS = 12


@dataclass(frozen=True)
class Row:
    """A figure of both, None where it could not be had. `key` is a quantity's, or a name of a system call."""

    key: str
    label: str
    unit: str
    a: float | None
    b: float | None


@dataclass(frozen=True)
class Cost:
    """What was left of the speed under an instrument, as a share of that without: 0.4 is 2.5 times slower."""

    instrument: str
    title: str
    a: float | None
    b: float | None


@dataclass(frozen=True)
class Gap:
    """What could not be looked at, on which contenders, and why."""

    instrument: str
    contenders: tuple[str, ...]
    why: str
    install: str | None


@dataclass(frozen=True)
class Picture:
    """A drawing in the page's folder."""

    file: str
    title: str


@dataclass(frozen=True)
class Page:
    """A whole explanation."""

    workload: str
    kind: Kind
    a: str
    b: str
    per: str
    when: str
    command: tuple[str, ...]
    conditions: str
    seconds: float
    took_s: float
    rows: tuple[Row, ...]
    calls: tuple[Row, ...]
    frames: tuple[Row, ...]
    functions: tuple[Row, ...]
    costs: tuple[Cost, ...]
    patterns: tuple[Pattern, ...]
    gaps: tuple[Gap, ...]
    pictures: tuple[Picture, ...]
    notes: tuple[str, ...]
    sentences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For explain.json and --json."""
        return {"schema": 1, **asdict(self)}


def noun(per: str) -> str:
    """`a call`: call."""
    return per.removeprefix("a ")


def rows(a: Reading, b: Reading, per: str) -> tuple[Row, ...]:
    """The quantities that either has, in the order of the page, in the words of the kind."""
    return tuple(
        Row(
            q.key,
            q.label.replace("requests", f"{noun(per)}s"),
            q.unit,
            a.values.get(q.key),
            b.values.get(q.key),
        )
        for q in QUANTITIES
        if q.key in a.values or q.key in b.values
    )


def by_name(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[Row, ...]:
    """Counts (system calls, frames) by name, the most frequent first; the rare ones of both as one row."""
    names = sorted({*a, *b}, key=lambda name: -max(a.get(name, 0), b.get(name, 0)))
    often = [n for n in names if max(a.get(n, 0), b.get(n, 0)) >= RARE][:MOST_CALLS]
    rare = [name for name in names if name not in often]

    def of(counts: Mapping[str, float], wanted: Iterable[str]) -> float | None:
        return sum(counts.get(name, 0.0) for name in wanted) if counts else None

    shown = [Row(name, name, "", of(a, [name]), of(b, [name])) for name in often]
    if rare:
        shown.append(Row("others", f"{len(rare)} others", "", of(a, rare), of(b, rare)))
    return tuple(shown)


def functions(a: Reading, b: Reading, most: int = 12) -> tuple[Row, ...]:
    """Where the time is: the functions that take the most of their own, in either; microseconds."""
    names = sorted(
        {*a.functions, *b.functions},
        key=lambda name: -max(a.functions.get(name, 0), b.functions.get(name, 0)),
    )
    return tuple(
        Row(name, name, "µs", *(r.functions.get(name, 0.0) if r.functions else None for r in (a, b)))
        for name in names[:most]
    )


def notes(*readings: Reading) -> tuple[str, ...]:
    """What must be known to read the figures, each said once."""
    said = (text for r in readings for name, text in r.facts.items() if name.startswith("note "))
    return tuple(dict.fromkeys(text[:1].upper() + text[1:] for text in said))


def merged(observed: Iterable[Observed], contender: str) -> Reading:
    """All that was found out about a contender. The speed is that of the first instrument: none."""
    values: dict[str, float] = {}
    by_name: dict[str, float] = {}
    by_type: dict[str, float] = {}
    by_function: dict[str, float] = {}
    facts: dict[str, str] = {}
    for reading in (o.reading for o in observed if o.contender == contender and o.reading):
        values |= reading.values
        by_name |= reading.calls
        by_type |= reading.frames
        by_function |= reading.functions
        facts |= reading.facts
    return Reading(values, by_name, by_function, facts, by_type)


def costs(
    observed: Sequence[Observed], titles: Sequence[tuple[str, str]], a: str, b: str
) -> tuple[Cost, ...]:
    """Each instrument's cost: `titles` are names and titles, the plain one first."""
    found = []
    plain = titles[0][0]
    for name, title in titles[1:]:
        shares = [_share(_of(observed, plain, id_), _of(observed, name, id_)) for id_ in (a, b)]
        if any(share is not None for share in shares):
            found.append(Cost(name, title, shares[0], shares[1]))
    return tuple(found)


def gaps(observed: Iterable[Observed]) -> tuple[Gap, ...]:
    """What is missing, the same lack of both contenders as one."""
    found: dict[tuple[str, str, str | None], list[str]] = {}
    for o in observed:
        if o.missing is not None:
            found.setdefault((o.instrument, o.missing.why, o.missing.install), []).append(o.contender)
    return tuple(Gap(name, tuple(ids), why, install) for (name, why, install), ids in found.items())


def findings(
    a: str, b: str, of_a: Reading, of_b: Reading, per: str
) -> tuple[tuple[Pattern, ...], tuple[str, ...]]:
    """Patterns and sentences."""
    known = (*patterns.recognise(a, of_a, per), *patterns.recognise(b, of_b, per))
    return known, sentences.largest(a, b, of_a, of_b, per)


def _of(observed: Iterable[Observed], instrument: str, contender: str) -> Reading | None:
    return next((o.reading for o in observed if (o.instrument, o.contender) == (instrument, contender)), None)


def _share(plain: Reading | None, under: Reading | None) -> float | None:
    if plain is None or under is None:
        return None
    if plain.throughput_rps and under.throughput_rps:
        return under.throughput_rps / plain.throughput_rps
    if plain.wall_s and under.wall_s:
        return plain.wall_s / under.wall_s
    return None
