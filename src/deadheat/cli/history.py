"""deadheat history: runs over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deadheat.cli import terminal
from deadheat.cli.command import argument, command, option
from deadheat.cli.options import Database, Json, RunsFolder
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.history.database import History


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(Database, RunsFolder, Json):
    words: tuple[str, ...] = argument(
        nargs=-1, metavar="[WORDS]...", help="Nothing, add RUN..., WORKLOAD, or WORKLOAD CONTENDER."
    )
    html: Path | None = option(
        type=click.Path(path_type=Path), metavar="FILE", help="Write the trend as a page into this file."
    )


def run(options: HistoryOptions) -> None:
    """List the runs of the history, or show a contender's trend.

    A trend is that of its ratio to its reference.
    Every race that ends is kept in it by itself; `add` keeps others (of another machine, or of before).

    \b
    Examples:
      deadheat history
      deadheat history add runs/*-standard
      deadheat history http-hello rust-axum
      deadheat history http-hello rust-axum --html trend.html
      deadheat history --db postgresql://deadheat@db.example/benchmarks
    """
    from deadheat.history import listing

    words = options.words
    with opened(options.db, options.out) as history:
        if options.html is not None and (not words or words[0] == "add"):
            raise UserError("--html is of a trend", hint="deadheat history WORKLOAD CONTENDER --html FILE")
        if words[:1] == ("add",):
            _add(history, words[1:], options.out)
        elif not words:
            listing.print_runs(history, terminal.stdout(), as_json=options.json)
        elif len(words) <= 2:
            workload, contender = words[0], words[1] if len(words) == 2 else None
            if options.html is not None:
                _page(history, workload, contender, options.html)
            else:
                listing.print_trend(history, workload, contender, terminal.stdout(), as_json=options.json)
        else:
            raise UserError(
                f'too many words: "{" ".join(words)}"', hint="deadheat history WORKLOAD CONTENDER"
            )


def opened(db: str | None, out: Path) -> History:
    """The history that was asked for; the runs folder is there only after a first race."""
    from deadheat.history.database import FILE, open_

    if db is None and not out.is_dir():
        raise UserError(f"{out}: no such runs folder", hint="--out names it; deadheat race makes one")
    return open_(db if db is not None else out / FILE)


def _page(history: History, workload: str, contender: str | None, file: Path) -> None:
    from deadheat.history import listing, page
    from deadheat.util import files

    series = listing.series_of(history, workload, contender)
    context = listing.context_of(history, workload, contender)
    title = f"{workload} {contender}" if contender else workload
    files.write_whole(file, page.render(title, series, context), "--html names another file")
    terminal.say(f"trend: {file}")


def _add(history: History, names: Sequence[str], out: Path) -> None:
    from deadheat.export import source
    from deadheat.history import store
    from deadheat.storage import run_folder

    if not names:
        raise UserError("which run?", hint="deadheat history add RUN...")
    for name in names:
        folder = run_folder.find(out, name)
        read = source.read(folder)
        store.record(history, read.results, folder.path, read.unfinished)
        mark = f" (half-done: {read.unfinished})" if read.unfinished else ""
        terminal.say(f"kept: {read.results.run}{mark}")


COMMAND = command("history", HistoryOptions, run)
