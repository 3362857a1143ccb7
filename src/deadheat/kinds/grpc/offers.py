"""Health and reflection, where a contender's manifest says that it serves them: their messages by hand, as
their contracts are a line each (grpc/health/v1, grpc/reflection/v1)."""

from __future__ import annotations

from collections.abc import Mapping

import grpc

from deadheat.kinds.conformance import Case, Wrong
from deadheat.model.contender import Offer

TIMEOUT_S = 10.0
HEALTH = "/grpc.health.v1.Health/Check"
# The protocol's first version, and the name that it had before.
REFLECTION = tuple(
    f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo" for version in ("v1", "v1alpha")
)
# HealthCheckResponse { status: SERVING }
SERVING = b"\x08\x01"
# ServerReflectionRequest { list_services: "" }
LIST_SERVICES = b"\x3a\x00"


def cases(opened: grpc.Channel, service: str) -> Mapping[Offer, Case]:
    """What each offer is asked about a service. They raise Wrong."""
    return {"health": lambda: _health(opened, service), "reflection": lambda: _reflection(opened, service)}


def _health(opened: grpc.Channel, service: str) -> None:
    name = service.encode()
    for asked, request in (("the server", b""), (service, b"\x0a" + bytes((len(name),)) + name)):
        try:
            reply = opened.unary_unary(HEALTH)(request, timeout=TIMEOUT_S)
        except grpc.RpcError as error:
            got = f"{error.code().name}: {error.details()}"
            raise Wrong(f"health of {asked}  expected SERVING  got {got[:200]}", got) from error
        if reply != SERVING:
            raise Wrong(f"health of {asked}  expected SERVING  got {reply!r}", repr(reply))


def _reflection(opened: grpc.Channel, service: str) -> None:
    got = ""
    for path in REFLECTION:
        try:
            reply = next(iter(opened.stream_stream(path)(iter([LIST_SERVICES]), timeout=TIMEOUT_S)))
        except grpc.RpcError as error:
            got = f"{error.code().name}: {error.details()}"
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                continue
            break
        except StopIteration:
            got = "no reply"
            break
        if service.encode() in reply:
            return
        got = f"services without it: {reply[:200]!r}"
        break
    raise Wrong(f"reflection  expected {service} among the services  got {got[:200]}", got)
