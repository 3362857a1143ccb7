"""Runs a plan: builds, checks, and block after block, every observation into the journal as it happens."""

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, field, replace

from deadheat.build.builder import Build, Builder
from deadheat.errors import UserError
from deadheat.hosts import Host, StartError, interference
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Built,
    Checked,
    Disturbance,
    Failed,
    GoneOn,
    Left,
    Observation,
    RaceUnavailable,
    ReferenceReplaced,
    Resumed,
    Settled,
    Slice,
    Stopped,
)
from deadheat.model.plan import Plan, RacePlan
from deadheat.plan import OURS, going_on, lead_in, reference, schedule
from deadheat.results import derive
from deadheat.results.claimed import Race
from deadheat.results.through import through
from deadheat.run import disturbance, lead_ins, long_turns, repeats, resume, standing
from deadheat.run.builds import Builds
from deadheat.run.kind import TEMPLATE, Kind, RaceUnavailableError, Stage
from deadheat.run.progress import View
from deadheat.storage.journal import Journal, whole_blocks
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
            self._journal = journal
            try:
                if self.observations:
                    self._take_up()
                for one in self.known:
                    self._observe(one)
                builds: dict[str, dict[str, Build]] = {}
                for race in self.plan.workloads:
                    # Just before its first race, so that the first verdict does not wait for every build.
                    if race.workload not in builds:
                        with self.alone():
                            builds[race.workload] = self._builds.of_workload(race.workload, self._observe)
                    self._race(race, builds)
            except (InterruptedRunError, KeyboardInterrupt) as error:
                self._observe(Stopped(why="interrupted"))
                if isinstance(error, KeyboardInterrupt):
                    raise
            finally:
                self._clear()
                self.view.close()

    def _clear(self) -> None:
        """What services had copies of is large, and of no use after a race."""
        if not any(self.suite.workloads[race.workload].services for race in self.plan.workloads):
            return
        host = self.host if self.services_on is None else self.services_on
        with suppress(UserError, StartError, TimeoutError):
            remove = ("sh", "-c", f'rm -rf "$0"/*{TEMPLATE}', str(self.folder.logs))
            host.run(remove, env={"PATH": os.defpath}, timeout_s=CLEARED_WITHIN_S)

    def _take_up(self) -> None:
        """Go on where all that is raced is what it was. Raises UserError before anything is journaled."""
        built = {(o.workload, o.contender) for o in self.observations if isinstance(o, Built)}
        resume.same_builds(self.observations, self._builds.again(built))
        self._observe(Resumed(at=clock.stamp()))
        for race, blocks in self.more.items():
            self._observe(GoneOn(race=race, blocks=blocks, at=clock.stamp()))

    @property
    def _builds(self) -> Builds:
        return Builds(self.plan, self.suite, self.builder, self.view, self.stop)

    def _observe(self, observation: Observation) -> None:
        self._journal.append(observation)
        self.observations.append(observation)
        self.observed(observation)

    def _race(self, race: RacePlan, builds: dict[str, dict[str, Build]]) -> None:
        """One race, or the reason why there is none."""
        race = going_on.so_far(reference.so_far(race, self.observations), self.observations)
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
        )
        kind = self.kinds[race.kind, race.method]
        if (why := kind.unavailable(stage)) is not None:
            self._unavailable(race, why)
            return
        try:
            self._blocks(stage, kind)
        except RaceUnavailableError as error:
            self._unavailable(race, str(error))

    def _unavailable(self, race: RacePlan, why: str) -> None:
        self._observe(RaceUnavailable(race=race.key, reason=why))
        done = sum(isinstance(o, BlockEnded) and o.race == race.key for o in self.observations)
        # What was measured stays.
        state = f"ended after {done} of {race.blocks} blocks" if done else "is unavailable"
        self.view.warn(f"{race.key} {state}: {why}")

    def _blocks(self, stage: Stage, kind: Kind) -> None:
        """Conformance of each entry, then block after block, with the verdicts so far after each."""
        race = stage.race
        if going_on.ended(race, self.observations):
            return
        with self.alone():
            lost = self._checked(stage, kind)
        stage = self._with_reference(stage, lost)
        if self._only_ceilings(stage, lost):
            why = standing.why_lost(stage, stage.race.reference, self.observations)
            self._unavailable(race, f"only the ceiling can race here ({stage.race.reference}: {why})")
            return
        for known in lead_ins.known(stage, self.observations):
            self._observe(known)
        for agreed in long_turns.known(stage, self.folder.machine(), self.observations):
            self._observe(agreed)
        self._until_settled(stage, kind, lost)
        while self._stand_in(stage.race, lost):
            stage = self._with_reference(stage, lost)
            self._until_settled(stage, kind, lost)

    def _stand_in(self, race: RacePlan, lost: Collection[str]) -> str | None:
        return reference.stand_in(race, lost, self.suite.contenders[race.workload])

    def _with_reference(self, stage: Stage, lost: Collection[str]) -> Stage:
        """The stage with another reference, where its own has left the race."""
        race = stage.race
        first = self._stand_in(race, lost)
        if first is None:
            return stage
        why = standing.why_lost(stage, race.reference, self.observations)
        self._observe(ReferenceReplaced(workload=race.workload, reference=first, was=race.reference, why=why))
        self.view.warn(f"{race.key}: {first} is the reference, as {race.reference} cannot race")
        race = going_on.so_far(reference.so_far(race, self.observations), self.observations)
        self.view.race(race, race.estimated_s or 0.0)
        for entry in race.entries:
            self.view.state(entry.id, "failed" if entry.id in lost else "waiting")
        return replace(stage, race=race)

    def _until_settled(self, stage: Stage, kind: Kind, lost: set[str]) -> None:
        """Block after block: until each pair is settled, given up or has as many as planned that count."""
        race = lead_in.so_far(stage.race, self.observations)
        ended = [o.block for o in self.observations if isinstance(o, BlockEnded) and o.race == race.key]
        index = max(ended, default=-1) + 1
        while True:
            stage = replace(stage, race=race)
            gone = lost | standing.left(race, self.observations)
            counted = standing.counted(race, self.observations)
            among = self._rivals(stage, gone) or self._rivals(stage, lost) or [race.reference_entry]
            clean = min(counted[entry] for entry in among)
            # Nobody left to be compared with, but still rows worth having.
            if clean >= race.blocks or len(lost) == len(race.entries) or self._only_ceilings(stage, lost):
                return
            if index >= repeats.most_blocks(
                race, repeats.walls_s(race, self.observations), budgeted=self._budgeted
            ):
                why = "its share of the budget is used" if self._budgeted else "twice as many as planned"
                self.view.warn(
                    f"{race.key}: {clean} of {race.blocks} blocks count after {index}, and no more are "
                    f"begun: {why}"
                )
                return
            block = schedule.block(race, self.plan.seed, index)
            index += 1
            with self.alone():
                disturbed = self._block(stage, kind, block.without(gone), lost, clean)
            if disturbed is not None:
                continue
            so_far = self._so_far(race)
            self.view.interim(so_far.result)
            lead_ins.keep(stage, so_far, self.observations)
            long_turns.keep(stage, so_far, self.folder.machine())
            if self._stand_in(race, lost) or self._over(stage, so_far, lost, index):
                return
            race = self._with_longer_lead_ins(race, so_far, index)

    def _so_far(self, race: RacePlan) -> Race:
        """What the blocks that count say."""
        counting = list(whole_blocks(self.observations))
        return self.methods[race.method](race, self.plan.facts, self.plan.margin, counting)

    def _rivals(self, stage: Stage, lost: Collection[str]) -> list[str]:
        return standing.rivals(stage.race, _ceilings(stage), lost)

    def _only_ceilings(self, stage: Stage, lost: Collection[str]) -> bool:
        """Nobody else is left, and a ceiling's figures alone answer nothing."""
        ceilings = {*_ceilings(stage)} - {*lost}
        return bool(ceilings) and ceilings == {e.id for e in stage.race.entries} - {*lost}

    def _over(self, stage: Stage, so_far: Race, lost: Collection[str], index: int) -> bool:
        """Let those leave that need no more blocks; whether nobody is left, before the last block."""
        race, result = stage.race, so_far.result
        if race.to_the_end:
            return False
        if race.leaving is None:
            over, given_up = result.blocks < race.blocks and derive.settled(result), 0
        else:
            before = standing.left(race, self.observations)
            leave = through(so_far, self.plan.facts, self.plan.margin, race.leaving)
            staying = [entry for entry in self._rivals(stage, lost) if entry not in {*leave, *before}]
            for entry, why in leave.items():
                if entry not in before and (why != "enough" or staying):
                    self._observe(Left(race=race.key, entry=entry, from_block=index, why=why))
                    self.view.state(entry, why)
            given_up = sum(why == "hopeless" for why in leave.values())
            over = not staying and any(why != "enough" for why in leave.values())
        if over and result.blocks < race.blocks:
            self._observe(Settled(race=race.key, blocks=result.blocks))
            but = f", but for {given_up} given up" if given_up else ""
            self.view.note(f"✓ {race.key}: settled after {result.blocks} of {race.blocks} blocks{but}")
        return over

    def _with_longer_lead_ins(self, race: RacePlan, so_far: Race, index: int) -> RacePlan:
        """The race from here on, where a look finds that some slices are not flat."""
        for longer in lead_ins.longer(race, so_far, index):
            self._observe(longer)
            whose = ", ".join(longer.entries)
            self.view.warn(
                f"{race.key}: {longer.why}: from here on {whose} has {longer.lead_in_ms} ms, and its blocks "
                "so far are left out"
            )
        return lead_in.so_far(race, self.observations)

    @property
    def _budgeted(self) -> bool:
        return self.plan.budget_s is not None

    def _checked(self, stage: Stage, kind: Kind) -> set[str]:
        """Entries that cannot race: not built, wrong, or failed before a resume."""
        race = stage.race
        lost = {e.id for e in race.entries if stage.build(e.id).folder is None}
        failed = {o.entry for o in self.observations if isinstance(o, Failed) and o.race == race.key}
        done = {
            o.contender: o.ok
            for o in self.observations
            if isinstance(o, Checked) and o.workload == race.workload
        }
        for entry in race.entries:
            if entry.id in lost or entry.null:
                continue
            self.stop.check()
            if entry.contender not in done:
                self.view.state(entry.id, "checking")
                check = kind.check(stage, entry.id)
                done[entry.contender] = check.ok
                self._observe(
                    Checked(
                        workload=race.workload,
                        contender=entry.contender,
                        ok=check.ok,
                        cases=check.cases,
                        reason=check.reason,
                        exchange=check.exchange,
                        headers=check.headers,
                        remarks=check.remarks,
                        agreed=check.agreed,
                    )
                )
                if not check.ok:
                    self.view.warn(
                        f"{entry.contender} failed its check before any timing, so it is not in the race: "
                        f"{check.reason} (deadheat check {entry.contender} shows the whole exchange)"
                    )
            self.view.state(entry.id, "waiting" if done[entry.contender] else "failed")
        wrong = {e.id for e in race.entries if done.get(e.contender) is False}
        return lost | failed | wrong

    def _block(
        self, stage: Stage, kind: Kind, block: schedule.Block, lost: set[str], clean: int
    ) -> Disturbance | None:
        """One block after `clean` that count, and who got into it, if anybody did: then it does not."""
        race, walls_s = stage.race, repeats.walls_s(stage.race, self.observations)
        repeated = repeats.disturbed(race, self.observations)
        if not any(isinstance(o, BlockStarted) and o.race == race.key for o in self.observations):
            self.begins(race)
        self._observe(BlockStarted(race=race.key, block=block.index, order=block.start, at=clock.stamp()))
        steps = (2 + len(race.loads)) * len(block.start) + len(block.turns)
        watched = self._watched(stage)
        before = [host.interference(cpus) for host, cpus in watched]
        limits, disturbed, slices = self.plan.disturbance, None, list[Slice]()
        with closing(kind.block(stage, block)) as observations:
            for done, observation in enumerate(observations, 1):
                self._observe(observation)
                if limits is not None and isinstance(observation, Slice):
                    slices += [] if observation.warm_up else [observation]
                    if race.blocks > 1 and (disturbed := disturbance.lagged(observation, limits)) is not None:
                        break
                if isinstance(observation, Failed):
                    lost.add(observation.entry)
                    self.view.warn(f"{observation.entry} leaves the race: {observation.reason}")
                within = min(1.0, done / steps)
                self.view.progress(
                    repeats.progress(race, walls_s, repeated, clean, within, budgeted=self._budgeted)
                )
                self.stop.check()
        if limits is not None and race.blocks > 1 and disturbed is None:
            disturbed = disturbance.of_generators(slices, limits)
        for (host, cpus), was in zip(watched, before, strict=True):
            around = interference.between(
                was, host.interference(cpus), race=race.key, block=block.index, cpus=cpus
            ).replaced(host=None if host is self.host else host.address)
            self._observe(around)
            if limits is not None and race.blocks > 1 and disturbed is None:
                disturbed = disturbance.of_block(around, limits)
        self._observe(BlockEnded(race=race.key, block=block.index, disturbed=disturbed))
        if disturbed is not None:
            self.view.disturbed(block.index, disturbed)
        return disturbed

    def _watched(self, stage: Stage) -> list[tuple[Host, set[int]]]:
        """Hosts of a block, each with the CPUs of it that nobody else should use."""
        servers = set[int]()
        if not all(stage.build(entry.id).contender.elsewhere for entry in stage.race.entries):
            servers = set(self.plan.server_cpus)
        load = set(self.plan.generator_cpus)
        if not stage.load_from:
            services = set(stage.services_cpus) if stage.services else set()
            return [(self.host, load | servers | services)]
        watched = [(self.host, servers), *((host, load) for host in stage.load_from)]
        if stage.services_on is not None and stage.services:
            watched.append((stage.services_on, set(stage.services_cpus)))
        return watched


def _ceilings(stage: Stage) -> list[str]:
    """Entries that show what the machine allows, and are no contenders."""
    return [e.id for e in stage.race.entries if stage.build(e.id).contender.class_ == "ceiling"]
