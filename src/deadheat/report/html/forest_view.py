"""The forest plot of a race: where each ratio and its interval lie, as shares of the width."""

from dataclasses import dataclass

from deadheat.model.result import Interval, RaceResult
from deadheat.report import forest
from deadheat.report.axis import Axis

TICKS = 7


@dataclass(frozen=True)
class Bar:
    """A ratio with its interval, all positions 0 to 100. `beyond`: the ratio lies outside the picture."""

    x: float
    left: float | None
    right: float | None
    beyond: str | None


@dataclass(frozen=True)
class Forest:
    axis: Axis
    ticks: tuple[tuple[float, str], ...]
    one: float
    band: tuple[float, float]

    def bar(self, ratio: float, ci: Interval | None) -> Bar:
        beyond = "left" if ratio < self.axis.low else "right" if ratio > self.axis.high else None
        left, right = (percent(self.axis, ci[0]), percent(self.axis, ci[1])) if ci else (None, None)
        return Bar(percent(self.axis, ratio), left, right, beyond)


def forest_of(result: RaceResult, margin: float) -> Forest | None:
    """None where nothing was compared."""
    marks = forest.marks(result)
    if not marks:
        return None
    low, high = forest.span(marks, margin)
    axis = Axis(low, high)
    left, right = percent(axis, 1 / (1 + margin)), percent(axis, 1 + margin)
    return Forest(
        axis=axis,
        ticks=tuple((percent(axis, tick), f"{tick:g}") for tick in axis.ticks(TICKS)),
        one=percent(axis, 1.0),
        band=(left, round(right - left, 2)),
    )


def percent(axis: Axis, value: float) -> float:
    return round(100 * axis.at(value), 2)
