"""The Redis study: each client once, timed by `time`, against a Redis that nothing is pinned away from."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

from deadheat.conformance import Wrong
from deadheat.kinds import invocations, redis_server
from deadheat.kinds.base import Stage
from deadheat.kinds.redis_client import RedisClientKind
from deadheat.model.observation import Observation
from deadheat.model.plan import WorkloadPlan
from deadheat.schedule import Block, Turn

# What `time` printed in the study: 0.28s user 0.04s system.
DIGITS = 2


class PublishedRedis(RedisClientKind):
    """Conformance is ours; then one invocation each, in the study's order, on one Redis."""

    def unavailable(self, race: WorkloadPlan) -> str | None:
        return redis_server.missing(redis_server.REDIS)

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            server = redis_server.start(stage, redis_server.REDIS, stack)
            for place, entry in enumerate(e.id for e in stage.race.entries if e.id in block.start):
                stage.view.state(entry, "racing")
                try:
                    ran = self._invocation(stage, block, Turn(0, place, entry), server, warm_up=False)
                except Wrong as wrong:
                    stage.view.state(entry, "failed")
                    yield invocations.failed(stage, block, entry, wrong)
                    continue
                stage.view.state(entry, "waiting")
                coarse = {"user_s": round(ran.user_s, DIGITS), "system_s": round(ran.system_s, DIGITS)}
                yield ran.model_copy(update=coarse)
