"""What pictures need beyond results: latency curves and single turns, taken from a run's journal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from hdrh.histogram import HdrHistogram

from deadheat.model.histogram import BEYOND, DIGITS, HIGHEST_NS, LOWEST_NS
from deadheat.model.observation import ColdStart, Ended, Invocation, Observation, OpenLoop, Slice
from deadheat.storage.journal import whole_blocks

# Five to each halving, as HdrHistogram prints them, would be too many to be seen apart.
PERCENTILES = (1, 5, 10, 25, 50, 60, 75, 80, 90, 92.5, 95, 97.5, 98, 99, 99.5, 99.75, 99.9, 99.95, 99.99)
Point = tuple[float, float]
Turn = Slice | Invocation | ColdStart


@dataclass(frozen=True)
class Curve:
    """A contender's latencies: (percentile, milliseconds). `load` and `at_rps` where it was open loop."""

    entry: str
    points: tuple[Point, ...]
    load: float | None = None
    at_rps: float | None = None


@dataclass
class Turns:
    """Each entry's turns: (seconds since the first, speed against its own median). Blocks as (from, to)."""

    of: dict[str, list[Point]] = field(default_factory=dict)
    blocks: tuple[tuple[float, float], ...] = ()
    span: tuple[float, float] = (0.0, 0.0)


@dataclass
class Evidence:
    """Of one race."""

    curves: tuple[Curve, ...] = ()
    turns: Turns | None = None


def evidence(observations: Sequence[Observation]) -> dict[str, Evidence]:
    """Of each race by its key in the journal."""
    turns: dict[str, list[Turn]] = {}
    closed: dict[str, dict[str, list[str]]] = {}
    open_: dict[str, dict[float, dict[str, list[OpenLoop]]]] = {}
    for o in whole_blocks(list(observations)):
        if isinstance(o, ColdStart) or (isinstance(o, Slice | Invocation) and not o.warm_up):
            turns.setdefault(o.race, []).append(o)
        elif isinstance(o, Ended) and o.hdr:
            closed.setdefault(o.race, {}).setdefault(o.entry, []).append(o.hdr)
        elif isinstance(o, OpenLoop):
            loads = open_.setdefault(o.race, {})
            loads.setdefault(o.load, {}).setdefault(o.entry, []).append(o)
    return {
        race: Evidence(_curves(closed.get(race, {}), open_.get(race, {})), _turns(turns.get(race, [])))
        for race in turns.keys() | closed.keys()
    }


def _curves(closed: dict[str, list[str]], open_: dict[float, dict[str, list[OpenLoop]]]) -> tuple[Curve, ...]:
    """At the highest common load where there is one; a closed loop's otherwise."""
    if open_:
        load = max(open_)
        return tuple(
            Curve(entry, _points([turn.hdr for turn in turns]), load, turns[0].rate_rps)
            for entry, turns in open_[load].items()
            if not any(turn.unsent or sum(turn.errors.values()) for turn in turns)
        )
    return tuple(Curve(entry, _points(encoded)) for entry, encoded in closed.items())


def _points(encoded: Sequence[str]) -> tuple[Point, ...]:
    """Milliseconds at each percentile beyond which at least ten observations lie."""
    merged = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for text in encoded:
        merged.decode_and_add(text)
    count = merged.get_total_count()
    supported = [p for p in PERCENTILES if count * (1 - p / 100) >= BEYOND]
    values = merged.get_percentile_to_value_dict(supported) if supported else {}
    return tuple((p, values[p] / 1e6) for p in supported)


def _turns(turns: Sequence[Turn]) -> Turns | None:
    if not turns:
        return None
    first = min(map(_at_ns, turns))
    of: dict[str, list[Point]] = {}
    blocks: dict[int, list[float]] = {}
    for turn in turns:
        at = (_at_ns(turn) - first) / 1e9
        blocks.setdefault(turn.block, []).append(at)
        speed = _speed(turn)
        if speed > 0:
            of.setdefault(turn.entry, []).append((at, speed))
    for entry, points in of.items():
        middle = median(speed for _, speed in points)
        of[entry] = sorted((at, speed / middle) for at, speed in points)
    ends = [at for times in blocks.values() for at in times]
    spans = sorted((min(times), max(times)) for times in blocks.values())
    return Turns(of, tuple(spans), (min(ends), max(ends)))


def _at_ns(turn: Turn) -> int:
    return turn.counted_from_ns if isinstance(turn, Slice) else turn.at_ns


def _speed(turn: Turn) -> float:
    if isinstance(turn, Slice):
        return turn.replies / turn.counted_s
    if isinstance(turn, ColdStart):
        return 1 / turn.reply_10000_s
    return 1 / turn.wall_s if turn.wall_s > 0 else 0.0
