"""Generators on several hosts as one: they begin at the same moment, and what they count is added up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from hdrh.histogram import HdrHistogram

from deadheat.generators.load_generator import Counted, LoadError, LoadGenerator
from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS

T = TypeVar("T")
#: From the asking to the beginning of a turn: for the word to reach every generator, with some to spare.
AHEAD_NS = 20_000_000
#: A generator that is silent for so long beyond the end of a turn is told.
SILENT_S = 4.0
#: Of so many looks at another clock the shortest tells how far it is from ours.
LOOKS = 20

_SUMMED = (
    "replies", "replies_all", "latency_sum_ns", "in_flight_ns", "bytes_in", "bytes_out", "reconnects",
    "resent", "engine_cpu_ns",
)  # fmt: skip
_LARGEST = ("latency_max_ns", "loop_delay_max_ns")


class HasClock(Protocol):
    def now_ns(self) -> int:
        """Its CLOCK_MONOTONIC."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How far another clock is ahead of ours, nanoseconds, and by how much that may be wrong."""

    ahead_ns: int
    error_ns: int

    @classmethod
    def of(cls, other: HasClock, ours: HasClock) -> Self:
        """The shortest of several looks: the other was read in the middle of it, or at worst at an end."""
        looks = []
        for _ in range(LOOKS):
            before = ours.now_ns()
            there = other.now_ns()
            after = ours.now_ns()
            looks.append((after - before, there - (before + after) // 2))
        took, ahead = min(looks)
        return cls(ahead, took // 2)


@dataclass(frozen=True, slots=True)
class Member:
    """One of them: where it is, and its clock against the servers'."""

    host: str
    generator: LoadGenerator
    clock: Clock


class Several:
    """As one generator: connections and rates are shared out, counts and histograms added up.

    What each counted stands in `generators` of a turn; moments are on the servers' clock.
    """

    def __init__(
        self,
        members: Sequence[Member],
        now_ns: Callable[[], int],
        warn: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self._members = members
        self._now_ns = now_ns
        self._warn = warn
        self._pool = ThreadPoolExecutor(len(members))

    def open(self, target: str, url: str, connections: int, **what: Any) -> None:
        """Each opens its share, the first of them one more where it does not come out even."""
        if connections < len(self._members):
            raise LoadError(
                "usage", f"{connections} connections cannot be shared by {len(self._members)} generators"
            )
        shares = shared(connections, len(self._members))
        self._each(lambda at, one: one.generator.open(target, url, shares[at], **what))

    def turn(self, target: str, token: str, lead_in_ms: int, counted_ms: int, **more: Any) -> dict[str, Any]:
        """All begin at `at_ns` on the servers' clock, in a moment where it is not given."""
        at_ns = more.pop("at_ns", None) or self._now_ns() + AHEAD_NS
        requests = shared(more.pop("requests"), len(self._members)) if "requests" in more else None
        if "rate" in more:
            more["rate"] /= len(self._members)
        seed = more.pop("seed", None)

        def load(at: int, one: Member) -> dict[str, Any]:
            own = dict(more)
            if requests is not None:
                own["requests"] = requests[at]
            if seed is not None:
                own["seed"] = seed + at
            own["at_ns"] = at_ns + one.clock.ahead_ns
            return one.generator.turn(target, token, lead_in_ms, counted_ms, **own)

        counted = self._each(load, (AHEAD_NS / 1e6 + lead_in_ms + counted_ms) / 1e3 + SILENT_S)
        return summed(self._members, counted)

    def histogram(self, target: str) -> Counted:
        counted = self._each(lambda _at, one: one.generator.histogram(target))
        each = tuple((one.host, of.hdr) for one, of in zip(self._members, counted, strict=True))
        return replace(added(counted), by_host=each)

    def runqueue_wait_ns(self) -> None:
        """Each has its own, on a CPU of its own; asking all would hold up their beginning together."""
        return

    def close_target(self, target: str) -> None:
        self._each(lambda _at, one: one.generator.close_target(target))

    def close(self) -> None:
        try:
            self._each(lambda _at, one: one.generator.close())
        finally:
            self._pool.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def _each(self, what: Callable[[int, Member], T], within_s: float = SILENT_S) -> list[T]:
        """Of all at once, in their order; who takes longer is told. Raises what the first of them raised,
        once all have ended."""
        asked = [self._pool.submit(what, at, one) for at, one in enumerate(self._members)]
        wait(asked, within_s)
        for future, one in zip(asked, self._members, strict=True):
            if not future.done():
                self._warn(f"the generator on {one.host} has said nothing for {SILENT_S:g} s")
        done = [one.exception() for one in asked]
        for error in done:
            if error is not None:
                raise error
        return [one.result() for one in asked]


def shared(count: int, among: int) -> list[int]:
    """Whole shares, as even as can be, the larger ones first."""
    return [count // among + (at < count % among) for at in range(among)]


def summed(members: Sequence[Member], counted: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One turn of several generators, by the names of docs/engine-protocol.md.

    Spans differ by microseconds: the length told is that over which all replies come to the sum of rates.
    """
    ours = [
        {
            name: one[name] - member.clock.ahead_ns
            for name in ("started_ns", "counted_from_ns", "counted_until_ns", "drained_ns")
        }
        for member, one in zip(members, counted, strict=True)
    ]
    total: dict[str, Any] = {name: sum(one[name] for one in counted) for name in _SUMMED}
    total |= {name: max(one[name] for one in counted) for name in _LARGEST}
    lengths = [max(1, moments["counted_until_ns"] - moments["counted_from_ns"]) for moments in ours]
    rate = sum(one["replies"] / length for one, length in zip(counted, lengths, strict=True))
    counted_ns = round(total["replies"] / rate) if rate > 0 else sum(lengths) // len(lengths)
    starts = [moments["started_ns"] for moments in ours]
    begun = min(moments["counted_from_ns"] for moments in ours)
    total |= {
        "token": counted[0]["token"],
        "started_ns": min(starts),
        "counted_from_ns": begun,
        "counted_until_ns": begun + counted_ns,
        "drained_ns": max(moments["drained_ns"] for moments in ours),
        "bin_ms": counted[0]["bin_ms"],
        "bins": [sum(bins) for bins in zip(*(one["bins"] for one in counted), strict=False)],
        "errors": {kind: sum(one["errors"][kind] for one in counted) for kind in counted[0]["errors"]},
        "first_error": next((one["first_error"] for one in counted if one["first_error"]), None),
        "server_cpu_ns": None,
        "generators": [
            {
                "host": member.host,
                "late_ns": start - min(starts),
                "clock_error_ns": member.clock.error_ns,
                "clock_ahead_ns": member.clock.ahead_ns,
                "replies": one["replies"],
                "errors": sum(one["errors"].values()),
                "latency_sum_ns": one["latency_sum_ns"],
                "engine_cpu_ns": one["engine_cpu_ns"],
                "loop_delay_max_ns": one["loop_delay_max_ns"],
            }
            for member, one, start in zip(members, counted, starts, strict=True)
        ],
    }
    if (open_loop := counted[0].get("open_loop")) is not None:
        loops = [one["open_loop"] for one in counted]
        total["open_loop"] = {
            name: (max if name == "queue_max" else sum)(loop[name] for loop in loops) for name in open_loop
        }
    return total


def added(counted: Sequence[Counted]) -> Counted:
    """Histograms added up, bucket by bucket; of a mix each name's."""
    service = [one.service_hdr for one in counted if one.service_hdr is not None]
    names = {each["name"]: None for one in counted for each in one.by_request}
    by_request = []
    for name in names:
        same = [each for one in counted for each in one.by_request if each["name"] == name]
        by_request.append(
            {
                "name": name,
                "replies": sum(each["replies"] for each in same),
                "errors": sum(each["errors"] for each in same),
                "latency_sum_ns": sum(each["latency_sum_ns"] for each in same),
                "latency_max_ns": max(each["latency_max_ns"] for each in same),
                "hdr": _added([each["hdr"] for each in same]),
            }
        )
    return Counted(
        _added([one.hdr for one in counted]), _added(service) if service else None, tuple(by_request)
    )


def _added(encoded: Sequence[str]) -> str:
    total = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for one in encoded:
        total.decode_and_add(one)
    text: bytes = total.encode()
    return text.decode()
