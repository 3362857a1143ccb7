"""The formats by the name that `--to` knows: one module a format."""

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
from deadheat.util.registry import Registry

FORMATS: Registry[Format] = Registry(
    "format",
    {
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
    },
)


def named(name: str) -> Format:
    """The format of that name. Raises UserError that names the nearest."""
    return FORMATS.named(name, hint="deadheat export --to list shows them all")
