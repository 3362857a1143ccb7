"""A git repository of a user's, made by a test."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Nobody's settings but the test's.
ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
_WHO = ("-c", "user.name=Nobody", "-c", "user.email=nobody@localhost", "-c", "protocol.file.allow=always")


@dataclass(frozen=True)
class Made:
    """A working tree."""

    path: Path

    def git(self, *words: str) -> str:
        ran = subprocess.run(
            ["git", *_WHO, *words],
            cwd=self.path,
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, (words, ran.stderr)
        return ran.stdout.strip()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def commit(self, files: dict[str, str], message: str = "a change") -> str:
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def worktrees(self) -> int:
        """How many git knows of; the user's own is one."""
        return self.git("worktree", "list", "--porcelain").count("worktree ")


def made(path: Path, files: dict[str, str]) -> Made:
    """One with one commit on main."""
    path.mkdir(parents=True)
    repo = Made(path)
    repo.git("init", "--quiet", "--initial-branch=main")
    repo.commit(files, "the first")
    return repo
