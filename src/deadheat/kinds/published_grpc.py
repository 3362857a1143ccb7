"""The gRPC study: ghz, with the study's flags, on the workload's own call."""

from __future__ import annotations

import json

from deadheat.generators.ghz import Ghz
from deadheat.kinds.base import Stage
from deadheat.kinds.grpc import GrpcKind, ask
from deadheat.kinds.published_server import PublishedServers, Target, arguments

# The study's own configuration file is not part of its text: one name, that never changes.
NAME = "hello"


def published_grpc() -> PublishedServers:
    return PublishedServers(GrpcKind(), Ghz(), ask, _aim)


def _aim(stage: Stage, entry: str, port: int) -> Target:
    work = stage.workload.grpc
    assert work is not None
    ask(stage, port, NAME)
    proto = (stage.workload_folder / work.proto).resolve()
    data = {key: value.replace("{token}", NAME) for key, value in work.data.items()}
    call = ("--insecure", "--proto", str(proto), "--import-paths", str(proto.parent), "--call", work.call)
    return Target(
        (*call, "--data", json.dumps(data), *arguments(stage, entry)), f"{stage.host.address}:{port}"
    )
