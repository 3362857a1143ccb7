"""The table of `strace -c`."""

from __future__ import annotations

import re

from deadheat.explain.reading import InstrumentError

# % time, seconds, usecs/call, calls, errors (blank where none), name.
_ROW = re.compile(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+([a-z_][a-z0-9_]*)")
_TOTAL = re.compile(r"\s*100\.00\s+[\d.]+(?:\s+\d+)?\s+(\d+)(?:\s+\d+)?\s+total")


def parse(text: str) -> dict[str, int]:
    """Calls by name. Raises InstrumentError where the table is cut off or does not add up."""
    lines = [
        line for line in text.splitlines() if line.strip() and not line.startswith(("%", "---", "strace:"))
    ]
    if not lines:
        return {}
    total = _TOTAL.fullmatch(lines[-1].rstrip())
    if total is None:
        raise InstrumentError(f'the table of strace is cut off after "{lines[-1][:80]}"')
    calls: dict[str, int] = {}
    for line in lines[:-1]:
        row = _ROW.fullmatch(line.rstrip())
        if row is None:
            raise InstrumentError(f'a line of strace cannot be read: "{line[:80]}"')
        calls[row[2]] = calls.get(row[2], 0) + int(row[1])
    if sum(calls.values()) != int(total[1]):
        raise InstrumentError(f"strace counts {total[1]} calls in all and {sum(calls.values())} by name")
    return calls
