"""A comparison as a job of a CI service: which commits, and what it leaves for people and for other steps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from deadheat.app import ab
from deadheat.app.ab import Compared, Wanted
from deadheat.errors import ExitCode, UserError
from deadheat.export import junit
from deadheat.model.ci import FILE, CiJob
from deadheat.report import comment
from deadheat.revisions.ci import Change, change
from deadheat.revisions.repository import WORKING_TREE, repository
from deadheat.run.progress import View
from deadheat.util.files import explained, write_whole

SUMMARY, JUNIT, RUNS = "summary.md", "junit.xml", "runs"
# The parts of a command that are of this job alone.
_OF_CI = ("--ci", "--out", "--db", "--json")


@dataclass(frozen=True)
class Job:
    """`folder` gets all that the job leaves; `here` is in the clone that the service made."""

    folder: Path
    environment: Mapping[str, str]
    here: Path

    @property
    def runs(self) -> Path:
        """Where its runs are kept."""
        return self.folder / RUNS

    @cached_property
    def change(self) -> Change:
        return change(repository(self.here), self.environment)

    def compare(
        self, given: Wanted, view: View, db: str | None = None, *, fail_if_inconclusive: bool = False
    ) -> tuple[Compared, ExitCode]:
        """The whole way: what was found, and what the job ends with, both left in the folder. Raises
        UserError, which is left there too."""
        wanted = self._wanted(given)
        try:
            compared = ab.compare(wanted, self.here, self.runs, view, db)
        except UserError as error:
            hint = f"\nhint: {error.hint}" if error.hint else ""
            self._write(self._found(wanted, error.code).replaced(error=f"{error.message}{hint}"))
            raise
        code = ab.code_of(compared, fail_if_inconclusive=fail_if_inconclusive)
        self._write(self._found(wanted, code).replaced(comparison=compared.comparison))
        return compared, code

    def _wanted(self, given: Wanted) -> Wanted:
        """What the job is about, unless revisions were named. Raises UserError."""
        try:
            base = self.change.base if given.base is None else given.base
            head = self.change.head if given.head == WORKING_TREE else given.head
        except UserError as error:
            _append(self.environment, f"### Deadheat: not compared\n\n{comment.fence(error.message)}\n")
            raise
        return replace(given, base=base, head=head)

    def _found(self, wanted: Wanted, code: ExitCode) -> CiJob:
        return CiJob(
            pull_request=self.change.pull_request,
            base=self.change.base,
            head=self.change.known_as,
            code=code,
            repeat=_repeat(wanted),
        )

    def _write(self, job: CiJob) -> None:
        with explained(self.folder, "--ci names another folder"):
            self.folder.mkdir(parents=True, exist_ok=True)
        text = comment.summary(job)
        write_whole(self.folder / FILE, job.model_dump_json(by_alias=True, indent=2) + "\n")
        write_whole(self.folder / SUMMARY, text)
        write_whole(self.folder / JUNIT, junit.of_comparison(job))
        _append(self.environment, text)


def _repeat(wanted: Wanted) -> str:
    """The command, with both revisions named, for a clone of one's own."""
    words = list(wanted.asked.command)
    kept = []
    skip = False
    for word in words[2:]:
        if skip:
            skip = False
        elif word.split("=")[0] in _OF_CI:
            skip = "=" not in word and word != "--json"
        elif word not in (wanted.base, wanted.head, WORKING_TREE):
            kept.append(word)
    return shlex.join(["deadheat", "ab", wanted.base or "", wanted.head, *kept])


def _append(environment: Mapping[str, str], text: str) -> None:
    """To the page of a job of GitHub's, where there is one."""
    if file := environment.get("GITHUB_STEP_SUMMARY"):
        with explained(Path(file)), Path(file).open("a", encoding="utf-8") as page:
            page.write(f"{text}\n")
