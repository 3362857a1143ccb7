"""What several races have in common: their servers are started once and go through a block of each."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from deadheat.build.built import Build
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Workload

_Made = TypeVar("_Made")


class Round:
    """A fresh start of servers, and of the services beside them, that races have in common: it ends all that
    was started in it. `workloads` of these races; `entries` of any of them, each once; `seed`: of what is
    drawn for all of them.

    `env`: by contender what it has in its environment in any of them; nothing of one whose workloads
    disagree, which is started for each.
    """

    def __init__(
        self,
        races: Sequence[RacePlan],
        workloads: Sequence[Workload],
        env: Mapping[str, dict[str, str]],
        seed: str,
    ) -> None:
        self.workloads, self.env, self.seed = tuple(workloads), env, seed
        self.entries = tuple(dict.fromkeys(entry.id for race in races for entry in race.entries))
        self.stack = ExitStack()
        self._made: dict[Hashable, Any] = {}
        self._ends: dict[Hashable, Callable[[], object]] = {}

    def once(self, key: Hashable, make: Callable[[], _Made]) -> tuple[_Made, bool]:
        """What goes by this key, and whether it was made just now."""
        if fresh := key not in self._made:
            self._made[key] = make()
        made: _Made = self._made[key]
        return made, fresh

    def ends_by(self, key: Hashable, end: Callable[[], object]) -> None:
        """How it is ended, side by side with the others of the round."""
        self._ends[key] = end

    def drop(self, key: Hashable) -> None:
        """It failed: it ends now, and the next race that wants it starts another."""
        self._made.pop(key, None)
        if (end := self._ends.pop(key, None)) is not None:
            end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self.stack, ThreadPoolExecutor(max_workers=max(1, len(self._ends))) as pool:
            for ended in [pool.submit(end) for end in self._ends.values()]:
                ended.result()


@dataclass
class Rounds:
    """Those of a family, one after the other; `now` is the one under way. `workloads` by name, and the builds
    of each by contender; `name` is in all that is drawn."""

    name: str
    workloads: Mapping[str, Workload]
    builds: Mapping[str, Mapping[str, Build]]
    now: Round | None = None

    def begin(self, number: int, races: Sequence[RacePlan]) -> Round:
        """The next one, of the races that are not over, as they stand."""
        names = list(dict.fromkeys(race.workload for race in races))
        env = environments([self.builds[name] for name in names])
        self.now = Round(races, [self.workloads[name] for name in names], env, f"{self.name}:{number}")
        return self.now

    def end(self) -> None:
        """None is under way."""
        self.now = None

    def order(self, number: int, races: Sequence[RacePlan]) -> list[RacePlan]:
        """In which they take their blocks: at random, those that write last."""
        rng = random.Random(f"{self.name}:{number}:order")
        return sorted(rng.sample(races, len(races)), key=self._writes)

    def _writes(self, race: RacePlan) -> bool:
        database = self.workloads[race.workload].database
        return database is not None and database.written is not None


def environments(of_workloads: Sequence[Mapping[str, Build]]) -> dict[str, dict[str, str]]:
    """By contender what it has in its environment in any of these workloads, if none of them disagree."""
    env: dict[str, dict[str, str]] = {}
    disagree = set[str]()
    for builds in of_workloads:
        for id_, build in builds.items():
            known, own = env.setdefault(id_, {}), build.contender.env
            if any(known.get(key, value) != value for key, value in own.items()):
                disagree.add(id_)
            known.update(own)
    return {id_: each for id_, each in env.items() if id_ not in disagree}
