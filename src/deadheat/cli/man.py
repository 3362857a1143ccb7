"""deadheat man: the manual page, made from the verbs themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import click

from deadheat import __version__
from deadheat.cli import terminal
from deadheat.cli.app import VERBS
from deadheat.cli.command import argument, command
from deadheat.cli.manual import Option, Page, page, pages
from deadheat.errors import ExitCode

ENDS = {
    ExitCode.DONE: "done",
    ExitCode.GATE_FAILED: "a condition that you set fails (ab --fail-if)",
    ExitCode.USAGE: "wrong usage",
    ExitCode.NOTHING_MEASURED: "nothing could be measured",
    ExitCode.NOTHING_JUDGED: "no verdict holds: too few blocks count, or a gate of the race is broken; a "
    "condition is open (ab)",
    ExitCode.INTERRUPTED: "interrupted",
}


@dataclass(frozen=True, kw_only=True)
class ManOptions:
    verb: str | None = argument(
        required=False,
        type=click.Choice(list(VERBS)),
        metavar="[VERB]",
        help="Of this verb alone; of all where none is named.",
    )


def run(options: ManOptions) -> None:
    """Print the manual page, for man.

    \b
    Examples:
      deadheat man | man -l -
      deadheat man race | man -l -
      deadheat man > ~/.local/share/man/man1/deadheat.1
    """
    terminal.line(roff(options.verb).rstrip("\n"))


def roff(verb: str | None = None) -> str:
    """A page of section 1, in man's macros."""
    top = page(verb)
    lines = [
        f'.TH "{_text(top.name.replace(" ", "-").upper())}" 1 "" "deadheat {__version__}" "User Commands"',
        ".SH NAME",
        f"{_text(top.name)} \\- {_text(top.paragraphs[0].rstrip('.'))}",
        ".SH SYNOPSIS",
        _text(top.usage),
        ".SH DESCRIPTION",
        *_body(top),
    ]
    if verb is None:
        for each in pages():
            lines += [f'.SH "{_text(each.name.upper())}"', ".B " + _text(each.usage), *_body(each)]
    lines += [".SH EXIT STATUS"]
    for code, means in ENDS.items():
        lines += [".TP", f".B {int(code)}", _text(means)]
    return "\n".join(lines) + "\n"


def _body(shown: Page) -> Iterable[str]:
    for paragraph in shown.paragraphs:
        yield from (".PP", _text(paragraph))
    for each in (*shown.arguments, *shown.options):
        yield from _listed(each)
    if shown.examples:
        yield from (".PP", "Examples:", ".PP", ".nf")
        yield from (f"    {_text(example)}" for example in shown.examples)
        yield ".fi"


def _listed(option: Option) -> Iterable[str]:
    yield from (".TP", f".B {_text(option.names)}", _text(option.text))


def _text(text: str) -> str:
    """With what roff would read otherwise escaped."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


COMMAND = command("man", ManOptions, run)
