"""Runs a plan: builds, checks, and block after block, every observation into the journal as it happens."""

import datetime
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from deadheat import derive, lead_in, planning, schedule, surroundings
from deadheat.build import Build, Builder
from deadheat.hosts import Host
from deadheat.interrupt import InterruptedRunError, Stop
from deadheat.journal import Journal, whole_blocks
from deadheat.kinds.base import Kind, RaceUnavailableError, Stage
from deadheat.model.observation import (
    BlockEnded,
    BlockStarted,
    Checked,
    Failed,
    LeadInGrown,
    Observation,
    RaceUnavailable,
    Resumed,
    Settled,
    Stopped,
)
from deadheat.model.plan import Plan, WorkloadPlan
from deadheat.report.live import View
from deadheat.run_folder import RunFolder
from deadheat.suite import Suite


@dataclass
class Runner:
    """One run of a plan. `observations` grows as it goes; resumed, it starts with what was there."""

    plan: Plan
    suite: Suite
    folder: RunFolder
    kinds: Mapping[tuple[str, str], Kind]
    host: Host
    view: View
    stop: Stop
    observations: list[Observation]
    builder: Builder

    def run(self) -> None:
        """Everything the plan says, or up to where somebody stops it."""
        with Journal(self.folder.journal) as journal:
            self._journal = journal
            if self.observations:
                self._observe(Resumed(at=_now()))
            try:
                builds = self._build()
                for race in self.plan.workloads:
                    self._race(race, builds)
            except (InterruptedRunError, KeyboardInterrupt) as error:
                self._observe(Stopped(why="interrupted"))
                if isinstance(error, KeyboardInterrupt):
                    raise
            finally:
                self.view.close()

    def _observe(self, observation: Observation) -> None:
        self._journal.append(observation)
        self.observations.append(observation)

    def _build(self) -> dict[str, dict[str, Build]]:
        """All builds come before any measurement."""
        builds: dict[str, dict[str, Build]] = {}
        for name in dict.fromkeys(race.workload for race in self.plan.workloads):
            wanted = {
                e.contender for race in self.plan.workloads if race.workload == name for e in race.entries
            }
            made = [
                self._built(contender.id, name)
                for contender in self.suite.contenders[name]
                if contender.id in wanted
            ]
            builds[name] = {build.contender.id: build for build in made}
            ready = [build for build in made if build.folder is not None]
            cached = sum(build.record.cached for build in ready)
            self.view.note(f"✓ {name:<14} {len(ready)} contenders ready ({cached} built before)")
        return builds

    def _built(self, id_: str, workload: str) -> Build:
        contender = self.suite.contender(workload, id_)
        self.stop.check()
        build = self.builder.build(contender, lambda what: self.view.note(f"  {workload}/{id_}: {what}"))
        self._observe(build.record)
        if build.folder is None:
            state = "failed" if build.record.status == "failed" else "is unavailable"
            said = "".join(f"\n    {line}" for line in build.record.tail)
            self.view.warn(f"{workload}/{id_} {state}: {build.record.reason}{said}")
        return build

    def _race(self, race: WorkloadPlan, builds: dict[str, dict[str, Build]]) -> None:
        """One race, or the reason why there is none."""
        self.view.race(race, planning.estimated_s(race, self.plan.preset))
        workload = self.suite.workloads[race.workload]
        stage = Stage(
            plan=self.plan,
            race=race,
            workload=workload,
            workload_folder=self.suite.folder / race.workload,
            builds=builds[race.workload],
            host=self.host,
            view=self.view,
            stop=self.stop,
            logs=self.folder.logs,
            observed=self.observations,
        )
        kind = self.kinds[race.kind, race.method]
        if (why := kind.unavailable(race)) is not None:
            self._unavailable(race, why)
            return
        try:
            self._blocks(stage, kind)
        except RaceUnavailableError as error:
            self._unavailable(race, str(error))

    def _unavailable(self, race: WorkloadPlan, why: str) -> None:
        self._observe(RaceUnavailable(workload=race.key, reason=why))
        done = sum(isinstance(o, BlockEnded) and o.workload == race.key for o in self.observations)
        # What was measured stays.
        state = f"ended after {done} of {race.blocks} blocks" if done else "is unavailable"
        self.view.warn(f"{race.key} {state}: {why}")

    def _blocks(self, stage: Stage, kind: Kind) -> None:
        """Conformance of each entry, then block after block, with the verdicts so far after each."""
        race = stage.race
        if any(isinstance(o, Settled) and o.workload == race.key for o in self.observations):
            return
        lost = self._checked(stage, kind)
        while (longer := self._until_settled(stage, kind, lost)) is not None:
            self._observe(longer)
            self.view.warn(
                f"{race.key}: {longer.why}: from here on {longer.lead_in_ms} ms, and the blocks so far are "
                "left out"
            )

    def _until_settled(self, stage: Stage, kind: Kind, lost: set[str]) -> LeadInGrown | None:
        """Block after block: to the last, or to a look that settles it or asks for a longer lead-in."""
        race, first = lead_in.so_far(stage.race, self.observations)
        stage = replace(stage, race=race)
        done = {o.block for o in self.observations if isinstance(o, BlockEnded) and o.workload == race.key}
        # A reference that is not there leaves nothing to compare with, but still rows worth having.
        further = race.model_copy(update={"blocks": first + race.blocks})
        for block in schedule.blocks(further, self.plan.seed)[first:]:
            if block.index in done or len(lost) == len(race.entries):
                continue
            self._block(stage, kind, _without(block, lost), lost)
            result = derive.workload(
                race, self.suite, self.plan.margin, list(whole_blocks(self.observations))
            )
            self.view.interim(result)
            if result.blocks < race.blocks and derive.settled(result):
                self._observe(Settled(workload=race.key, blocks=result.blocks))
                self.view.note(f"✓ {race.key}: settled after {result.blocks} of {race.blocks} blocks")
                return None
            if (longer := lead_in.grown(race, result, block.index + 1)) is not None:
                return longer
        return None

    def _checked(self, stage: Stage, kind: Kind) -> set[str]:
        """Entries that cannot race: not built, wrong, or failed before a resume."""
        race = stage.race
        lost = {e.id for e in race.entries if stage.build(e.id).folder is None}
        failed = {o.entry for o in self.observations if isinstance(o, Failed) and o.workload == race.key}
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

    def _block(self, stage: Stage, kind: Kind, block: schedule.Block, lost: set[str]) -> None:
        race = stage.race
        self._observe(BlockStarted(workload=race.key, block=block.index, order=block.start, at=_now()))
        steps = (2 + len(race.loads)) * len(block.start) + len(block.turns)
        cpus = {*self.plan.server_cpus, *self.plan.generator_cpus}
        before = surroundings.read(cpus)
        with closing(kind.block(stage, block)) as observations:
            for done, observation in enumerate(observations, 1):
                self._observe(observation)
                if isinstance(observation, Failed):
                    lost.add(observation.entry)
                    self.view.warn(f"{observation.entry} leaves the race: {observation.reason}")
                within = min(1.0, done / steps)
                self.view.progress(block.index, min(1.0, (block.index + within) / race.blocks))
                self.stop.check()
        after = surroundings.read(cpus)
        self._observe(surroundings.between(before, after, workload=race.key, block=block.index, cpus=cpus))
        self._observe(BlockEnded(workload=race.key, block=block.index))


def _without(block: schedule.Block, lost: Collection[str]) -> schedule.Block:
    """The block without entries that have left; the order of the others stays."""
    return schedule.Block(
        block.index,
        tuple(entry for entry in block.start if entry not in lost),
        tuple(turn for turn in block.turns if turn.entry not in lost),
        block.seed,
    )


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
