"""The kinds that this version can drive, and the protocols of those that are servers."""

from deadheat.kinds import http, redis_server
from deadheat.kinds.grpc import kind as grpc
from deadheat.kinds.program.kind import ProgramKind
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.run.kind import Kind
from deadheat.util.registry import Registry

KINDS: Registry[Kind] = Registry(
    "kind",
    {
        "program": ProgramKind(),
        "http": http.HttpKind(),
        "grpc": grpc.GrpcKind(),
        "redis": redis_server.RedisKind(),
    },
)
PROTOCOLS: Registry[ServerProtocol] = Registry(
    "protocol", {"http": http.PROTOCOL, "grpc": grpc.PROTOCOL, "redis": redis_server.PROTOCOL}
)
