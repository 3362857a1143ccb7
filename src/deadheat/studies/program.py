"""Programs by a study's own method: each once, timed by `time`, pinned away from nothing."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program import invocations
from deadheat.kinds.program.kind import ProgramKind, invoked
from deadheat.kinds.services import start as services
from deadheat.model.observation import Observation
from deadheat.plan.schedule import Block, Turn
from deadheat.run.kind import Stage

# What `time` printed in the study: 0.28s user 0.04s system.
DIGITS = 2


class PublishedProgram(ProgramKind):
    """Conformance is ours; then one invocation each, in the study's order, on one start of the services.

    Where the study printed memory, another comes before it that is not timed.
    """

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack, block.start)
            for place, entry in enumerate(e.id for e in stage.race.entries if e.id in block.start):
                stage.view.state(entry, "racing")
                try:
                    turn = Turn(0, place, entry)
                    if stage.race.outside is not None and stage.race.outside.memory:
                        yield invoked(stage, block, turn, running, warm_up=True)
                    ran = invoked(stage, block, turn, running, warm_up=False)
                except Wrong as wrong:
                    stage.view.state(entry, "failed")
                    yield invocations.failed(stage, block, entry, wrong)
                    continue
                stage.view.state(entry, "waiting")
                yield ran.replaced(user_s=round(ran.user_s, DIGITS), system_s=round(ran.system_s, DIGITS))
            yield from running.ran(block.index)
