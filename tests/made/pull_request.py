"""A pull request of a program, as a service of CI has it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.made.repository import Made, made

PROGRAM = "for _ in range({times}): pass\nprint('done')\n"
BENCH = f'build = "cp work.py app"\nartifact = "app"\nprogram = "{sys.executable} -S -E app"\n'
LITTLE, MUCH = 1_000, 2_000_000


class Pull:
    """A pull request: main went on since it began, and the service made a merge of both."""

    def __init__(self, at: Path) -> None:
        self.repo: Made = made(
            at / "origin", {"work.py": PROGRAM.format(times=LITTLE), "bench/deadheat.toml": BENCH}
        )
        self.stale = self.repo.git("rev-parse", "HEAD")
        self.repo.git("checkout", "--quiet", "-b", "branch")
        self.push(MUCH)

    def push(self, times: int) -> None:
        """A commit of its author's, on which the service merges anew; main goes on as well."""
        self.repo.git("checkout", "--quiet", "branch")
        self.head = self.repo.commit({"work.py": PROGRAM.format(times=times)})
        self.repo.git("checkout", "--quiet", "main")
        self.base = self.repo.commit({"CHANGELOG": self.head})
        self.repo.git("checkout", "--quiet", "--detach", "main")
        self.repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "branch")
        self.merge = self.repo.git("rev-parse", "HEAD")

    def event(self) -> dict[str, Any]:
        # The base of an event is that of the day it was opened.
        return {"pull_request": {"number": 12, "head": {"sha": self.head}, "base": {"sha": self.stale}}}

    def cloned(self, to: Path, depth: int = 2) -> Path:
        """As actions/checkout does."""
        self.repo.git("branch", "--force", "merge", self.merge)
        origin = f"file://{self.repo.path}"
        self.repo.git("clone", "--quiet", f"--depth={depth}", "--branch=merge", origin, str(to))
        return to
