"""A workload raced in several settings: how each contender's figure, and the order, change from one to the
next."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from deadheat import stats
from deadheat.model.result import ContenderResult, Measure, RaceResult, Results
from deadheat.report import verdicts, words
from deadheat.stats import Point

Table = list[list[str]]


class Curve(NamedTuple):
    """A title, a table, and where the order turns, a sentence each."""

    title: str
    table: Table
    turns: tuple[str, ...]


def tables(results: Results) -> Iterator[Curve]:
    """For each workload raced in several settings a title and a table: the header, then a row a contender.

    A cell is the contender's own figure and how many times as fast as the reference it is there; where the
    races differ in the servers' cores, its figure a core too.
    """
    for races in _sweeps(results):
        first = races[0]
        a_core = "; a core" if first.server_cores is not None else ""
        unit = words.unit(first.judged, first.kind)
        title = f"{first.name} · {unit} (times {words.as_good(first.judged_by)} as {first.reference}){a_core}"
        yield Curve(title, _table(races), tuple(_crossings(races)))


def _crossings(races: Sequence[RaceResult]) -> Iterator[str]:
    """`go overtakes node above about 120 connections (90 to 160)`: where the order turns, between settings
    at which it is sure on either side; a sentence for each contender and turn."""
    noun, places = _along(races)
    reference = races[0].reference
    for id_ in dict.fromkeys(row.id for race in races for row in race.contenders):
        points = [
            Point(at, *judged)
            for at, race in zip(places, races, strict=True)
            if at > 0 and (judged := _judged(race, id_)) is not None
        ]
        for found in stats.crossings(points):
            a, b = (id_, reference) if found.rises else (reference, id_)
            low, at, high = (words.figure(end) for end in (found.low, found.at, found.high))
            yield f"{a} overtakes {b} above about {at} {noun} ({low} to {high})"


def _sweeps(results: Results) -> Iterator[list[RaceResult]]:
    """The races of each workload that was raced in several settings, in their order."""
    ours = [result for result in results.workloads if result.method == "deadheat" and result.slices]
    key = _same_measurement
    for _, group in groupby(sorted(ours, key=key), key):
        races = sorted(group, key=_place)
        if len(races) > 1:
            yield races


def _along(races: Sequence[RaceResult]) -> tuple[str, Sequence[float]]:
    """What grows from one race to the next, and how much it is in each; 0 everywhere, where several things or
    none that has a size do."""
    of_load = {
        "connections": [race.connections or 0 for race in races],
        "streams": [race.streams or 0 for race in races],
    }
    if len({race.server_cores for race in races}) > 1:  # there is nothing between one core and two
        return "", [0.0] * len(races)
    grows = {noun: at for noun, at in of_load.items() if len(set(at)) > 1}
    declared = [_numbers(race) for race in races]
    for noun in {name for one in declared for name in one}:
        # The default has no word in a setting, and its size is not known here.
        grows[noun] = [int(one.get(noun, 0)) for one in declared]
    if len(grows) != 1:
        return "", [0.0] * len(races)
    [(noun, places)] = grows.items()
    return noun, [float(at) for at in places]


def _numbers(race: RaceResult) -> dict[str, float]:
    """`depth=10` of a setting, by name."""
    pairs = [part.partition("=") for part in (race.setting or "").split()]
    return {
        name: float(value)
        for name, _, value in pairs
        if value.isdecimal() and name not in ("connections", "streams", "cores")
    }


def _judged(race: RaceResult, id_: str) -> tuple[float, float, float] | None:
    """The ratio of a contender to the reference with the interval that it was judged by; None where that has
    no verdict."""
    row = next((row for row in race.contenders if row.id == id_), None)
    if row is None or row.against_reference is None:
        return None
    verdict, ci = verdicts.verdict_of(race, row), verdicts.judged_interval(race, row)
    if verdict is None or verdict.verdict == "invalid" or ci is None:
        return None
    return row.against_reference.ratio, *ci


def _place(race: RaceResult) -> tuple[int, int, int]:
    return race.server_cores or 0, race.connections or 0, race.streams or 0


def _same_measurement(race: RaceResult) -> tuple[str, str, str]:
    """Races with one metric against one server; only then do figures of two settings belong side by side."""
    server = next((part for part in (race.setting or "").split() if "=" not in part), "")
    return race.name, race.judged, server


def _table(races: Sequence[RaceResult]) -> Table:
    ids = list(dict.fromkeys(row.id for race in races for row in race.contenders))
    labels = [_label(race, races) for race in races]
    header = ["", *labels, f"against {races[0].reference}"]
    return [header, *([id_, *(_cell(race, id_) for race in races), _turn(races, labels, id_)] for id_ in ids)]


def _turn(races: Sequence[RaceResult], labels: Sequence[str], id_: str) -> str:
    """Where the order of a contender and the reference turns: the settings whose interval leaves
    1 out, and the others where the contender was measured are open."""
    if id_ == races[0].reference:
        return ""
    raced = [(race, label) for race, label in zip(races, labels, strict=True) if _measured(race, id_)]
    sides: dict[str, list[str]] = {}
    for race, label in raced:
        sides.setdefault(_side(race, id_) or "open", []).append(label)
    if len(sides) == 1 and len(raced) == len(races):
        return next(iter(sides))
    return "; ".join(f"{side} at {', '.join(at)}" for side, at in sides.items())


def _measured(race: RaceResult, id_: str) -> bool:
    return any(row.id == id_ and row.status == "measured" for row in race.contenders)


def _side(race: RaceResult, id_: str) -> str | None:
    """Whether a contender is faster or slower (better or worse) than the reference of a race; None where that
    is not known."""
    row = next((row for row in race.contenders if row.id == id_), None)
    against = row.against_reference if row and row.status == "measured" else None
    if against is None or against.ci is None or against.ci[0] <= 1 <= against.ci[1]:
        return None
    return words.answer("faster" if against.ratio > 1 else "slower", race.judged_by)


def _label(race: RaceResult, races: Sequence[RaceResult]) -> str:
    if race.connections is None:
        return race.setting or (f"n={race.n}" if race.n is not None else "default")
    cores = race.server_cores
    if cores is not None and len({(one.connections, one.streams) for one in races}) == 1:
        return _cores(cores)
    label = f"{race.connections:,} connections"
    label = f"{_cores(cores)}, {label}" if cores is not None else label
    several = len({one.streams for one in races}) > 1
    return f"{label}, {race.streams} streams" if several else label


def _cell(race: RaceResult, id_: str) -> str:
    row = next((row for row in race.contenders if row.id == id_), None)
    if row is None:
        return ""
    if row.status != "measured":
        return row.status
    own = words.own_measure(race.judged, row)
    return words.amount(race.judged, own) + _against(race, row) + _a_core(race, own)


def _cores(count: int) -> str:
    return "1 core" if count == 1 else f"{count} cores"


def _a_core(race: RaceResult, own: Measure | None) -> str:
    """Throughput a core; costs in time are not shared out."""
    if race.server_cores is None or race.judged != "throughput_rps" or own is None:
        return ""
    return f"; {words.figure(own.estimate / race.server_cores)}"


def _against(race: RaceResult, row: ContenderResult) -> str:
    if row.id == race.reference:
        return " (1)"
    return f" ({words.ratio(row.against_reference.ratio)})" if row.against_reference else ""
