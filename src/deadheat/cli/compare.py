"""deadheat compare: two runs at two times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deadheat.cli import options, terminal
from deadheat.cli.history import opened
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.history.database import History
    from deadheat.model.result import Results

NAME = "compare"
#: As many of the newest runs say how far ratios move between runs.
RUNS = 60


def run(
    before: Annotated[str, typer.Argument(help="The earlier run: its id, its folder, or latest.")],
    after: Annotated[str, typer.Argument(help="The later run.")],
    db: options.DbOption = None,
    out: options.OutOption = options.DEFAULT_OUT,
    json_: options.JsonOption = False,
) -> None:
    """Hold two runs against each other, by ratios to the reference and the ceiling that both raced.

    Two times cannot settle a small difference. To settle one, race both in the same run.

    \b
    Examples:
      deadheat compare 20260102-030405-quick latest
      deadheat compare 20260102-030405-quick 20260203-040506-quick --json
    """
    from deadheat.history import store  # noqa: PLC0415
    from deadheat.history.comparison import compare  # noqa: PLC0415
    from deadheat.history.telling_change import tell  # noqa: PLC0415

    with opened(db, out) as history:
        first, second = _results(history, out, before), _results(history, out, after)
        machine = store.machine_words(second.machine)
        known = store.all_results(history, machine=machine, at_most=RUNS)
    tell(compare(first, second, known), terminal.stdout(), as_json=json_)


def _results(history: History, out: Path, name: str) -> Results:
    """A run's results from its folder, else as the history kept them."""
    from deadheat import run_folder  # noqa: PLC0415
    from deadheat.export import source  # noqa: PLC0415
    from deadheat.history import store  # noqa: PLC0415

    try:
        folder = run_folder.find(out, name)
    except UserError:
        if (kept := store.results(history, name)) is not None:
            return kept
        raise
    return source.read(folder).results
