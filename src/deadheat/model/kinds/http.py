"""HTTP/1.1 servers."""

from deadheat.model.kinds.traits import Traits

HTTP = Traits(
    section="request",
    serves=True,
    per="a request",
    beside="memory",
    answers="headers",
    in_flight="pipelined requests",
)
