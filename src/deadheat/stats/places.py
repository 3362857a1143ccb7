"""Who came first, second, and who share a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A contender's place, counted as in sport (1, 2=, 2=, 4).

    `told_apart` names those of the same place that it can nevertheless be told apart from: being
    indistinguishable is not transitive, and a chain of near neighbours ends in contenders that do differ.
    """

    place: int
    contender: str
    shared: bool
    told_apart: tuple[str, ...] = ()


def places(fastest_first: Sequence[str], apart: Callable[[str, str], bool]) -> list[Place]:
    """Places of contenders given fastest first; those that cannot be told apart share one.

    `apart(a, b)` is asked of each pair, the faster first. A group ends only where everyone so far is told
    apart from everyone after.
    """
    groups: list[list[str]] = []
    for contender in fastest_first:
        # The first group with anyone it cannot be told apart from, and all groups after it, become one.
        alike = (i for i, group in enumerate(groups) if not all(apart(m, contender) for m in group))
        first = next(alike, len(groups))
        groups[first:] = [[*(m for group in groups[first:] for m in group), contender]]
    result: list[Place] = []
    for group in groups:
        place = len(result) + 1
        for i, contender in enumerate(group):
            others = [m for m in group[:i] if apart(m, contender)] + [
                m for m in group[i + 1 :] if apart(contender, m)
            ]
            result.append(Place(place, contender, len(group) > 1, tuple(others)))
    return result
