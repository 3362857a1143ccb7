"""Whether a server under load is still getting faster: what ends its warm-up."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np

from deadheat.stats.estimate import FloatArray

# Rates over this long are the unit: a stall within one is its own, and a tenth of a second holds thousands
# of requests of all but the slowest servers.
BIN_MS = 100
SHORTEST_S, LONGEST_S = 0.5, 30.0
# A start of which nothing is known is watched at least so long: before its compiler has begun a JVM is flat,
# at its interpreter's level. Of Spring Boot's starts (three curves of tests/stats/test_steady.py, with 5 to
# 20% of noise) a rise was ruled out within 2 s in a quarter to nearly all; watched for 3 s, in 0 to 8%.
UNKNOWN_S = 3.0
# A last third faster than the third before it by more than this, and by more than their noise, is a rise.
RISE = 0.03
NOISE = 2.0
# What nobody has watched before is flat only once a rise by more than this can be ruled out, of all that
# could still come: in a curve as noisy as a compiling JVM's on one core, seeing no rise says nothing.
RULED_OUT = 0.10
# A level that has not lasted for twice as long as the way to it may be a step of a longer one.
LASTED = 3.0
# One watched start in ten may be let go at a step of its way, or in a second in which the machine is slow. So
# two tell what is needed where both needed no more than this, or the one no more than so many times what the
# other did; else three do. As long as no more are known, each race watches one of its own too.
SOON_S, AGREE, WATCHED = 1.0, 2.0, 3
# A start may take longer than those before it, by as much as they took, but hardly by more than this.
LATER_S = 1.0
# From the middle of the third before the last to that of the last, in log time.
_THIRDS = math.log((5 / 6) / (1 / 2))
# Fewer bins tell nothing.
FEWEST_BINS = 5
# From where on a curve counts as at its final level.
SETTLED = 0.03


def rates_rps(replies: tuple[int, ...], bin_ms: int, *, into_ms: int = BIN_MS) -> FloatArray:
    """Replies a second in bins of `into_ms`, from replies in bins of `bin_ms`; an incomplete last one is
    left out, being the rest of a span and no bin."""
    per = max(1, into_ms // bin_ms)
    whole = len(replies) // per
    counts = np.array(replies[: whole * per], dtype=float).reshape(whole, per).sum(axis=1)
    return np.asarray(counts / (per * bin_ms / 1000))


def still_rising(rates: FloatArray) -> bool:
    """Whether the last third of a warm-up's bins is faster than the third before it.

    By more than `RISE` and by more than twice the standard error of the difference. Thirds grow with the
    time watched, so that a slow compiler is seen through noise that a short window would drown it in; what
    rises by less goes on to be seen as drift within blocks. Fewer than five bins tell nothing: False.
    """
    if len(rates) < FEWEST_BINS:
        return False
    rise, error = _rise(rates)
    return rise > RISE and rise > NOISE * error


def still_rising_from(rates: FloatArray, settled: int) -> bool:
    """Whether it rises both as a whole and from bin `settled` on, where earlier starts were at their level.

    As a whole a slow start is seen to rise until twice as long again has passed.
    """
    tail = rates[settled:]
    return still_rising(rates) and (len(tail) < FEWEST_BINS or still_rising(tail))


def surely_flat(rates: FloatArray) -> bool:
    """Whether what is still to come until `LONGEST_S` is less than `RULED_OUT`, even where the last third
    rose by twice the standard error more over the third before it than was seen.

    What warms up does so ever more slowly, at worst by as much each time that its time doubles: so a rise
    from third to third of 6% after 4 s is one of 24% until 30 s, after 15 s of 8%. A compiler may also stand
    still for seconds between two steps: a level has to last for twice as long as the way to it took. Fewer
    than five bins tell nothing: False.
    """
    if len(rates) < FEWEST_BINS:
        return False
    if len(rates) * BIN_MS < LASTED * settled_s(rates) * 1000:
        return False
    rise, error = _rise(rates)
    return (rise + NOISE * error) * _to_come(len(rates)) < RULED_OUT


def _to_come(bins: int) -> float:
    """How many such rises there are until `LONGEST_S`."""
    return max(0.0, math.log(LONGEST_S * 1000 / (bins * BIN_MS))) / _THIRDS


def known_s(needed_s: Sequence[float]) -> float | None:
    """How long a start needs to be at its level, by what watched ones needed, seconds: the longest of two
    that agree or of three, the median of more. None where another is to be watched first."""
    if len(needed_s) < 2:
        return None
    least, most = min(needed_s), max(needed_s)
    if len(needed_s) < WATCHED and most > max(SOON_S, AGREE * least):
        return None
    return most if len(needed_s) <= WATCHED else statistics.median(needed_s)


def load_s(known_s: float) -> float:
    """For how long to load a start, at least, where others were at their level after `known_s`."""
    return max(SHORTEST_S, known_s + min(known_s, LATER_S))


def _rise(rates: FloatArray) -> tuple[float, float]:
    """Log of the last third over the third before it, and its standard error."""
    third = max(2, len(rates) // 3)
    last, before = rates[-third:], rates[-2 * third : -third]
    if before.mean() <= 0:
        return (math.inf if last.mean() > 0 else 0.0), 0.0
    rise = math.log(max(last.mean(), 1e-9) / before.mean())
    # Noise by second differences, which a trend, being what is looked for, hardly touches.
    bends = np.diff(rates[-2 * third :], n=2)
    noise = math.sqrt(float(np.mean(bends * bends)) / 6) / float(before.mean())
    return rise, noise * math.sqrt(2 / third)


def level_rps(rates: FloatArray) -> float:
    """Where a warm-up ended: the mean of its last third; 0 of one without a whole bin."""
    if not len(rates):
        return 0.0
    return float(rates[-max(1, len(rates) // 3) :].mean())


def settled_s(rates: FloatArray, *, bin_ms: int = BIN_MS) -> float:
    """The earliest time, in seconds, from which on a warm-up was at its final level.

    From there to the end its mean rate is within 3% of the last third's, which is taken as final.
    """
    if len(rates) < 3:
        return len(rates) * bin_ms / 1000
    final = level_rps(rates)
    if final <= 0:
        return len(rates) * bin_ms / 1000
    # Means of what is left, and of a short window from here on: a slow start is not to be averaged away.
    window = max(1, len(rates) // 10)
    for start in range(len(rates)):
        soon = rates[start : start + window].mean()
        if soon >= (1 - SETTLED) * final:
            return start * bin_ms / 1000
    return len(rates) * bin_ms / 1000
