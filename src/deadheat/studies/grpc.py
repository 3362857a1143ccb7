"""The gRPC study: ghz, with the study's flags, on the workload's own call; and others in its shape."""

from __future__ import annotations

import json
from pathlib import Path

from deadheat.generators.registry import GENERATORS
from deadheat.kinds.grpc import call as grpc_call
from deadheat.kinds.grpc.kind import GrpcKind, ask, filled
from deadheat.model.address import Address
from deadheat.model.work.grpc import GrpcWork
from deadheat.run.kind import Stage
from deadheat.studies.server import Loader, PublishedServers, Target, arguments

# The study's own configuration file is not part of its text: one name, that never changes.
NAME = "hello"
H2LOAD_BODY = "h2load-request.bin"
UNCHECKED = (
    "h2load looks at no grpc-status and no message: a server that fails calls would look fast; one call by "
    "gRPC's own client was answered right just before"
)


def published_grpc() -> PublishedServers:
    return PublishedServers(
        GrpcKind(),
        ask,
        {
            "ghz": Loader(GENERATORS["ghz"], _aim_ghz),
            "h2load": Loader(GENERATORS["h2load"], _aim_h2load),
            "deadheat-load": Loader(GENERATORS["deadheat-load"], _aim_ours),
        },
    )


def _aim_ghz(stage: Stage, entry: str, port: int) -> Target:
    work, proto = _asked(stage, port)
    call = ("--insecure", "--proto", str(proto), "--import-paths", str(proto.parent), "--call", work.call)
    data = ("--data", json.dumps(filled(work.data, NAME)))
    return Target((*call, *data, *arguments(stage, entry)), f"{stage.host.address}:{port}")


def _aim_h2load(stage: Stage, entry: str, port: int) -> Target:
    """Its body is the call's one message as gRPC frames it: not compressed, length, protobuf."""
    work, proto = _asked(stage, port)
    method = grpc_call.method(proto, work.call)
    message = method.asked(filled(work.data, NAME)).SerializeToString()
    (stage.logs / H2LOAD_BODY).write_bytes(b"\0" + len(message).to_bytes(4, "big") + message)
    headers = ("-H", "content-type: application/grpc", "-H", "te: trailers")
    return Target(
        (*arguments(stage, entry), "-d", H2LOAD_BODY, *headers),
        f"http://{stage.host.address}:{port}{method.path}",
        UNCHECKED,
    )


def _aim_ours(stage: Stage, entry: str, port: int) -> Target:
    work, proto = _asked(stage, port)
    call = ("--proto", str(proto), "--call", work.call, "--data", json.dumps(filled(work.data, NAME)))
    expected = ("--expect-message", json.dumps(filled(work.expect or {}, NAME)))
    return Target((*arguments(stage, entry), *call, *expected), f"grpc://{stage.host.address}:{port}")


def _asked(stage: Stage, port: int) -> tuple[GrpcWork, Path]:
    """The call and its contract, after one such call was answered right. Raises Wrong, or OSError."""
    work = stage.workload.grpc
    assert work is not None
    ask(stage, Address(host=stage.host.address, port=port), NAME)
    return work, (stage.workload_folder / work.proto).resolve()
