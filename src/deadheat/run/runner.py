"""Runs a plan: builds, then race after race, every observation into the journal as it happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field

from deadheat.build.builder import Builder
from deadheat.build.built import Build
from deadheat.errors import UserError
from deadheat.hosts import Host, StartError
from deadheat.model.observation import Built, GoneOn, Observation, Resumed, Stopped
from deadheat.model.plan import Plan, RacePlan
from deadheat.plan import OURS
from deadheat.results import derive
from deadheat.run import resume
from deadheat.run.builds import Builds
from deadheat.run.kind import TEMPLATE, Kind, Stage
from deadheat.run.progress import View
from deadheat.run.racing import Racing, as_it_stands
from deadheat.run.record import Record
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
                for race in self.plan.workloads:
                    # Just before its first race, so that the first verdict does not wait for every build.
                    if race.workload not in builds:
                        with self.alone():
                            builds[race.workload] = self._builds.of_workload(race.workload, record.add)
                    self._race(as_it_stands(race, record), builds[race.workload], record)
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

    def _race(self, race: RacePlan, builds: Mapping[str, Build], record: Record) -> None:
        self.view.race(race, race.estimated_s or 0.0)
        stage = Stage.of(
            self.plan,
            race,
            self.suite,
            builds,
            host=self.host,
            view=self.view,
            stop=self.stop,
            logs=self.folder.logs,
            observed=self.observations,
            load_from=self.load_from,
            services_on=self.services_on,
            db_url=None if race.own_database is None else self.db_url,
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
        racing.run(stage)

    def _clear(self) -> None:
        """What services had copies of is large, and of no use after a race."""
        if not any(self.suite.workloads[race.workload].services for race in self.plan.workloads):
            return
        host = self.host if self.services_on is None else self.services_on
        with suppress(UserError, StartError, TimeoutError):
            remove = ("sh", "-c", f'rm -rf "$0"/*{TEMPLATE}', str(self.folder.logs))
            host.run(remove, env={"PATH": os.defpath}, timeout_s=CLEARED_WITHIN_S)
