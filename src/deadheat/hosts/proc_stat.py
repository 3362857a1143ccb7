"""CPU time as the kernel counts it, in ticks: /proc/stat (proc_stat(5))."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

FIELDS = 8


def ticks(root: Path, cpus: Collection[int] | None = None) -> list[int]:
    """user, nice, system, idle, iowait, irq, softirq, steal of these CPUs together, of all without any.

    Guests' time comes again in user and nice. Zeros where the kernel does not report them.
    """
    lines = _lines(root)
    names = ["cpu"] if cpus is None else [f"cpu{cpu}" for cpu in cpus]
    known = [lines[name] for name in names if name in lines]
    return [sum(column) for column in zip(*known, strict=True)] if known else [0] * FIELDS


def of_each(root: Path, cpus: Collection[int]) -> dict[int, list[int]]:
    """The same CPU by CPU, of those that the kernel lists."""
    lines = _lines(root)
    return {cpu: lines[f"cpu{cpu}"] for cpu in sorted(cpus) if f"cpu{cpu}" in lines}


def _lines(root: Path) -> dict[str, list[int]]:
    try:
        text = (root / "proc/stat").read_text(errors="replace")
    except OSError:
        return {}
    return {
        name: [int(number) for number in numbers[:FIELDS]] + [0] * (FIELDS - len(numbers[:FIELDS]))
        for name, *numbers in filter(None, map(str.split, text.splitlines()))
        if name.startswith("cpu")
    }
