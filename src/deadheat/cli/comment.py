"""deadheat comment: the one comment of a pull request."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import click

from deadheat.cli import terminal, values
from deadheat.cli.command import argument, command, option
from deadheat.model.choices import CommentWhen


@dataclass(frozen=True, kw_only=True)
class CommentOptions:
    folder: Path = argument(
        type=click.Path(path_type=Path), help="What a comparison left, in this job or in another."
    )
    id: str = option(
        default="ab", show_default=True, metavar="ID", help="Tells the comments of several jobs apart."
    )
    on: CommentWhen = option(
        type=values.OneOf(CommentWhen, "choice"),
        default="always",
        show_default=True,
        help="always; on a change: where anything but 'no slower' is to be said, or was; or never.",
    )


def run(options: CommentOptions) -> None:
    """Comment a comparison on its pull request, in a job of GitHub Actions or GitLab CI.

    There is one comment, which each run writes anew, with the answers for the last commits. A token that may
    not comment, as that of a fork, is no error.

    \b
    Examples:
      deadheat comment deadheat-result
      deadheat comment deadheat-result --on change --id linux
    """
    from deadheat.app import commenting

    terminal.line(commenting.write(options.folder, os.environ, options.id, options.on))


COMMAND = command("comment", CommentOptions, run)
