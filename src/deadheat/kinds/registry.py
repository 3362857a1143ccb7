"""The kinds that this version can drive."""

from deadheat.kinds.base import Kind
from deadheat.kinds.http import HttpKind
from deadheat.kinds.program import ProgramKind
from deadheat.kinds.redis_client import RedisClientKind

KINDS: dict[str, Kind] = {
    "program": ProgramKind(),
    "http": HttpKind(),
    "redis-client": RedisClientKind(),
}
