"""The kinds that this version can drive."""

from deadheat.kinds.base import Kind
from deadheat.kinds.grpc import GrpcKind
from deadheat.kinds.http import HttpKind
from deadheat.kinds.program import ProgramKind
from deadheat.kinds.published_grpc import published_grpc
from deadheat.kinds.published_http import published_http
from deadheat.kinds.published_redis import PublishedRedis
from deadheat.kinds.redis_client import RedisClientKind

KINDS: dict[str, Kind] = {
    "program": ProgramKind(),
    "http": HttpKind(),
    "grpc": GrpcKind(),
    "redis-client": RedisClientKind(),
}

# The studies' own methods beside ours.
BY_METHOD: dict[tuple[str, str], Kind] = {
    **{(name, "deadheat"): kind for name, kind in KINDS.items()},
    ("http", "as-published"): published_http(),
    ("grpc", "as-published"): published_grpc(),
    ("redis-client", "as-published"): PublishedRedis(),
}
