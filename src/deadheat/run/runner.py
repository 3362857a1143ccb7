"""Runs a plan: builds, then race after race, every observation into the journal as it happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import groupby

from deadheat.build.builder import Builder
from deadheat.build.built import Build
from deadheat.errors import UserError
from deadheat.hosts import Host, StartError
from deadheat.model.observation import BlockStarted, Built, GoneOn, Observation, Resumed, Stopped
from deadheat.model.plan import Plan, RacePlan
from deadheat.plan import OURS
from deadheat.results import derive
from deadheat.run import resume
from deadheat.run.builds import Builds
from deadheat.run.kind import TEMPLATE, Kind, Stage
from deadheat.run.progress import View
from deadheat.run.racing import Racing, as_it_stands
from deadheat.run.record import Record
from deadheat.run.rounds import Rounds
from deadheat.storage.journal import Journal
from deadheat.storage.run_folder import RunFolder
from deadheat.suite.suite import Suite
from deadheat.util import clock
from deadheat.util.interrupt import InterruptedRunError, Stop

CLEARED_WITHIN_S = 60.0


@dataclass
class Runner:
    """One run of a plan. `observations` grows as it goes; resumed, it starts with what was there. `begins`
    is called before the first block of a race: whatever comes of it, it was attempted. `more`: races, by
    key, that go on up to so many blocks. `observed` is told each observation once it is in the journal; what
    is built, checked or measured is within `alone`, each block by itself, for machines that are shared.
    `load_from`: hosts that load the servers of this one, `services_on` one for the services alone; `known` is
    what was observed before.
    `db_url`: somebody's own PostgreSQL, for races that are planned for one.
    """

    plan: Plan
    suite: Suite
    folder: RunFolder
    kinds: Mapping[tuple[str, str], Kind]
    host: Host
    view: View
    stop: Stop
    observations: list[Observation]
    builder: Builder
    methods: Mapping[str, derive.Derive] = field(default_factory=lambda: {OURS: derive.race_of})
    begins: Callable[[RacePlan], None] = lambda _race: None
    more: Mapping[str, int] = field(default_factory=dict)
    observed: Callable[[Observation], None] = lambda _observation: None
    alone: Callable[[], AbstractContextManager[None]] = nullcontext
    load_from: tuple[Host, ...] = ()
    services_on: Host | None = None
    known: tuple[Observation, ...] = ()
    db_url: str | None = None

    def run(self) -> None:
        """Everything the plan says, or up to where somebody stops it."""
        with Journal(self.folder.journal) as journal:
            record = Record(journal, self.observations, self.observed)
            try:
                if self.observations:
                    self._take_up(record)
                for one in self.known:
                    record.add(one)
                builds: dict[str, dict[str, Build]] = {}
                for family, races in groupby(self.plan.workloads, lambda race: race.family):
                    if family is None:
                        for race in races:
                            racing, stage = self._racing(race, builds, record)
                            racing.run(stage)
                    else:
                        self._family(family, list(races), builds, record)
            except (InterruptedRunError, KeyboardInterrupt) as error:
                record.add(Stopped(why="interrupted"))
                if isinstance(error, KeyboardInterrupt):
                    raise
            finally:
                self._clear()
                self.view.close()

    def _take_up(self, record: Record) -> None:
        """Go on where all that is raced is what it was. Raises UserError before anything is journaled."""
        built = {(o.workload, o.contender) for o in self.observations if isinstance(o, Built)}
        resume.same_builds(self.observations, self._builds.again(built))
        record.add(Resumed(at=clock.stamp()))
        for race, blocks in self.more.items():
            record.add(GoneOn(race=race, blocks=blocks, at=clock.stamp()))

    @property
    def _builds(self) -> Builds:
        return Builds(self.plan, self.suite, self.builder, self.view, self.stop)

    def _family(
        self, name: str, races: Sequence[RacePlan], builds: dict[str, dict[str, Build]], record: Record
    ) -> None:
        """Races side by side: in each round a block of each that is not over, by the same starts."""
        for race in races:
            self._built(race, builds, record)
        rounds = Rounds(f"{self.plan.seed}:{name}", self.suite.workloads, builds)
        steps = {}
        for race in races:
            racing, stage = self._racing(race, builds, record, rounds)
            steps[race.key] = racing.steps(stage)
        # Up to its first block: who answers right.
        going = [race for race in races if self._step(race, steps)]
        while going:
            number = sum(isinstance(o, BlockStarted) for o in self.observations)
            with rounds.begin(number, [as_it_stands(race, record) for race in going]):
                over = [race for race in rounds.order(number, going) if not self._step(race, steps)]
            rounds.end()
            going = [race for race in going if race not in over]

    def _step(self, race: RacePlan, steps: Mapping[str, Iterator[None]]) -> bool:
        """Up to the race's next block; whether there is one."""
        self.view.race(race, race.estimated_s or 0.0)
        return next(steps[race.key], self) is not self

    def _built(self, race: RacePlan, builds: dict[str, dict[str, Build]], record: Record) -> None:
        """Just before the first race of its workload or family, so that the first verdict does not wait for
        every build."""
        if race.workload not in builds:
            with self.alone():
                builds[race.workload] = self._builds.of_workload(race.workload, record.add)

    def _racing(
        self,
        race: RacePlan,
        builds: dict[str, dict[str, Build]],
        record: Record,
        rounds: Rounds | None = None,
    ) -> tuple[Racing, Stage]:
        """A race that is to be run, once its contenders are built."""
        self._built(race, builds, record)
        race = as_it_stands(race, record)
        if rounds is None:
            self.view.race(race, race.estimated_s or 0.0)
        stage = Stage.of(
            self.plan,
            race,
            self.suite,
            builds[race.workload],
            host=self.host,
            view=self.view,
            stop=self.stop,
            logs=self.folder.logs,
            observed=self.observations,
            load_from=self.load_from,
            services_on=self.services_on,
            db_url=None if race.own_database is None else self.db_url,
            rounds=rounds,
        )
        racing = Racing(
            kind=self.kinds[race.kind, race.method],
            record=record,
            folder=self.folder,
            method=self.methods[race.method],
            contenders=self.suite.contenders[race.workload],
            begins=self.begins,
            alone=self.alone,
        )
        return racing, stage

    def _clear(self) -> None:
        """What services had copies of is large, and of no use after a race."""
        if not any(self.suite.workloads[race.workload].services for race in self.plan.workloads):
            return
        host = self.host if self.services_on is None else self.services_on
        with suppress(UserError, StartError, TimeoutError):
            remove = ("sh", "-c", f'rm -rf "$0"/*{TEMPLATE}', str(self.folder.logs))
            host.run(remove, env={"PATH": os.defpath}, timeout_s=CLEARED_WITHIN_S)
