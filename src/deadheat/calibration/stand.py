"""Where a calibration's races are run: the ordinary runner, on a suite of servers with a known difference."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deadheat import __version__
from deadheat.build.builder import Builder
from deadheat.calibration import judged, servers
from deadheat.calibration.steps import WARM_UP_MS, Step
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host
from deadheat.hosts.program import Spec
from deadheat.model.calibration import CalibrationRace, MachineId
from deadheat.model.measured import SlicePlan
from deadheat.model.observation import Failed, Observation
from deadheat.model.past import Past
from deadheat.model.plan import Entry, Plan, RacePlan
from deadheat.plan import learnt
from deadheat.results.past import watched_s
from deadheat.results.tally import Tally, tallied
from deadheat.run.progress import NoView
from deadheat.run.runner import Runner
from deadheat.storage.journal import whole_blocks
from deadheat.storage.run_folder import RunFolder
from deadheat.studies.drivers import DRIVERS
from deadheat.suite.facts import facts_of
from deadheat.suite.suite import Suite
from deadheat.util import clock
from deadheat.util.interrupt import Stop


@dataclass
class Stand:
    """Servers, CPUs and a scratch folder; a race is run at a time and leaves nothing but its figures."""

    host: Host
    stop: Stop
    scratch: Path
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]
    machine: MachineId
    iterations: dict[str, int] = field(default_factory=dict)
    cost: servers.Cost | None = None
    # Of each server how long its watched starts took to be at their level, in all races so far, seconds.
    needed_s: dict[str, list[float]] = field(default_factory=dict)

    def race(self, step: Step, seed: int) -> CalibrationRace:
        """Run it. Raises InterruptedRunError where somebody stops it, UserError where it cannot be run."""
        other = servers.slower(step.planted) if step.planted else servers.TWIN
        suite = servers.write(self.scratch / "suite", self.iterations)
        plan = self._plan(step, seed, suite, (servers.PLAIN, other))
        began_s = time.monotonic()
        with self._neighbour(step.neighbour):
            observed = self._run(plan, suite)
        tally = tallied(plan.workloads[0], list(whole_blocks(observed)))
        _complain(observed, tally)
        for name, needed_s in watched_s(tally).items():
            self.needed_s.setdefault(name, []).extend(needed_s)
        return judged.race(
            step,
            plan,
            observed,
            other=other,
            iterations=(self.iterations[servers.PLAIN], self.iterations[other]),
            truth=self.cost.truth(self.iterations[other]) if self.cost is not None else None,
            seconds=time.monotonic() - began_s,
            machine=self.machine,
        )

    def _plan(self, step: Step, seed: int, suite: Suite, contenders: Sequence[str]) -> Plan:
        workload = suite.workloads[servers.WORKLOAD]
        race = RacePlan(
            workload=workload.name,
            kind=workload.kind,
            metric=workload.metric,
            reference=servers.PLAIN,
            entries=tuple(Entry(id=name, contender=name) for name in contenders),
            blocks=step.blocks,
            rounds=step.rounds,
            measured=SlicePlan(
                connections=workload.load.connections,
                warm_up_ms=WARM_UP_MS,
                lead_in_ms=step.lead_in_ms,
                counted_ms=step.counted_ms,
            ),
            to_the_end=step.to_the_end,
            past=self._past(contenders),
        )
        return Plan(
            run=f"calibration-{step.name}",
            version=__version__,
            started=clock.stamp(),
            command=("deadheat", "calibrate"),
            suite=str(suite.folder),
            preset="quick",
            seed=seed,
            margin=step.margin,
            disturbance=None,  # what a neighbour does to verdicts is to be seen, not to be run again
            server_cpus=self.server_cpus,
            generator_cpus=self.generator_cpus,
            workloads=(race,),
            facts=facts_of(suite, {workload.name: contenders}),
        )

    def _past(self, contenders: Sequence[str]) -> Past:
        """Warm-ups alone: a start is watched for as long as too few are known, as in any race."""
        known = {name: needed_s for name in contenders if (needed_s := self.needed_s.get(name))}
        return learnt.with_warm_ups(Past(), known)

    def _run(self, plan: Plan, suite: Suite) -> list[Observation]:
        folder = RunFolder(self.scratch / "race")
        shutil.rmtree(folder.path, ignore_errors=True)
        folder.logs.mkdir(parents=True)
        # What a race beside a neighbour learns of lead-ins is not for the next one.
        builder = Builder(self.host, self.stop, folder.path / "cache")
        runner = Runner(plan, suite, folder, DRIVERS, self.host, NoView(), self.stop, [], builder)
        runner.run()
        self.stop.check()
        return runner.observations

    @contextmanager
    def _neighbour(self, wanted: bool) -> Iterator[None]:
        """Somebody else on the CPUs of servers and generator, wherever the kernel puts it."""
        if not wanted:
            yield
            return
        argv = (sys.executable, "-m", "deadheat.calibration.neighbour")
        cpus = frozenset({*self.server_cpus, *self.generator_cpus})
        handle = self.host.start(Spec(argv=argv, cwd=self.scratch, env=dict(os.environ), cpus=cpus))
        try:
            yield
        finally:
            self.host.stop(handle, 1.0)


def _complain(observed: Sequence[Observation], tally: Tally) -> None:
    """A calibration's servers do not fail: where one does, nothing here can be trusted."""
    for observation in observed:
        if isinstance(observation, Failed):
            raise UserError(
                f"a server of the calibration failed: {observation.reason}",
                hint="deadheat doctor shows whether this machine can race at all",
                code=ExitCode.NOTHING_MEASURED,
            )
    reasons = [c.reason for c in tally.checked.values() if not c.ok]
    reasons += [b.reason for b in tally.built.values() if b.status != "ready"]
    if reasons or tally.unavailable or not tally.blocks:
        why = "; ".join(filter(None, [*reasons, tally.unavailable])) or "no block was finished"
        raise UserError(f"the calibration cannot be run: {why}", code=ExitCode.NOTHING_MEASURED)
