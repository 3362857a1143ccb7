"""The largest differences, in words: "A makes 2.0 system calls a request, B 5.1"."""

from __future__ import annotations

import math
from dataclasses import dataclass

from deadheat.explain.quantity import QUANTITIES, Quantity
from deadheat.explain.reading import Reading

HOW_MANY = 3
# A difference smaller than this is no explanation.
LEAST_RATIO = 1.1
# A system call by name must be as frequent as this in one of the two to be told.
CALL_FLOOR = 0.2


@dataclass(frozen=True)
class _Difference:
    quantity: Quantity
    a: float
    b: float
    family: str

    @property
    def size(self) -> float:
        """The logarithm of the ratio, of figures no smaller than what matters."""
        floor = self.quantity.floor
        return abs(math.log(max(self.a, floor) / max(self.b, floor)))


def largest(a: str, b: str, of_a: Reading, of_b: Reading, per: str, most: int = HOW_MANY) -> tuple[str, ...]:
    """At most three sentences, the largest difference first; none of a part beside its whole."""
    differences = [
        _Difference(q, of_a.values[q.key], of_b.values[q.key], q.part_of or q.key)
        for q in QUANTITIES
        if q.verb is not None and q.key in of_a.values and q.key in of_b.values
    ]
    differences += _calls(of_a, of_b)
    told: list[str] = []
    families: set[str] = set()
    for difference in sorted(differences, key=lambda d: -d.size):
        if difference.size < math.log(LEAST_RATIO) or len(told) == most:
            break
        if difference.family not in families:
            families.add(difference.family)
            told.append(_sentence(a, b, difference, per))
    return tuple(told)


def _calls(of_a: Reading, of_b: Reading) -> list[_Difference]:
    """System calls by name belong to the family of all system calls: one sentence is enough."""
    if not of_a.calls or not of_b.calls:
        return []
    return [
        _Difference(
            Quantity(name, name, floor=CALL_FLOOR, verb=f"calls {name}", object="times {per}"),
            of_a.calls.get(name, 0.0),
            of_b.calls.get(name, 0.0),
            "system_calls",
        )
        for name in {*of_a.calls, *of_b.calls}
    ]


def _sentence(a: str, b: str, difference: _Difference, per: str) -> str:
    quantity = difference.quantity
    object_ = quantity.object.replace("{per}", per)
    return (
        f"{a} {quantity.verb} {figure(difference.a)} {object_}, {b} {figure(difference.b)}"
        f"{_times(difference.a, difference.b, quantity.floor)}."
    )


def _times(a: float, b: float, floor: float) -> str:
    """How many times; nothing where one of the two is hardly there."""
    if min(a, b) < floor / 10 or min(a, b) <= 0:
        return ""
    ratio = max(a, b) / min(a, b)
    return f" ({figure(ratio)} times as much)"


def figure(value: float) -> str:
    """Two or three digits that matter: 0, 0.003, 0.25, 2.0, 31.4, 1,234."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 1:
        return f"{value:.1f}"
    if abs(value) >= 0.1:
        return f"{value:.2f}"
    return f"{value:.1g}" if abs(value) >= 0.0005 else "0.000"
