"""The verbs and their options as data, for whatever shows them: a man page, the site's reference."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass

import click

from deadheat.cli.app import VERBS, app


@dataclass(frozen=True)
class Option:
    """As --help has it: its names with what they take, what it does, and what `envvar` stands for it."""

    names: str
    text: str
    envvar: str | None = None


@dataclass(frozen=True)
class Page:
    """A verb's help: its call, its paragraphs, its examples (whole lines), its words and options."""

    name: str
    usage: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    arguments: tuple[Option, ...]
    options: tuple[Option, ...]


def page(verb: str | None = None) -> Page:
    """Of `verb`; of `deadheat` itself where none is named. Raises KeyError for what is no verb."""
    root = click.Context(app, info_name="deadheat")
    if verb is None:
        return _page(app, root)
    if verb not in VERBS:
        raise KeyError(verb)
    command = app.get_command(root, verb)
    assert command is not None
    return _page(command, click.Context(command, info_name=verb, parent=root))


def pages() -> list[Page]:
    """Every verb's, in the order of --help."""
    return [page(verb) for verb in VERBS]


def _page(command: click.Command, context: click.Context) -> Page:
    text = inspect.cleandoc(command.help or "")
    above, _, examples = text.partition("\b\nExamples:\n")
    parameters = command.get_params(context)
    return Page(
        name=context.command_path,
        usage=" ".join([context.command_path, *command.collect_usage_pieces(context)]),
        paragraphs=tuple(" ".join(part.split()) for part in above.split("\n\n") if part.strip()),
        examples=tuple(line.strip() for line in examples.splitlines() if line.strip()),
        arguments=_shown([p for p in parameters if isinstance(p, click.Argument)], context),
        options=_shown([p for p in parameters if not isinstance(p, click.Argument)], context),
    )


def _shown(parameters: Sequence[click.Parameter], context: click.Context) -> tuple[Option, ...]:
    """Without those that --help hides."""
    shown = []
    for parameter in parameters:
        if (record := parameter.get_help_record(context)) is not None:
            envvar = parameter.envvar if isinstance(parameter.envvar, str) else None
            shown.append(Option(*record, envvar))
    return tuple(shown)
