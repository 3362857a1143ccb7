"""A command without a suite is tried before its race: what it answers, beside services of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from deadheat import plan as planning
from deadheat.app.asking import Values
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host
from deadheat.hosts.cpus import default_cpus
from deadheat.kinds.registry import KINDS
from deadheat.kinds.services import start as services
from deadheat.plan import Asked
from deadheat.run.kind import RaceUnavailableError, Stage
from deadheat.run.progress import NoView
from deadheat.suite import ad_hoc_suite
from deadheat.suite.ad_hoc import AdHoc, Answer, Command
from deadheat.suite.suite import load
from deadheat.util.interrupt import Stop


@dataclass
class Trial:
    """A command that is tried, and what its starts take. `took_s`: until its services served, the last
    time."""

    wanted: AdHoc
    folder: Path
    logs: Path
    host: Host
    stop: Stop
    took_s: float = 0.0

    def of(self, command: Command) -> Trial:
        """The same for another command."""
        return replace(self, wanted=replace(self.wanted, commands=(command,)))

    @contextmanager
    def services(self) -> Iterator[Values]:
        """Where they are, by what lines call them. Raises UserError where one cannot run."""
        if not self.wanted.services:
            yield {}
            return
        begun = time.monotonic()
        stage = self._stage()
        with ExitStack() as stack:
            try:
                stage, _ = services.beside(stage, stack, [self.wanted.first.name])
            except RaceUnavailableError as error:
                raise UserError(str(error), code=ExitCode.NOTHING_MEASURED) from error
            self.took_s = time.monotonic() - begun
            yield {**stage.addresses, **stage.of_entries[self.wanted.first.name]}

    def _stage(self) -> Stage:
        """Of a workload that says nothing yet of what is right."""
        ad_hoc_suite.write_workload(self.wanted, Answer(body=None), self.folder)
        suite = load(self.folder)
        cpus = default_cpus(self.host.cores())
        asked = Asked(
            workloads=(self.wanted.workload,),
            server_cpus=cpus.servers,
            generator_cpus=cpus.generators,
            seed=None,
        )
        plan = planning.plan(asked, suite, tuple(KINDS))
        return Stage.of(
            plan,
            plan.workloads[0],
            suite,
            {},
            host=self.host,
            view=NoView(),
            stop=self.stop,
            logs=self.logs,
        )
