"""Where the letters of contenders go in a picture, so that none covers another. All in percent of it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

Place = tuple[float, float]

# What a letter in its circle takes of a picture's height, and of its width on a phone.
HIGH, WIDE = 8.0, 7.0
# So many letters away from its point, and no further, one is still seen to be its own.
FARTHEST = 4
# Up and down first: a picture is everywhere as high, but on a wide screen a step aside is a long one.
AROUND = ((0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1), (1, 0), (-1, 0))


def spread(positions: Sequence[float]) -> list[float]:
    """Heights moved apart, in the same order, so that the letters at them can be read."""
    apart = min(HIGH, 100 / max(1, len(positions)))
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    moved = list(positions)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + apart)
    limit = 100.0
    for i in reversed(order):
        moved[i] = round(min(moved[i], limit), 2)
        limit = moved[i] - apart
    return moved


def beside(points: Sequence[Place]) -> list[Place]:
    """The letter of each point: on it where it stands alone, else as near as it covers no letter or point."""
    taken: list[Place] = []
    for i, point in enumerate(points):
        others = [*points[:i], *points[i + 1 :]]
        free = [place for place in _around(point) if _apart(place, taken)]
        clear = (place for place in free if _apart(place, others))
        taken.append(next(clear, free[0] if free else point))
    return taken


def _around(point: Place) -> Iterator[Place]:
    yield point
    for away in range(1, FARTHEST + 1):
        for right, down in AROUND:
            place = (round(point[0] + away * right * WIDE, 2), round(point[1] + away * down * HIGH, 2))
            if all(0 <= at <= 100 for at in place):
                yield place


def _apart(place: Place, others: Sequence[Place]) -> bool:
    return all(abs(place[0] - x) >= WIDE or abs(place[1] - y) >= HIGH for x, y in others)
