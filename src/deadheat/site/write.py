"""A whole site into a folder, in the place of the one that was there."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from deadheat import __version__
from deadheat.errors import UserError
from deadheat.model.result import Results
from deadheat.report import markdown
from deadheat.report.html.hardened import static
from deadheat.site import pages, places
from deadheat.site.gathered import Gathered, gathered
from deadheat.site.pages import About
from deadheat.util import clock, files

#: In each site that was written: such a folder may be replaced.
MARK = "deadheat-site.json"
SAY_EVERY_S = 2.0


def write(
    runs: Sequence[Results], folder: Path, *, title: str, url: str | None, say: Callable[[str], None]
) -> int:
    """How many bytes it takes. `url`: where it will stand, which a feed needs; without it there is none.

    Raises UserError for a folder that has other things in it, and where it cannot be written: what was there
    stays then.
    """
    if folder.exists() and not (folder / MARK).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already, and no site of ours", hint="--out names another folder")
    beside = folder.with_name(f".{folder.name}-{os.getpid()}")
    with files.explained(folder):
        try:
            taken = 0
            for place, content in _files(runs, About(title, clock.stamp()), url, say):
                file = beside / place
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                taken += len(content)
            _replace(folder, beside)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return taken


def _replace(folder: Path, beside: Path) -> None:
    before = folder.with_name(f"{beside.name}-before")
    if folder.exists():
        folder.rename(before)
    try:
        beside.rename(folder)
    except OSError:
        if before.exists():
            before.rename(folder)
        raise
    shutil.rmtree(before, ignore_errors=True)


def _files(
    runs: Sequence[Results], about: About, url: str | None, say: Callable[[str], None]
) -> Iterator[tuple[str, bytes]]:
    """Each file of the site, by its place."""
    of = gathered(runs)
    for place, content in _pages(of, about, url):
        yield place, content.encode()
    said = time.monotonic()
    for number, run in enumerate(of.runs, 1):
        home = places.run(run.run)
        yield home + places.INDEX, pages.run(run).encode()
        yield home + "report.md", markdown.render(run).encode()
        # Without the time, so that the same runs make the same files.
        yield home + "results.json.gz", gzip.compress(run.model_dump_json(by_alias=True).encode(), mtime=0)
        if time.monotonic() - said > SAY_EVERY_S:
            said = time.monotonic()
            say(f"{number} of {len(of.runs)} runs")
    mark = {"version": __version__, "made": about.made, "runs": [run.run for run in of.runs]}
    yield MARK, json.dumps(mark, indent=1).encode()


def _pages(of: Gathered, about: About, url: str | None) -> Iterator[tuple[str, str]]:
    yield places.INDEX, pages.index(of, about)
    for name in of.workloads:
        yield places.workload(name), pages.workload(of, name, about)
    for name in of.contenders:
        yield places.contender(name), pages.contender(of, name, about)
    yield places.VERDICTS, pages.verdicts_csv(of.rows)
    if url is not None:
        yield places.FEED, pages.feed(of, about, url)
    yield (
        places.STYLE,
        static("deadheat.report.html", places.STYLE)
        + static("deadheat.history", "trend.css")
        + static("deadheat.site", "site.css"),
    )
    yield places.SCRIPT, static("deadheat.report.html", places.SCRIPT)
