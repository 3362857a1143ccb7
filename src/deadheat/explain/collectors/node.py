"""Node: V8's --trace-gc prints a line a collection to stdout. NODE_OPTIONS refuses it: a hook sets it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from deadheat.explain.collectors.base import Collection, Garbage, Runtime, grown

HOOK = "require('v8').setFlagsFromString('--trace-gc');\n"
# [4831:0x250c9bc0]  1933 ms: Scavenge 7.9 (10.2) -> 6.1 (10.2) MB, 0.07 / 0.00 ms  (average mu = ...
_LINE = re.compile(
    r"^\[(\d+):0x[0-9a-f]+\]\s+\d+ ms: [A-Z][\w ()-]*? ([\d.]+) \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB,"
    r"(?: pooled: \d+ MB,)? ([\d.]+) / [\d.]+ ms",
    re.MULTILINE,
)
MB = 1 << 20


def collections(log: str) -> dict[str, list[Collection]]:
    """By process: each worker of a cluster has a heap of its own."""
    found: dict[str, list[Collection]] = {}
    for pid, before, after, pause_ms in _LINE.findall(log):
        entry = Collection(float(before) * MB, float(after) * MB, float(pause_ms) / 1e3)
        found.setdefault(pid, []).append(entry)
    return found


def read(before: str, during: str) -> Garbage:
    earlier = collections(before)
    each = [grown(earlier.get(pid, []), later) for pid, later in collections(during).items()]
    return Garbage(
        sum(g.collections for g in each),
        sum(g.allocated_bytes or 0.0 for g in each) if each else None,
        None,
        sum(g.pause_s or 0.0 for g in each),
    )


def _environment(folder: Path) -> Mapping[str, str]:
    hook = folder / "trace-gc.cjs"
    hook.write_text(HOOK)
    return {"NODE_OPTIONS": f"--require {hook}"}


NODE = Runtime("Node", frozenset({"javascript", "typescript"}), _environment, read)
