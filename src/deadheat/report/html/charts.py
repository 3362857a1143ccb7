"""Pictures beside the forest plot: throughput against CPU, latency by percentile, turns over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deadheat.model.result import Measure, RaceResult
from deadheat.report import words
from deadheat.report.axis import Axis
from deadheat.report.html import letters
from deadheat.report.html.evidence import Curve, Turns

Ticks = tuple[tuple[float, str], ...]
TICKS = 6
# Paths are drawn in a box of this many units a side, which the browser stretches.
BOX = 1000
# More points than this on one line are not seen, only heavy: neighbours are averaged.
MOST_POINTS = 160
MOST_POINTS_OF_ALL = 4_000
WIDEST = 2.0


@dataclass(frozen=True)
class Point:
    """A contender: its point, its interval each way, and where its letter stands."""

    key: int
    x: float
    y: float
    left: float
    right: float
    low: float
    high: float
    letter_x: float
    letter_y: float
    label: str

    @property
    def aside(self) -> bool:
        """Whether the letter is not on the point."""
        return (self.letter_x, self.letter_y) != (self.x, self.y)


@dataclass(frozen=True)
class Scatter:
    x_ticks: Ticks
    y_ticks: Ticks
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Line:
    """One contender's latencies: a path on a logarithmic and one on a linear axis, its letter at its end."""

    key: int
    log: str
    linear: str
    log_at: float
    linear_at: float
    label: str


@dataclass(frozen=True)
class Latencies:
    title: str
    note: str
    x_ticks: Ticks
    log_ticks: Ticks
    linear_ticks: Ticks
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Strip:
    """One contender's turns over time: points in the box, 1 (its own median) in the middle."""

    key: int
    path: str


@dataclass(frozen=True)
class Strips:
    blocks: tuple[tuple[float, float], ...]
    ticks: Ticks
    reach: str
    strips: tuple[Strip, ...]


def scatter(result: RaceResult, keys: Mapping[str, int]) -> Scatter | None:
    """Throughput against CPU time a request: up and to the left is better. None with fewer than two."""
    found = [
        (keys[row.id], row.id, row.figures.cpu_us_per_request, row.figures.throughput_rps)
        for row in result.contenders
        if row.figures.cpu_us_per_request is not None and row.figures.throughput_rps is not None
    ]
    if len(found) < 2:
        return None
    x_axis = _reaching([x for _, _, x, _ in found])
    y_axis = _reaching([y for _, _, _, y in found])
    points, rate = [], words.rate(result.kind)
    places = letters.beside([(_right(x_axis, x.estimate), _up(y_axis, y.estimate)) for _, _, x, y in found])
    for (key, name, x, y), (letter_x, letter_y) in zip(found, places, strict=True):
        left, right = x.ci or (x.estimate, x.estimate)
        low, high = y.ci or (y.estimate, y.estimate)
        points.append(
            Point(
                key, _right(x_axis, x.estimate), _up(y_axis, y.estimate),
                _right(x_axis, left), _right(x_axis, right), _up(y_axis, low), _up(y_axis, high),
                letter_x, letter_y,
                f"{name}: {words.figure(y.estimate)} {rate} at {words.figure(x.estimate)} µs of CPU each",
            )
        )  # fmt: skip
    return Scatter(
        tuple((_right(x_axis, t), words.figure(t)) for t in x_axis.ticks(TICKS)),
        tuple((_up(y_axis, t), words.brief(t)) for t in y_axis.ticks(TICKS)),
        tuple(points),
    )


def latencies(curves: Sequence[Curve], keys: Mapping[str, int], kind: str) -> Latencies | None:
    """The percentile plot on HdrHistogram's axis: each further nine takes as much room as the last."""
    curves = [curve for curve in curves if curve.entry in keys and curve.points]
    if not curves:
        return None
    highest = max(points[-1][0] for points in (curve.points for curve in curves))
    x_axis = Axis(1.0, max(_nines(highest), 10.0))
    values = [ms for curve in curves for _, ms in curve.points]
    log_axis = _padded(values)
    linear_axis = Axis(0.0, max(values) * 1.05, log=False)
    last = [curve.points[-1][1] for curve in curves]
    log_ends = letters.spread([_up(log_axis, ms) for ms in last])
    linear_ends = letters.spread([_up(linear_axis, ms) for ms in last])
    lines = []
    for curve, log_at, linear_at in zip(curves, log_ends, linear_ends, strict=True):
        at = [(x_axis.at(_nines(p)), ms) for p, ms in curve.points]
        log = [(x, 1 - log_axis.at(ms)) for x, ms in at]
        linear = [(x, 1 - linear_axis.at(ms)) for x, ms in at]
        label = f"{curve.entry}: " + ", ".join(
            f"{p:g}% below {words.figure(ms)} ms" for p, ms in curve.points if p in (50, 90, 99, 99.9)
        )
        lines.append(Line(keys[curve.entry], path(log), path(linear), log_at, linear_at, label))
    loads = {curve.load for curve in curves}
    rates = {round(curve.at_rps) for curve in curves if curve.at_rps is not None}
    load = next(iter(loads)) if len(loads) == 1 else None
    if load is not None and rates:
        title = f"Latency at equal load: {words.figure(max(rates))} {words.rate(kind)} for each"
        due = f"from when each {words.asked(kind)} was due"
        note = f"open loop, {load:.0%} of the slowest one's capacity, {due}"
    else:
        title = "Latency, each at its own full speed"
        note = "closed loop: the faster server was also asked more; not at equal load"
    return Latencies(
        title,
        note,
        tuple((_right(x_axis, _nines(p)), f"{p:g}%") for p in (50, 90, 99, 99.9, 99.99) if p <= highest),
        tuple((_up(log_axis, t), words.figure(t)) for t in log_axis.ticks(TICKS)),
        tuple((_up(linear_axis, t), words.figure(t)) for t in linear_axis.ticks(TICKS)),
        tuple(lines),
    )


def strips(turns: Turns | None, keys: Mapping[str, int]) -> Strips | None:
    """Every turn against its contender's median: a neighbour on the machine bends all strips at once."""
    if turns is None or not turns.of:
        return None
    begin, end = turns.span
    x_axis = Axis(begin, max(end, begin + 1e-9), log=False)
    most = min(MOST_POINTS, max(1, MOST_POINTS_OF_ALL // len(keys)))
    of = {entry: _thinned(points, most) for entry, points in turns.of.items() if entry in keys}
    away = sorted(max(value, 1 / value) for points in of.values() for _, value in points)
    # One outlier in a hundred may leave the picture, or all the others would be a line.
    reach = max(1.1, away[int(0.99 * (len(away) - 1))] * 1.1) if away else 1.1
    y_axis = Axis(1 / reach, reach)
    return Strips(
        blocks=tuple(
            (_right(x_axis, first), round(100 * (x_axis.at(last) - x_axis.at(first)), 2))
            for first, last in turns.blocks
        ),
        ticks=tuple((_right(x_axis, t), f"{t:g} s") for t in x_axis.ticks(TICKS)),
        reach=words.ratio(reach),
        strips=tuple(
            Strip(keys[entry], dots([(x_axis.at(t), 1 - y_axis.at(value)) for t, value in points]))
            for entry, points in sorted(of.items(), key=lambda pair: keys[pair[0]])
        ),
    )


def path(points: Sequence[tuple[float, float]]) -> str:
    """A line through points given as shares of the box."""
    return "M" + "L".join(f"{BOX * x:.0f} {BOX * y:.0f}" for x, y in points)


def dots(points: Sequence[tuple[float, float]]) -> str:
    """A dot at each point: a line of no length with a round end."""
    return "".join(f"M{BOX * x:.0f} {BOX * y:.0f}h0" for x, y in points)


def _thinned(points: Sequence[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    step = -(-len(points) // most)
    groups = [points[at : at + step] for at in range(0, len(points), step)]
    return [(sum(t for t, _ in g) / len(g), sum(v for _, v in g) / len(g)) for g in groups]


def _nines(percentile: float) -> float:
    """99% -> 100: one of so many observations lies beyond it."""
    return 100 / (100 - min(percentile, 99.9999))


def _reaching(measures: Sequence[Measure]) -> Axis:
    """An axis for figures with their intervals; a wild interval is cut rather than squeezing the others."""
    estimates = [measure.estimate for measure in measures]
    low, high = min(estimates) / WIDEST, max(estimates) * WIDEST
    ends = [end for measure in measures for end in (measure.estimate, *(measure.ci or ()))]
    return _padded([min(max(end, low), high) for end in ends])


def _padded(values: Sequence[float]) -> Axis:
    low, high = min(values), max(values)
    room = max((high / low) ** 0.08, 1.02)
    return Axis(low / room, high * room)


def _right(axis: Axis, value: float) -> float:
    return round(100 * axis.at(value), 2)


def _up(axis: Axis, value: float) -> float:
    return round(100 - 100 * axis.at(value), 2)
