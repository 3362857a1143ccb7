"""Standard output and error, as every verb uses them. Rich is imported only for what needs it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from deadheat.run.progress import View
    from deadheat.storage.run_folder import RunFolder

# Wide enough for any row where there is no terminal to ask.
PIPE_WIDTH = 120


def stdout() -> Console:
    """Results go here."""
    return _console(stderr=False)


def stderr() -> Console:
    """Everything else goes here."""
    return _console(stderr=True)


def view() -> View:
    """What shows a race: a table that narrows on a terminal, plain lines elsewhere."""
    from deadheat.report.live import LiveView, PlainView

    console = stderr()
    return LiveView(console) if console.is_terminal else PlainView(console)


def line(text: str) -> None:
    """A line of results, as it is: no colour, no wrapping."""
    sys.stdout.write(f"{text}\n")


def results(run: RunFolder, *, as_json: bool) -> None:
    """What came of a run, as its folder has it: the file, or the table."""
    from deadheat.report import terminal as table

    if as_json:
        line(run.results_file.read_text().rstrip("\n"))
    else:
        table.show(run.results(), stdout())


def say(text: str) -> None:
    """A line beside the results, as it is."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def warn(text: str) -> None:
    """`! what to know`, in yellow on a terminal."""
    from rich.text import Text

    stderr().print(Text(f"! {text}", style="yellow"), soft_wrap=True, highlight=False)


def print_error(message: str, hint: str | None) -> None:
    """`error: what is wrong`, then what to do."""
    from rich.text import Text

    console = stderr()
    console.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True, highlight=False)
    if hint:
        console.print(Text.assemble(("hint: ", "bold"), hint), soft_wrap=True, highlight=False)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(stderr=stderr, width=width, soft_wrap=False)
