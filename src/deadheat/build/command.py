"""A contender's run line becomes an argument vector and an environment."""

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence

from deadheat.errors import UserError
from deadheat.hosts import programs
from deadheat.model.contender import Contender

# What a program may know of the referee's surroundings; the rest would differ from user to user.
ALLOWED = ("HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "JAVA_HOME", "GEM_HOME", "GEM_PATH")

# Not `${NAME}`, which is the shell's; nor what stands between braces with blanks, which is its too.
_PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z_]+)\}")


def argv(contender: Contender, values: Mapping[str, object], args: Sequence[str] = ()) -> tuple[str, ...]:
    """The run line split as a shell splits words; `{args}` as a word of its own becomes many.

    Values are filled in after splitting, so that none of them can add words.
    """
    words: list[str] = []
    for word in shlex.split(contender.run):
        words += args if word == "{args}" else [fill(contender, word, values)]
    return tuple(words)


def environment(contender: Contender, values: Mapping[str, object]) -> dict[str, str]:
    """An allow-listed environment, with our own programs first on the path."""
    env = {name: os.environ[name] for name in ALLOWED if name in os.environ}
    env["PATH"] = path()
    return env | {name: fill(contender, value, values) for name, value in contender.env.items()}


def of_container(contender: Contender, values: Mapping[str, object]) -> dict[str, str]:
    """What a contender's image has beside its own environment: nothing of ours."""
    env = {"PORT": "{port}", **contender.env}
    return {name: fill(contender, value, values) for name, value in env.items()}


def path() -> str:
    """Where programs of this machine are looked for."""
    return programs.here().path


def fill(contender: Contender, text: str, values: Mapping[str, object]) -> str:
    """Replace `{port}`, `{python}` and the like. Raises UserError for a placeholder that nobody fills."""
    known = {"python": sys.executable, **values}
    for unknown in _PLACEHOLDER.findall(text):
        if unknown not in known:
            raise UserError(
                f'{contender.folder / "contender.toml"}: "{{{unknown}}}" means nothing here',
                hint="known: " + ", ".join("{" + name + "}" for name in (*known, "args")),
            )
    return _PLACEHOLDER.sub(lambda found: str(known[found[1]]), text)
