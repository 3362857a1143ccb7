"""deadheat completion: what a shell needs to complete our verbs and options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deadheat.cli import terminal
from deadheat.cli.command import argument, command
from deadheat.cli.values import OneOf

Shell = Literal["bash", "zsh", "fish"]


@dataclass(frozen=True, kw_only=True)
class CompletionOptions:
    shell: Shell = argument(type=OneOf(Shell, "shell"), help="Whose.")


def run(options: CompletionOptions) -> None:
    """Print what a shell needs to complete our verbs and options.

    \b
    Examples:
      deadheat completion bash > ~/.local/share/bash-completion/completions/deadheat
      deadheat completion zsh > ~/.zfunc/_deadheat
      deadheat completion fish > ~/.config/fish/completions/deadheat.fish
    """
    from click.shell_completion import get_completion_class

    from deadheat.cli.app import app

    complete = get_completion_class(options.shell)
    assert complete is not None
    terminal.line(complete(app, {}, "deadheat", "_DEADHEAT_COMPLETE").source())


COMMAND = command("completion", CompletionOptions, run)
