"""Servers that speak Redis' protocol."""

from deadheat.model.kinds.traits import Traits

REDIS = Traits(
    section="redis",
    serves=True,
    per="a command",
    beside="memory",
    unit="command",
    rate_unit="commands/s",
    in_flight="pipelined commands",
)
