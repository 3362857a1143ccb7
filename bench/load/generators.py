"""Load generators: how each is called and what it counts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .measure import LOAD, run

PATH = "/abc"
BODY = "Hello from abc!"
# wrk sends one request at a time; 16 at once is a script that joins them.
WRK_PIPELINE_LUA = """
local depth = tonumber(os.getenv("DEPTH") or "16")
init = function(args)
  local one = wrk.format(nil)
  local all = {}
  for i = 1, depth do all[i] = one end
  request_bytes = table.concat(all)
end
request = function() return request_bytes end
"""


@dataclass(frozen=True)
class Sample:
    """One run: CPU seconds per million requests, and requests a second."""

    cpu_s_per_million: float
    requests_per_s: float
    p50_ms: float | None


@dataclass(frozen=True)
class Generator:
    """A named way to load `host:port`; `count` finds requests and p50 in what it printed."""

    name: str
    argv: Callable[[str, float], Sequence[str]]
    count: Callable[[str], tuple[int, float | None]]

    def sample(self, address: str, seconds: float) -> Sample:
        """One run of `seconds` against `address`."""
        cost = run(self.argv(address, seconds))
        requests, p50_ms = self.count(cost.stdout)
        return Sample(cost.cpu_s / requests * 1e6, requests / seconds, p50_ms)


def ours(name: str, *options: str) -> Generator:
    """deadheat-load with every reply's status, length and body checked."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        return [
            str(LOAD), f"http://{address}{PATH}", "-d", f"{round(seconds * 1000)}ms", "--json",
            "-q", "--expect-status", "200", "--expect-body", BODY, *options,
        ]  # fmt: skip

    def count(stdout: str) -> tuple[int, float | None]:
        summary = json.loads(stdout)
        if summary["errors"]:
            raise RuntimeError(f"{name}: {summary['first_error']}")
        return summary["requests"], summary["latency_ms"]["p50"]

    return Generator(name, argv, count)


def wrk(name: str, connections: int, script: str | None = None) -> Generator:
    """wrk with one thread; `script` is the path of a Lua script."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        options = ["-s", script] if script else []
        url = f"http://{address}{PATH}"
        return ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", *options, url]

    def count(stdout: str) -> tuple[int, float | None]:
        found = re.search(r"(\d+) requests in", stdout)
        if found is None or "Non-2xx" in stdout or "Socket errors" in stdout:
            raise RuntimeError(f"{name}: {stdout}")
        return int(found[1]), None

    return Generator(name, argv, count)


def oha(name: str, rate: int, connections: int) -> Generator:
    """oha in open loop, latency from the intended time."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        return [
            "oha", "--no-tui", "-q", str(rate), "--latency-correction", "-c", str(connections),
            "-z", f"{seconds:.0f}s", "--output-format", "json", f"http://{address}{PATH}",
        ]  # fmt: skip

    def count(stdout: str) -> tuple[int, float | None]:
        report = json.loads(stdout)
        requests = sum(report["statusCodeDistribution"].values())
        return requests, report["latencyPercentiles"]["p50"] * 1000

    return Generator(name, argv, count)
