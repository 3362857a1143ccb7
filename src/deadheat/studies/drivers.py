"""What drives a race of a kind by a method: our kinds, and those of published studies."""

from deadheat.kinds.registry import KINDS
from deadheat.plan import OURS
from deadheat.run.kind import Kind
from deadheat.studies.grpc import published_grpc
from deadheat.studies.http import published_http
from deadheat.studies.plan import METHOD
from deadheat.studies.program import PublishedProgram

# By kind and method.
DRIVERS: dict[tuple[str, str], Kind] = {
    **{(name, OURS): kind for name, kind in KINDS.items()},
    ("http", METHOD): published_http(),
    ("grpc", METHOD): published_grpc(),
    ("program", METHOD): PublishedProgram(),
}
