"""The largest differences, in words: "A makes 2.0 system calls a request, B 5.1"."""

from __future__ import annotations

from dataclasses import dataclass

from deadheat.explain.quantity import QUANTITIES, Quantity
from deadheat.explain.reading import Reading

HOW_MANY = 3
# A difference smaller than this is no explanation.
LEAST_RATIO = 1.1
# Nor is one that comes to less than this share of the CPU time of the costlier one.
LEAST_SHARE = 0.01
SYSTEM_CALL_US = 0.3
# Calls that do the same by other names: one program's read is another's recvfrom.
ALIKE: dict[str, tuple[str, ...]] = {
    "reads": ("read", "readv", "recv", "recvfrom", "recvmsg"),
    "writes": ("write", "writev", "send", "sendto", "sendmsg", "sendmmsg"),
    "asks which connections are ready": (
        "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"
    ),
    "sleeps for a while": ("nanosleep", "clock_nanosleep"),
}  # fmt: skip


@dataclass(frozen=True)
class _Difference:
    quantity: Quantity
    a: float
    b: float

    @property
    def effect_us(self) -> float:
        """About what it comes to, in CPU time."""
        return abs(self.a - self.b) * self.quantity.typical_us

    def is_notable(self, cpu_us: float) -> bool:
        """Whether it is large enough to explain anything."""
        low, high = sorted((self.a, self.b))
        return high > 0 and high >= LEAST_RATIO * low and self.effect_us >= LEAST_SHARE * cpu_us


def largest(a: str, b: str, of_a: Reading, of_b: Reading, per: str, most: int = HOW_MANY) -> tuple[str, ...]:
    """At most three sentences, the difference that matters most first, one of each family."""
    differences = [
        _Difference(q, of_a.values[q.key], of_b.values[q.key])
        for q in QUANTITIES
        if q.verb is not None and q.key in of_a.values and q.key in of_b.values
    ]
    differences += _calls(of_a, of_b)
    cpu_us = max(_cpu_us(of_a), _cpu_us(of_b))
    sentences: list[str] = []
    families: set[str] = set()
    for difference in sorted(differences, key=lambda d: -d.effect_us):
        family = difference.quantity.family or difference.quantity.key
        if difference.is_notable(cpu_us) and family not in families and len(sentences) < most:
            families.add(family)
            sentences.append(_sentence(a, b, difference, per))
    return tuple(sentences)


def _cpu_us(reading: Reading) -> float:
    """Of a request, or of a run."""
    ms = reading.values.get("user_ms", 0.0) + reading.values.get("kernel_ms", 0.0)
    return reading.values.get("cpu_us", ms * 1e3)


def _calls(of_a: Reading, of_b: Reading) -> list[_Difference]:
    """System calls by name are of the family of all system calls: one sentence is enough."""
    if not of_a.calls or not of_b.calls:
        return []
    alike = {name: verb for verb, names in ALIKE.items() for name in names}
    sums: dict[str, list[float]] = {}
    for place, calls in enumerate((of_a.calls, of_b.calls)):
        for name, count in calls.items():
            sums.setdefault(alike.get(name, f"calls {name}"), [0.0, 0.0])[place] += count
    return [
        _Difference(Quantity(verb, verb, "", verb, "times {per}", SYSTEM_CALL_US, "system calls"), a, b)
        for verb, (a, b) in sums.items()
    ]


def _sentence(a: str, b: str, difference: _Difference, per: str) -> str:
    quantity = difference.quantity
    object_ = quantity.object.replace("{per}", per)
    times = _times(difference.a, difference.b)
    return f"{a} {quantity.verb} {figure(difference.a)} {object_}, {b} {figure(difference.b)}{times}."


def _times(a: float, b: float) -> str:
    """How many times; nothing where one of the two is hardly there."""
    low, high = sorted((a, b))
    return f" ({figure(high / low)} times as much)" if low > 0 and high / low < 100 else ""


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
    return f"{value:.2f}" if abs(value) >= 0.01 else f"{value:.3f}" if abs(value) >= 0.0005 else "<0.001"
