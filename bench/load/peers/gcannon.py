"""gcannon: closed loop over io_uring, HTTP/1.1 and WebSocket. It looks at statuses, and at no body."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence

from ..generator import PATH, Broken, Counted, Generator
from ..measure import Unavailable


def gcannon(name: str, connections: int, *options: str) -> Generator:
    """One thread. Debian has no package of it: raced where it is installed or lies in .cache/bench/bin."""

    def argv(address: str, seconds: float) -> Sequence[str]:
        if shutil.which("gcannon") is None:
            raise Unavailable("gcannon not found")
        length = f"{seconds:.0f}s"
        return [
            "gcannon", f"http://{address}{PATH}",
            "-t", "1", "-c", str(connections), "-d", length, "--json", *options,
        ]  # fmt: skip

    def count(stdout: str) -> Counted:
        report = json.loads(stdout)
        failed = sum(report["errors"].values())
        failed += sum(n for status, n in report.get("status", {}).items() if status != "2xx")
        if failed:
            raise Broken(f"{name}: {failed} failed: {stdout}")
        p50_ms = report["latency_us"]["p50"] / 1000
        return Counted(report["responses"], report["elapsed_sec"], p50_ms, report["version"])

    return Generator(name, argv, count)
