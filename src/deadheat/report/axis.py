"""Axes of the pictures: round numbers on them, and where a value lies."""

import math
from dataclasses import dataclass

TICKS = 9


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, logarithmic or linear. Positions are shares of its length, 0 to 1."""

    low: float
    high: float
    log: bool = True

    def at(self, value: float) -> float:
        """Where a value lies; beyond an end, at that end."""
        return min(max(self.unbounded(value), 0.0), 1.0)

    def unbounded(self, value: float) -> float:
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        return math.log(max(value, 1e-12) / self.low) / math.log(self.high / self.low)

    def ticks(self, most: int = TICKS) -> list[float]:
        return ticks(self.low, self.high, most) if self.log else linear_ticks(self.low, self.high, most)


def ticks(low: float, high: float, most: int = TICKS) -> list[float]:
    """Round numbers between two positive ends of a logarithmic axis."""
    if high / low <= 8:
        return linear_ticks(low, high, most)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        steps = [round(m * 10.0**e, 12) for e in decades for m in factors]
        found = [step for step in steps if low <= step <= high]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def linear_ticks(low: float, high: float, most: int = TICKS) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between two ends."""
    if not high > low:
        return [low]
    exponent = math.floor(math.log10(high - low)) - 2
    sizes = (m * 10.0**e for e in range(exponent, exponent + 5) for m in (1, 2, 5))
    step = next(size for size in sizes if (high - low) / size <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]
