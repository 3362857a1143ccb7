"""Command lines of a user as scripts for a shell: where they run, and what they are given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from deadheat.suite.ad_hoc import ASSIGNMENT, HOOKS, AdHoc, Beside, Command, words_of

#: What a service's own line may say, in this order.
OF_SERVICES = ("host", "port", "data")
#: What a command's line says of the copy of its template, which a script has in a variable.
CONFIG, _CONFIG = "config", "$config"


def of_command(wanted: AdHoc, command: Command) -> str:
    """Its shell is gone once the command runs (exec), but for where the user asked for one."""
    head = (
        _configured(wanted, command)
        + _cd(command.cwd)
        + "".join(_told(each, wanted.given) for each in wanted.services)
    )
    head += _exported(command.env, wanted.given)
    if wanted.request is not None:
        head += 'PORT="$1"; export PORT\n'
    if wanted.shell:
        return f"{head}{_filled(command.line, wanted.given).replace(f'{{{CONFIG}}}', _CONFIG)}\n"
    return head + _exec(command.line, wanted.given)


def _configured(wanted: AdHoc, command: Command) -> str:
    """Writes the copy of a template, beside the script: of each port one."""
    if command.config is None:
        return ""
    port = "-$1" if wanted.request is not None else ""
    name = f"$PWD/config{port}-{re.sub('[^A-Za-z0-9._-]', '_', command.config.name)}"
    text = _quoted(command.config.text, wanted.given)
    return f'{CONFIG}="{name}"\nprintf %s {text} > "{_CONFIG}" || exit 127\n'


def hooks_of(wanted: AdHoc) -> list[str]:
    """The hooks that any of the commands has."""
    return [hook for hook in HOOKS if any(hook in dict(command.hooks) for command in wanted.commands)]


def of_hook(wanted: AdHoc, command: Command, hook: str) -> str:
    """Where the command runs; nothing is done for one that has none."""
    line = dict(command.hooks).get(hook, ":")
    return f"{_cd(command.cwd)}{_filled(line, wanted.asked)}\n"


def of_service(beside: Beside, line: str) -> str:
    """A service's own line, with its port as PORT."""
    return f'{_cd(beside.cwd)}PORT="$2"; export PORT\n{_exec(line, OF_SERVICES)}'


def of_fixture(beside: Beside, line: str) -> str:
    """It ends with what first fails, and is told where the service is as commands are."""
    told = _told(beside, beside.placeholders)
    return f"{_cd(beside.cwd)}{told}set -e\n{_filled(line, beside.placeholders)}\n"


def call(script: str, given: Sequence[str]) -> str:
    """The line that runs a script with what it is given, which is filled in later."""
    return " ".join(["sh", shlex.quote(script), *(f"{{{name}}}" for name in given)])


def _cd(folder: Path) -> str:
    return f"cd {shlex.quote(str(folder))} || exit 127\n"


def _exec(line: str, given: Sequence[str]) -> str:
    words = words_of(line)
    if ASSIGNMENT.match(words[0]):
        words = ["env", *words]
    return f"exec {' '.join(_quoted(word, given) for word in words)}\n"


def _exported(env: Iterable[tuple[str, str]], given: Sequence[str]) -> str:
    return "".join(f"export {name}={_quoted(value, given)}\n" for name, value in env)


def told(beside: Beside) -> tuple[tuple[str, str], ...]:
    """Of a service: POSTGRES, POSTGRES_HOST, POSTGRES_PORT, and what its clients look for."""
    return (*((name.upper(), f"{{{name}}}") for name in beside.placeholders), *beside.env)


def _told(beside: Beside, given: Sequence[str]) -> str:
    return _exported(told(beside), given)


def _filled(line: str, given: Sequence[str]) -> str:
    """A line for a shell, whose own quotes hold."""
    for place, name in enumerate(given, 1):
        line = line.replace(f"{{{name}}}", _argument(place))
    return line


def _quoted(word: str, given: Sequence[str]) -> str:
    places = {f"{{{name}}}": f'"{_argument(place)}"' for place, name in enumerate(given, 1)}
    places[f"{{{CONFIG}}}"] = f'"{_CONFIG}"'
    parts = re.split("|".join(map(re.escape, places)).join("()"), word)
    return "".join(places.get(part) or shlex.quote(part) for part in parts if part) or "''"


def _argument(place: int) -> str:
    """`$10` would be the first, and a 0."""
    return f"${place}" if place < 10 else f"${{{place}}}"
