"""A user's own bench/deadheat.toml without a race: built, started, asked. What `deadheat check` does in a
repository that has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from deadheat.app import ad_hoc as recording
from deadheat.app import checking
from deadheat.app import sides as two
from deadheat.app.checking import CheckedContender
from deadheat.app.sides import Given
from deadheat.hosts.held import this_machine
from deadheat.results.deciding import HEAD
from deadheat.revisions.building import Workshop
from deadheat.revisions.repository import repository
from deadheat.run.progress import View
from deadheat.util.paths import cache_folder

WORKING_TREE = "."


def check(folder: Path, view: View, say: Callable[[str], None]) -> Iterator[CheckedContender]:
    """The working tree of the repository that `folder` is in, as `deadheat ab` would race it: every request
    of it. Raises UserError where it does not build, start or answer."""
    repo = repository(folder)
    sides = two.both(repo, WORKING_TREE, WORKING_TREE, Given())
    head = sides[1]
    with this_machine("deadheat check: build") as (host, stop):
        workshop = Workshop(repo, cache_folder(), host, stop, view.warn)
        built = workshop.build(head.revision, head.recipe(repo), say)
    workloads = two.to_race(sides, (built, built))
    suite = recording.recorded(workloads, view).suite
    yield from checking.check(suite, (HEAD,), say)
