"""Every contender gives the right answers to gRPC's own client."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Start
from .servers import Servers, UnavailableError

CONTENDERS = (
    "go-grpc",
    "go-grpc:tuned",
    "rust-tonic",
    "rust-tonic:tuned",
    "rust-volo",
    "cpp-grpc",
    "go-connect",
    "java-grpc",
    "java-grpc:direct-executor",
    "node-grpc-js",
    "python-grpc-aio",
)
# tonic ends a call whose message is over the limit with OUT_OF_RANGE, and cannot be told otherwise.
OVER_THE_LIMIT = {"rust-tonic": "OUT_OF_RANGE"}


@pytest.fixture(scope="module", params=CONTENDERS)
def answers(request: pytest.FixtureRequest, start: Start, servers: Servers) -> dict[str, Any]:
    """What one contender answered to everything that `grpc_client.py` asks."""
    try:
        servers.build("python-grpc-aio")
    except UnavailableError as reason:
        pytest.skip(f"the client needs grpcio: {reason}")
    server = start(request.param)
    try:
        contender = server.build.contender
        return {"contender": contender.name, "offers": contender.offers, **servers.ask(server)}
    finally:
        server.stop()


def test_each_caller_gets_its_own_greeting(answers: dict[str, Any]) -> None:
    assert answers["greetings"] == []
    assert answers["concurrent"] == []


def test_what_nobody_serves_is_unimplemented(answers: dict[str, Any]) -> None:
    assert answers["unknown method"] == "UNIMPLEMENTED"
    assert answers["unknown service"] == "UNIMPLEMENTED"


def test_messages_are_limited_to_4_mib(answers: dict[str, Any]) -> None:
    assert answers["under the limit"] == "OK"
    assert answers["over the limit"] == OVER_THE_LIMIT.get(answers["contender"], "RESOURCE_EXHAUSTED")


def test_gzip_requests_are_accepted(answers: dict[str, Any]) -> None:
    assert answers["gzip"] == f"Hello from {'x' * 1024}!"


def test_a_stream_has_100_greetings(answers: dict[str, Any]) -> None:
    assert answers["stream"] == ["Hello from 7f3a9c!"] * 100


def test_calls_whose_time_is_up_end_and_leave_the_server_whole(answers: dict[str, Any]) -> None:
    # A server may well be done in time; CANCELLED is how the stream's reset reaches the client.
    assert set(answers["deadlines"]) <= {"OK", "DEADLINE_EXCEEDED", "CANCELLED"}
    assert answers["at the end"] == "Hello from still here!"


def test_health_and_reflection_know_the_service_where_they_are_offered(answers: dict[str, Any]) -> None:
    health = "SERVING" if "health" in answers["offers"] else "UNIMPLEMENTED"
    assert answers["health"] == answers["health of the service"] == health
    contract = answers["contract"] if "reflection" in answers["offers"] else None
    assert answers["reflected contract"] == contract
