"""A verb's options as one typed object: a frozen dataclass whose fields say how each is asked for.

    @dataclass(frozen=True, kw_only=True)
    class BuildOptions(SomeContenders, SuiteFolder):
        times: int | None = option(type=click.IntRange(min=2), help="Build so often.")

Groups of options that several verbs share are such dataclasses too, and a verb inherits them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, TypeVar

import click

from deadheat.errors import UserError

Options = TypeVar("Options")
#: What looks at runs, or at a suite, works on macOS and Windows too.
ELSEWHERE = "list, show, report, cost, merge, claims, runs, export, history, compare and import"
_PARAMETER = "parameter"


def option(*names: str, **how: Any) -> Any:
    """A field that is an option, called as the field where no `names` are given; `how`: of click.Option."""

    def made(field_name: str) -> click.Parameter:
        return click.Option([field_name, *(names or [f"--{field_name.replace('_', '-')}"])], **how)

    return field(metadata={_PARAMETER: made})


def argument(**how: Any) -> Any:
    """A field that is a word without a dash; `how`: of click.Argument."""
    return field(metadata={_PARAMETER: lambda field_name: click.Argument([field_name], **how)})


def command(
    name: str, options: type[Options], run: Callable[[Options], None], *, linux: bool = False
) -> click.Command:
    """The verb: the words of a command line become its `options`, and `run`, whose docstring is the help,
    is called with them. `linux`: it needs Linux, and says so elsewhere.
    """

    def called(**given: Any) -> None:
        if linux and platform() != "linux":
            raise UserError(
                f"deadheat {name} needs Linux: it binds CPUs, freezes and meters processes there",
                hint=f"here work {ELSEWHERE}, with runs made on Linux",
            )
        run(options(**given))

    parameters = [made(field_name) for field_name, made in _parameters(options).items()]
    return click.Command(name, params=parameters, callback=called, help=run.__doc__)


def platform() -> str:
    """`linux`, `darwin`, `win32`."""
    return sys.platform


def _parameters(options: type[Any]) -> dict[str, Callable[[str], click.Parameter]]:
    """By field: the verb's own first, then those of its groups, in the order in which it names them."""
    how = {f.name: f.metadata[_PARAMETER] for f in fields(options)}
    own_first = [name for group in options.__mro__ for name in vars(group).get("__annotations__", {})]
    return {name: how[name] for name in dict.fromkeys(own_first)}
