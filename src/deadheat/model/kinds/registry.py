"""The kinds of workload by the name that workload.toml gives them."""

from typing import Literal

from deadheat.model.kinds.grpc import GRPC
from deadheat.model.kinds.http import HTTP
from deadheat.model.kinds.program import PROGRAM
from deadheat.model.kinds.redis import REDIS
from deadheat.model.kinds.traits import Traits
from deadheat.util.registry import Registry

Kind = Literal["program", "http", "grpc", "redis"]

TRAITS: Registry[Traits] = Registry("kind", {"program": PROGRAM, "http": HTTP, "grpc": GRPC, "redis": REDIS})
