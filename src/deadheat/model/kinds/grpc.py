"""gRPC servers: the field counts calls."""

from deadheat.model.kinds.traits import Traits

GRPC = Traits(
    section="grpc",
    serves=True,
    per="a call",
    beside="memory",
    unit="call",
    rate_unit="calls/s",
    answers="offers",
)
