"""Programs that send a pipeline to a Redis and time themselves."""

from deadheat.model.kinds.traits import Traits

REDIS_CLIENT = Traits(
    section="redis", serves=False, per="a run", beside="connection", own_clock=True, needs_service=True
)
