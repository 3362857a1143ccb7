"""Git, as its command line: the one place where it is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deadheat.errors import UserError

# Hooks of the user's are about the user's own work; a submodule may lie in a folder beside.
_SETTINGS = ("-c", "core.hooksPath=/dev/null", "-c", "protocol.file.allow=always")
# What a hook or an editor may have set, and what would lead elsewhere than into the folder asked for.
_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")


class GitError(Exception):
    """A command of git's that failed; the message is the last line it printed."""


@dataclass(frozen=True)
class Git:
    """Git, run in one folder."""

    folder: Path

    def __call__(self, *words: str, env: Mapping[str, str] | None = None) -> str:
        """What it printed, less the last line's end. Raises GitError, and UserError where there is no git."""
        try:
            ran = subprocess.run(
                ["git", *_SETTINGS, *words],
                cwd=self.folder,
                env={**_environment(), **(env or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                check=False,
            )
        except FileNotFoundError:
            raise UserError("git not found", hint="apt-get install git") from None
        if ran.returncode != 0:
            said = [line for line in ran.stderr.splitlines() if line.strip()]
            raise GitError(said[-1].removeprefix("fatal: ") if said else f"git {words[0]} failed")
        return ran.stdout.removesuffix("\n")

    def found(self, *words: str) -> str | None:
        """What it printed; None where it failed or printed nothing."""
        try:
            return self(*words) or None
        except GitError:
            return None


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
