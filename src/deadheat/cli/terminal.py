"""Standard output and error, as every verb uses them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from deadheat.errors import UserError

if TYPE_CHECKING:
    from rich.console import Console

# Wide enough for any row where there is no terminal to ask.
PIPE_WIDTH = 120


def stdout() -> Console:
    """Results go here."""
    return _console(stderr=False)


def stderr() -> Console:
    """Everything else goes here."""
    return _console(stderr=True)


def print_error(error: UserError) -> None:
    """`error: what is wrong`, then what to do."""
    console = stderr()
    from rich.text import Text  # noqa: PLC0415

    console.print(Text.assemble(("error: ", "bold red"), error.message), soft_wrap=True, highlight=False)
    if error.hint:
        console.print(Text.assemble(("hint: ", "bold"), error.hint), soft_wrap=True, highlight=False)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console  # noqa: PLC0415

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(stderr=stderr, width=width, soft_wrap=False)
