"""A workload raced in several settings: how each contender's figure, and the order, change from one to the
next."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from deadheat.model.result import ContenderResult, Measure, RaceResult, Results
from deadheat.report import words

Table = list[list[str]]


def tables(results: Results) -> Iterator[tuple[str, Table]]:
    """For each workload raced in several settings a title and a table: the header, then a row a contender.

    A cell is the contender's own figure and how many times as fast as the reference it is there; where the
    races differ in the servers' cores, its figure a core too.
    """
    ours = [result for result in results.workloads if result.method == "deadheat" and result.slices]
    key = _same_measurement
    for _, group in groupby(sorted(ours, key=key), key):
        races = sorted(group, key=_place)
        if len(races) > 1:
            first = races[0]
            a_core = "; a core" if first.server_cores is not None else ""
            unit = words.unit(first.metric, first.kind)
            title = f"{first.name} · {unit} (times as fast as {first.reference}){a_core}"
            yield title, _table(races)


def _place(race: RaceResult) -> tuple[int, int, int]:
    return race.server_cores or 0, race.connections or 0, race.streams or 0


def _same_measurement(race: RaceResult) -> tuple[str, str, str]:
    """Races with one metric against one server; only then do figures of two settings belong side by side."""
    server = next((part for part in (race.setting or "").split() if "=" not in part), "")
    return race.name, race.metric, server


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
    """Whether a contender is faster or slower than the reference of a race; None where that is not known."""
    row = next((row for row in race.contenders if row.id == id_), None)
    against = row.against_reference if row and row.status == "measured" else None
    if against is None or against.ci is None or against.ci[0] <= 1 <= against.ci[1]:
        return None
    return "faster" if against.ratio > 1 else "slower"


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
    own = words.own_measure(race.metric, row)
    return words.amount(race.metric, own) + _against(race, row) + _a_core(race, own)


def _cores(count: int) -> str:
    return "1 core" if count == 1 else f"{count} cores"


def _a_core(race: RaceResult, own: Measure | None) -> str:
    """Throughput a core; costs in time are not shared out."""
    if race.server_cores is None or race.metric != "throughput_rps" or own is None:
        return ""
    return f"; {words.figure(own.estimate / race.server_cores)}"


def _against(race: RaceResult, row: ContenderResult) -> str:
    if row.id == race.reference:
        return " (1)"
    return f" ({words.ratio(row.against_reference.ratio)})" if row.against_reference else ""
