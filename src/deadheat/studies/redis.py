"""The Redis study: each client once, timed by `time`, against a Redis that nothing is pinned away from."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

from deadheat.kinds.conformance import Wrong
from deadheat.kinds.program import invocations
from deadheat.kinds.redis.kind import REDIS, RedisClientKind
from deadheat.kinds.services import start as services
from deadheat.model.observation import Observation
from deadheat.plan.schedule import Block, Turn
from deadheat.run.kind import Stage

# What `time` printed in the study: 0.28s user 0.04s system.
DIGITS = 2


class PublishedRedis(RedisClientKind):
    """Conformance is ours; then one invocation each, in the study's order, on one Redis."""

    def unavailable(self, stage: Stage) -> str | None:
        return services.missing(stage.workload.services_at({"server": REDIS}))

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack, {"server": REDIS})
            server = running.each[0]
            for place, entry in enumerate(e.id for e in stage.race.entries if e.id in block.start):
                stage.view.state(entry, "racing")
                try:
                    ran = self._invocation(stage, block, Turn(0, place, entry), server, warm_up=False)
                except Wrong as wrong:
                    stage.view.state(entry, "failed")
                    yield invocations.failed(stage, block, entry, wrong)
                    continue
                stage.view.state(entry, "waiting")
                yield ran.replaced(user_s=round(ran.user_s, DIGITS), system_s=round(ran.system_s, DIGITS))
            yield server.ran(block.index)
