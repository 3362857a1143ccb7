"""A file of values (RFC 4180), whose first row names its columns: requests say `{column}`."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat.errors import UserError
from deadheat.model.login import TAKEN

if TYPE_CHECKING:
    from _csv import Reader

MOST_ROWS = 10_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Row = dict[str, str]


def read(path: Path, *, also_taken: Sequence[str] = ()) -> tuple[Row, ...]:
    """Its rows, in order, the value of each column by its name. Raises UserError with file and line."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return _rows(path, csv.reader(file, strict=True), (*TAKEN, *also_taken))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text: {error.reason} at byte {error.start}") from error
    except csv.Error as error:
        raise UserError(f"{path}: no CSV: {error}") from error


def write(path: Path, rows: Sequence[Row]) -> None:
    """So that `read` has them again."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _rows(path: Path, reader: Reader, taken: Sequence[str]) -> tuple[Row, ...]:
    names = next(reader, [])
    for name in names:
        if not _NAME.fullmatch(name) or name in taken or names.count(name) > 1:
            raise UserError(
                f'{path}:1: "{name}" is no name for a column',
                hint=f"letters, digits and _, each once, and none of {', '.join(taken)}",
            )
    found: list[Row] = []
    for row in reader:
        if not row:
            continue
        if len(row) != len(names):
            raise UserError(f"{path}:{reader.line_num}: {len(row)} values for {len(names)} columns")
        found.append(dict(zip(names, row, strict=True)))
        if len(found) > MOST_ROWS:
            raise UserError(f"{path}: more than {MOST_ROWS:,} rows", hint="head -n 10001 keeps as many")
    if not found:
        raise UserError(f"{path}: no row", hint="its first line names the columns, the others are values")
    return tuple(found)
