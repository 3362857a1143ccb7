"""Options that several verbs share."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from deadheat.errors import UserError

SuiteOption = Annotated[
    Path, typer.Option("--suite", help="The folder of workloads.", envvar="DEADHEAT_SUITE")
]
OutOption = Annotated[Path, typer.Option("--out", help="Where runs are kept.", envvar="DEADHEAT_RUNS")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Contenders = Annotated[
    list[str] | None, typer.Argument(help="NAME or NAME:VARIANT; all where none is named.")
]

DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="The history: a file, or postgresql://user@host/name; history.sqlite in the runs folder where "
        "not given.",
        envvar="DEADHEAT_DB",
    ),
]

DEFAULT_SUITE = Path("suite")
DEFAULT_OUT = Path("runs")

_UNITS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def duration_s(text: str) -> float:
    """`90`, `90s`, `5m`, `1h` as seconds. Raises UserError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", text.strip())
    if not found or float(found[1]) == 0:
        raise UserError(f'"{text}" is no duration', hint="write 90s, 5m or 1h")
    return float(found[1]) * _UNITS[found[2]]


def without_password(argument: str) -> str:
    """A word of a command line as it may be shown: a report is shared, a database's password is not."""
    kept = re.sub(r"(://[^:/@\s]*):\S*@", r"\1@", argument)
    return re.sub(r"([?&]password=)[^&\s]*", r"\1***", kept)


def share(text: str) -> float:
    """`2%` or `0.02` as 0.02. Raises UserError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text.strip())
    value = float(found[1]) / (100 if found[2] else 1) if found else -1
    if not 0 <= value < 1:
        raise UserError(f'"{text}" is no share below one', hint="write 2% or 0.02")
    return value


def counts(text: str | None) -> tuple[int, ...]:
    """`64` or `10,64,400` as numbers from one on, none where nothing was given. Raises UserError."""
    if text is None:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"[1-9]\d{0,5}", part) for part in parts):
        raise UserError(f'"{text}" is no list of counts', hint="write 64, or 10,64,400")
    return tuple(dict.fromkeys(int(part) for part in parts))


def cpus(text: str) -> tuple[int, ...]:
    """`0`, `0,2` or `0-3` as CPU numbers that this process may use. Raises UserError."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if not ends:
            raise UserError(f'"{text}" is no list of CPUs', hint="write 0, 0,2 or 0-3")
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    usable = os.sched_getaffinity(0)
    if missing := [cpu for cpu in found if cpu not in usable]:
        have = ", ".join(map(str, sorted(usable)))
        raise UserError(f"CPU {missing[0]} is not there or not ours", hint=f"this process may use {have}")
    return tuple(dict.fromkeys(found))
