"""deadheat compare: two runs at two times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat.cli import terminal
from deadheat.cli.command import argument, command
from deadheat.cli.history import opened
from deadheat.cli.options import Database, Json, RunsFolder
from deadheat.errors import UserError

if TYPE_CHECKING:
    from deadheat.history.database import History
    from deadheat.model.result import Results

#: As many of the newest runs say how far ratios move between runs.
RUNS = 60


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Database, RunsFolder, Json):
    before: str = argument(help="The earlier run: its id, its folder, or latest.")
    after: str = argument(help="The later run.")


def run(options: CompareOptions) -> None:
    """Compare two runs at two times.

    By ratios to the reference and the ceiling that both raced. Two times cannot settle a small
    difference: to settle one, race both in the same run.

    \b
    Examples:
      deadheat compare 20260102-030405-quick latest
      deadheat compare 20260102-030405-quick 20260203-040506-quick --json
    """
    from deadheat.history import store
    from deadheat.history.comparison import compare
    from deadheat.history.comparison_text import print_comparison

    with opened(options.db, options.out) as history:
        first = _results(history, options.out, options.before)
        second = _results(history, options.out, options.after)
        machine = store.machine_words(second.machine)
        known = store.all_results(history, machine=machine, at_most=RUNS)
    print_comparison(compare(first, second, known), terminal.stdout(), as_json=options.json)


def _results(history: History, out: Path, name: str) -> Results:
    """A run's results from its folder, else as the history kept them."""
    from deadheat.export import source
    from deadheat.history import store
    from deadheat.storage import run_folder

    try:
        folder = run_folder.find(out, name)
    except UserError:
        if (kept := store.results(history, name)) is not None:
            return kept
        raise
    return source.read(folder).results


COMMAND = command("compare", CompareOptions, run)
