"""A run in the formats of other tools: one module a format, and this registry."""

from __future__ import annotations

import difflib

from deadheat.errors import UserError
from deadheat.export import (
    bencher,
    csv_files,
    github_action,
    gobench,
    hdr_log,
    hyperfine,
    junit,
    openmetrics,
    parquet,
    pictures,
)
from deadheat.export.format import Format

FORMATS: dict[str, Format] = {
    format_.name: format_
    for format_ in (
        csv_files.FORMAT,
        parquet.FORMAT,
        hyperfine.FORMAT,
        bencher.FORMAT,
        github_action.FORMAT,
        gobench.FORMAT,
        hdr_log.FORMAT,
        junit.FORMAT,
        openmetrics.FORMAT,
        pictures.SVG,
        pictures.PNG,
    )
}


def named(name: str) -> Format:
    """The format of that name. Raises UserError that names the nearest."""
    if name in FORMATS:
        return FORMATS[name]
    near = difflib.get_close_matches(name, FORMATS, 1, cutoff=0.4)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    raise UserError(f'no format is called "{name}"', hint=hint + "deadheat export --to list shows them all")
