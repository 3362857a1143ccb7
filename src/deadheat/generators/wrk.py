"""wrk (github.com/wg/wrk), 4.0 to 4.2, whose output is a text for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from deadheat.build import toolchain
from deadheat.generators.outside import Figures, UnansweredError
from deadheat.generators.text_lines import groups, line
from deadheat.hosts import Host
from deadheat.util.interrupt import Stop

# Units as wrk's units.c prints them: time is decimal up to seconds, then 60; bytes are binary.
TIME_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3, "h": 3600e3}
RATES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}

_NUMBER = r"(-?(?:\d+(?:\.\d+)?|nan|inf))"
_TIME = _NUMBER + r"(us|ms|s|m|h)"
_METRIC = _NUMBER + r"([kMGTP]?)"
_SIZE = r"(\d+\.\d+)([KMGTP]?)B"
_SHARE = r"(-?(?:\d+\.\d+|nan))%"


LINES = (
    line("running", r"Running \S+ test @ \S+"),
    line("load", r"  (\d+) threads and (\d+) connections"),
    line("head", r"  Thread Stats   Avg      Stdev     Max   \+/- Stdev"),
    line("latency", rf"    Latency\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+{_SHARE}"),
    line("rate", rf"    Req/Sec\s+{_METRIC}\s+{_METRIC}\s+{_METRIC}\s+{_SHARE}"),
    line("distribution", r"  Latency Distribution", needed=False),
    line("percentile", rf"\s+(\d+(?:\.\d+)?)%\s+{_TIME}", needed=False, many=True),
    line("total", rf"  (\d+) requests in {_TIME}, {_SIZE} read"),
    line("sockets", r"  Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", needed=False),
    line("statuses", r"  Non-2xx or 3xx responses: (\d+)", needed=False),
    line("throughput", r"Requests/sec:\s+(\d+\.\d+)"),
    line("transfer", rf"Transfer/sec:\s+{_SIZE}"),
)
SOCKET_ERRORS = ("connect", "read", "write", "timeout")


class Wrk:
    """Found on the path, or named as missing."""

    name = "wrk"

    def missing(self, host: Host) -> str | None:
        return toolchain.missing(host, ("wrk",))

    def version(self, host: Host) -> str:
        return toolchain.version_of(host, "wrk") or "?"

    def prepare(self, host: Host, stop: Stop, cpus: frozenset[int]) -> None:
        """It is there as it is."""

    def argv(self, arguments: Sequence[str], url: str, output: Path) -> tuple[str, ...]:
        return ("wrk", *arguments, url)

    def read(self, printed: bytes, output: Path) -> Figures:
        return read(printed.decode("utf-8", "backslashreplace"))


def read(text: str) -> Figures:
    """What wrk printed. Raises GeneratorError for a line that is not known, missing, or out of its place."""
    found = groups("wrk", LINES, text)
    requests, ran, unit, size, size_unit = found["total"][0]
    if int(requests) == 0:
        raise UnansweredError("wrk had no request answered")
    average, average_unit, stdev, stdev_unit, most, most_unit, within = found["latency"][0]
    latency = {
        "mean": _ms(average, average_unit),
        "stdev": _ms(stdev, stdev_unit),
        "max": _ms(most, most_unit),
    }
    for percentile, value, value_unit in found.get("percentile", []):
        latency[f"p{percentile}"] = _ms(value, value_unit)
    errors = dict(zip(SOCKET_ERRORS, map(int, found.get("sockets", [("0",) * 4])[0]), strict=True))
    errors["status"] = int(found.get("statuses", [("0",)])[0][0])
    return Figures(
        requests=int(requests),
        seconds=_ms(ran, unit) / 1e3,
        throughput_rps=float(found["throughput"][0][0]),
        # A request that timed out is in no latency of wrk's: where all did, it prints a mean of zero.
        latency_ms={
            name: value for name, value in latency.items() if math.isfinite(value) and latency["max"]
        },
        errors={name: count for name, count in errors.items() if count},
        threads=int(found["load"][0][0]),
        bytes_in=round(float(size) * BYTES[size_unit]),
        within_stdev_percent=float(within) if math.isfinite(float(within)) else None,
        thread_rps=_of_threads(found["rate"][0]),
        shown=tuple(text.rstrip("\n").splitlines()),
    )


def _of_threads(printed: Sequence[str]) -> dict[str, float]:
    """Requests a second of one thread: the line Req/Sec."""
    average, average_unit, stdev, stdev_unit, most, most_unit, within = printed
    figures = {
        "mean": float(average) * RATES[average_unit],
        "stdev": float(stdev) * RATES[stdev_unit],
        "max": float(most) * RATES[most_unit],
        "within_stdev_percent": float(within),
    }
    return {name: value for name, value in figures.items() if math.isfinite(value)}


def _ms(number: str, unit: str) -> float:
    return float(number) * TIME_MS[unit]
