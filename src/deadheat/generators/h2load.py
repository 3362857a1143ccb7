"""h2load (nghttp2), 1.52: HTTP/2 requests with a body, so gRPC calls to one who frames them.

It is lean and looks at no trailers: a call that ends with a grpc-status of its own is a success to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deadheat.build import toolchain
from deadheat.generators.outside import Figures, UnansweredError
from deadheat.generators.text_lines import groups, line
from deadheat.hosts import Host
from deadheat.util.interrupt import Stop

TIME_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}

_TIME = r"\s*(\d+(?:\.\d+)?)(us|ms|s)"
_SIZE = r"\d+(?:\.\d+)?[KMG]?B"
_SHARE = r"\s+\d+\.\d+%"
_SPREAD = rf"{_TIME}{_TIME}{_TIME}{_TIME}{_SHARE}"

LINES = (
    line("start", r"starting benchmark\.\.\."),
    line("thread", r"spawning thread #\d+: \d+ total client\(s\)\. \d+ total requests", many=True),
    line("protocol", r"Application protocol: (\S+)", needed=False),
    line("progress", r"progress: \d+% done", needed=False, many=True),
    line("blank", r""),
    line("finished", rf"finished in{_TIME}, (\d+\.\d+) req/s, {_SIZE}/s"),
    line(
        "requests",
        r"requests: (\d+) total, (\d+) started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, "
        r"(\d+) timeout",
    ),
    line("statuses", r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx"),
    line(
        "traffic",
        rf"traffic: {_SIZE} \((\d+)\) total, {_SIZE} \(\d+\) headers \(space savings -?\d+\.\d+%\), "
        rf"{_SIZE} \((\d+)\) data",
    ),
    line("head", r"\s+min\s+max\s+mean\s+sd\s+\+/- sd"),
    line("latency", rf"time for request:{_SPREAD}"),
    line("connect", rf"time for connect:{_SPREAD}"),
    line("first", rf"time to 1st byte:{_SPREAD}"),
    line("rate", rf"req/s\s+:(?:\s+\d+\.\d+){{4}}{_SHARE}"),
)


class H2load:
    """Found on the path, or named as missing. One thread, unless its arguments say otherwise."""

    name = "h2load"

    def missing(self, host: Host) -> str | None:
        return toolchain.missing(host, ("h2load",))

    def version(self, host: Host) -> str:
        return toolchain.version_of(host, "h2load") or "?"

    def prepare(self, host: Host, stop: Stop, cpus: frozenset[int]) -> None:
        """It is there as it is."""

    def argv(self, arguments: Sequence[str], url: str, output: Path) -> tuple[str, ...]:
        return ("h2load", *arguments, url)

    def read(self, printed: bytes, output: Path) -> Figures:
        return read(printed.decode("utf-8", "backslashreplace"))


def read(text: str) -> Figures:
    """What h2load printed. Raises GeneratorError, also where no reply had a byte of a body."""
    found = groups("h2load", LINES, text)
    total, _, _, succeeded, failed, errored, timed_out = map(int, found["requests"][0])
    _, redirected, _, _ = map(int, found["statuses"][0])
    bytes_in, data = map(int, found["traffic"][0])
    if succeeded == 0:
        raise UnansweredError(f"h2load had no request answered, of {total}")
    if data == 0:
        raise UnansweredError(
            f"h2load counts {succeeded} requests as succeeded, and none brought a message: the server ended "
            "every call with a grpc-status, which h2load does not look at"
        )
    duration, unit, rate = found["finished"][0]
    _, _, most, most_unit, mean, mean_unit, deviation, deviation_unit = found["latency"][0]
    # A timeout is an errored request to h2load, and that a failed one: here each is counted once.
    errors = {"timeout": timed_out, "errored": errored - timed_out, "status": failed - errored + redirected}
    return Figures(
        requests=succeeded,
        seconds=_ms(duration, unit) / 1e3,
        throughput_rps=float(rate),
        latency_ms={
            "mean": _ms(mean, mean_unit),
            "stdev": _ms(deviation, deviation_unit),
            "max": _ms(most, most_unit),
        },
        errors={name: count for name, count in errors.items() if count},
        threads=len(found["thread"]),
        bytes_in=bytes_in,
        shown=tuple(line for line in text.splitlines() if not line.startswith("progress: ")),
    )


def _ms(number: str, unit: str) -> float:
    return float(number) * TIME_MS[unit]
