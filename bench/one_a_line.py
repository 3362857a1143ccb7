"""Long measurements, one race a line of a file: a call goes on where the last one ended."""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .load import page

METHOD = Path("docs/method.md")


def main(
    doc: str | None,
    program: str,
    races: Path,
    read: Callable[[], Sequence[Any]],
    left: Callable[[Sequence[Any]], Iterator[tuple[Any, ...]]],
    race: Callable[..., Any],
    table: Callable[[Sequence[Any]], list[str]],
) -> None:
    """Has `race` run what `left` names next until nothing is left or the time is up, and prints the table.

    With --write it only puts the table between the marks of `program` in docs/method.md.
    """
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("--for-seconds", type=float, default=math.inf, help="begin no race after that")
    parser.add_argument("--write", action="store_true", help="only put the tables into docs/method.md")
    asked = parser.parse_args()
    if asked.write:
        page.put(program, table(read()), METHOD)
        return
    until = time.monotonic() + asked.for_seconds
    while (following := next(left(read()), None)) is not None and time.monotonic() < until:
        raced = race(*following)
        with races.open("a") as file:
            print(json.dumps(asdict(raced)), file=file)
    print("\n".join(table(read())))
