"""zrk: open loop over io_uring, HTTP/1.1, latency from the intended time. It compares no body."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence

from ..generator import PATH, Broken, Counted, Generator
from ..measure import Unavailable


def zrk(name: str, rate: int, connections: int) -> Generator:
    """One thread, `rate` requests a second. Debian has neither it nor the Zig that builds it."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        if shutil.which("zrk") is None:
            raise Unavailable("zrk not found")
        return [
            "zrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", f"-R{rate}", "--format", "json",
            f"http://{address}{PATH}",
        ]  # fmt: skip

    def count(stdout: str) -> Counted:
        report = json.loads(stdout)
        if any(report["errors"].values()):
            raise Broken(f"{name}: {report['errors']}")
        p50_ms = report["latency_us"]["p50"] / 1000
        return Counted(report["requests"], report["duration_s"], p50_ms, report["zrk_version"])

    return Generator(name, argv, count)
