"""deadheat history: runs over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.history.database import History

NAME = "history"


def run(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Nothing, add RUN..., WORKLOAD, or WORKLOAD CONTENDER.", metavar="[WORDS]..."),
    ] = None,
    db: options.DbOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the trend as a page into this file.")
    ] = None,
    out: options.OutOption = options.DEFAULT_OUT,
    json_: options.JsonOption = False,
) -> None:
    """List the runs of the history, or show the trend of a contender's ratio to its reference.

    Every race that ends is kept in it by itself; `add` keeps others (of another machine, or of before).

    \b
    Examples:
      deadheat history
      deadheat history add runs/*-standard
      deadheat history http-hello rust-axum
      deadheat history http-hello rust-axum --html trend.html
      deadheat history --db postgresql://deadheat@db.example/benchmarks
    """
    from deadheat.history import telling  # noqa: PLC0415

    asked = words or []
    console = terminal.stdout()
    with opened(db, out) as history:
        if html is not None and (not asked or asked[0] == "add"):
            raise UserError("--html is of a trend", hint="deadheat history WORKLOAD CONTENDER --html FILE")
        if asked[:1] == ["add"]:
            _add(history, asked[1:], out)
        elif not asked:
            telling.tell_runs(history, console, as_json=json_)
        elif len(asked) <= 2:
            workload, contender = asked[0], asked[1] if len(asked) == 2 else None
            if html is not None:
                _page(history, workload, contender, html)
            else:
                telling.tell_trend(history, workload, contender, console, as_json=json_)
        else:
            raise UserError(
                f'too many words: "{" ".join(asked)}"', hint="deadheat history WORKLOAD CONTENDER"
            )


def opened(db: str | None, out: Path) -> History:
    """The history that was asked for; the runs folder is there only after a first race."""
    from deadheat.history.database import FILE, open_  # noqa: PLC0415

    if db is None and not out.is_dir():
        raise UserError(f"{out}: no such runs folder", hint="--out names it; deadheat race makes one")
    return open_(db if db is not None else out / FILE)


def _page(history: History, workload: str, contender: str | None, file: Path) -> None:
    from deadheat import run_folder  # noqa: PLC0415
    from deadheat.history import page, telling  # noqa: PLC0415

    series = telling.series_of(history, workload, contender)
    context = telling.context_of(history, workload, contender)
    title = f"{workload} {contender}" if contender else workload
    run_folder.write_whole(file, page.render(title, series, context), "--html names another file")
    terminal.stderr().print(f"trend: {file}", markup=False, highlight=False, soft_wrap=True)


def _add(history: History, names: list[str], out: Path) -> None:
    from deadheat import run_folder  # noqa: PLC0415
    from deadheat.export import source  # noqa: PLC0415
    from deadheat.history import store  # noqa: PLC0415

    if not names:
        raise UserError("which run?", hint="deadheat history add RUN...")
    for name in names:
        folder = run_folder.find(out, name)
        read = source.read(folder)
        store.record(history, read.results, folder.path, read.unfinished)
        mark = f" (half-done: {read.unfinished})" if read.unfinished else ""
        terminal.stderr().print(
            f"kept: {read.results.run}{mark}", markup=False, highlight=False, soft_wrap=True
        )
