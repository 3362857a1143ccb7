"""gRPC servers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import grpc

from deadheat.kinds.conformance import Case, Remark, Wrong
from deadheat.kinds.grpc import call as grpc_call
from deadheat.kinds.grpc import frames as grpc_frames
from deadheat.kinds.grpc import offers as grpc_offers
from deadheat.kinds.grpc.call import Method
from deadheat.kinds.server.block import threads
from deadheat.kinds.server.check import Listening
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.server_kind import ServerKind
from deadheat.model.address import Address
from deadheat.model.work.grpc import GrpcWork
from deadheat.plan.schedule import token
from deadheat.run.kind import Stage

# A call that never ends is found; a busy machine (1,000 calls of 100 messages at once) is not.
CALL_TIMEOUT_S = 60.0
CONCURRENT = 1000
# Of a server of which nothing else is known.
AT_ONCE = 50
# Above the 4 MiB that gRPC servers take by default.
TOO_LARGE_BYTES = 5 << 20
# What gRPC's own documents say, and what tonic says instead: both refuse.
TOO_LARGE = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.OUT_OF_RANGE)
NAMES = ("", "n" * 1024, "Grüße, 世界 🏁")


def _cases(stage: Stage, entry: str, server: Listening) -> Iterator[Case]:
    """First by hand who speaks there, then all calls on one connection, at last how it stops.

    A ceiling gives right answers to the load and to what it is asked alike; the rest is a stack's.
    """
    host, port, method = server.host, server.port, _method(stage)
    messages = _work(stage).messages
    if _work(stage).conformance == "call":
        with grpc_call.channel(host.address, port) as opened:
            yield from _only(stage, entry, opened)
        return
    is_stack = stage.build(entry).contender.class_ != "ceiling"
    token_of = random.Random(f"{stage.plan.seed}:by hand:{entry}")
    yield lambda: grpc_frames.whole_reply(host, port, method, _message(stage, token(token_of)), messages)
    with grpc_call.channel(host.address, port) as opened:
        yield from _calls(stage, entry, opened)
        if is_stack:
            yield from _refusals(stage, opened, token(token_of))
        offers = grpc_offers.cases(opened, method.path[1:].partition("/")[0])
        yield from (offers[offer] for offer in stage.build(entry).contender.offers)
    yield lambda: grpc_frames.deadline(host, port, method)
    if is_stack:
        packed = _message(stage, token(token_of))
        yield lambda: grpc_frames.gzip_reply(host, port, method, packed)
        last = _message(stage, token(token_of))
        yield lambda: grpc_frames.stop(host, port, method, last, messages, server.stop)


def _only(stage: Stage, entry: str, opened: grpc.Channel) -> Iterator[Case]:
    """The call itself, alone and beside others."""
    work, method = _work(stage), _method(stage)
    rng = random.Random(f"{stage.plan.seed}:check:{entry}")
    for _ in range(5):
        yield partial(_greeted, work, method, opened, token(rng))
    yield partial(_all_at_once, work, method, opened, [token(rng) for _ in range(AT_ONCE)])


def _calls(stage: Stage, entry: str, opened: grpc.Channel) -> Iterator[Case]:
    work, method = _work(stage), _method(stage)
    rng = random.Random(f"{stage.plan.seed}:check:{entry}")
    for name in (*(token(rng) for _ in range(5)), *NAMES):
        yield partial(_greeted, work, method, opened, name)
    yield partial(_greeted, work, method, opened, token(rng), grpc.Compression.Gzip)
    yield partial(_all_at_once, work, method, opened, [token(rng) for _ in range(CONCURRENT)])


def _refusals(stage: Stage, opened: grpc.Channel, name: str) -> Iterator[Case]:
    """What nobody serves, what is too long; and that it serves on as before."""
    work, method = _work(stage), _method(stage)
    unknown = Method("/nobody.Nowhere/Nothing", method.request, method.reply, server_streaming=False)
    yield partial(_refused, work, unknown, opened, "x", grpc.StatusCode.UNIMPLEMENTED)
    yield partial(_refused, work, method, opened, "x" * TOO_LARGE_BYTES, *TOO_LARGE)
    yield partial(_greeted, work, method, opened, name)


def _message(stage: Stage, name: str) -> bytes:
    return bytes(_method(stage).asked(filled(_work(stage).data, name)).SerializeToString())


def _greeted(
    work: GrpcWork,
    method: Method,
    opened: grpc.Channel,
    name: str,
    compression: grpc.Compression = grpc.Compression.NoCompression,
) -> None:
    call = grpc_call.start(opened, method, filled(work.data, name), CALL_TIMEOUT_S, compression)
    _compare(work, method, name, call)


def _all_at_once(work: GrpcWork, method: Method, opened: grpc.Channel, names: list[str]) -> None:
    calls = [
        (name, grpc_call.start(opened, method, filled(work.data, name), CALL_TIMEOUT_S)) for name in names
    ]
    for name, call in calls:
        _compare(work, method, name, call)


def _refused(
    work: GrpcWork, method: Method, opened: grpc.Channel, name: str, *expected: grpc.StatusCode
) -> Remark | None:
    """A status that gRPC's documents have, the first expected; another of them is worth a remark."""
    call = grpc_call.start(opened, method, filled(work.data, name), CALL_TIMEOUT_S)
    shown = name if len(name) < 40 else f"{len(name):,} bytes"
    try:
        list(call) if method.server_streaming else call.result()
    except grpc.RpcError as error:
        got = error.code().name
        if error.code() is expected[0]:
            return None
        if error.code() in expected:
            return Remark(f"a message of {shown} ends with {got}, by gRPC's documents {expected[0].name}")
    else:
        got = "OK"
    raise Wrong(
        f"{method.path} of {shown}  expected {expected[0].name}  got {got}", f"{method.path}({shown}): {got}"
    )


def _compare(work: GrpcWork, method: Method, name: str, call: Any) -> None:
    """Status and every field of every message. Raises Wrong."""
    asked = f"{method.path}({filled(work.data, name)})"
    try:
        replies = list(call) if method.server_streaming else [call.result()]
    except grpc.RpcError as error:
        what = f"{error.code().name}: {error.details()}"
        raise Wrong(f"{asked[:120]}  expected OK  got {what[:200]}", f"{asked}\n{what}") from error
    if len(replies) != work.messages:
        raise Wrong(f"{asked[:120]}  expected {work.messages} messages  got {len(replies)}", asked)
    if work.expect is None:
        return
    right = method.right(filled(work.expect, name))
    for reply in replies:
        if reply != right:
            expected, got = _first_difference(right, reply)
            raise Wrong(f'{asked[:120]}  expected "{expected[:80]}"  got "{got[:80]}"', f"{asked}\n{reply}")


def _first_difference(right: Any, reply: Any) -> tuple[str, str]:
    """Of the first field that is another, else (fields that the contract does not have) of all of them."""
    for field in right.DESCRIPTOR.fields:
        both = getattr(right, field.name), getattr(reply, field.name)
        if both[0] != both[1]:
            return str(both[0]).strip(), str(both[1]).strip()
    return str(right).strip(), str(reply).strip()


def ask(stage: Stage, at: Address, random_token: str) -> None:
    """The very call that the load makes, once. Raises Wrong, or OSError where nobody answers."""
    with grpc_call.channel(at.host, at.port) as opened:
        try:
            _greeted(_work(stage), _method(stage), opened, random_token, _compression(stage))
        except Wrong as wrong:
            # Nobody there yet reads as UNAVAILABLE: not an answer, so not a wrong one.
            if "UNAVAILABLE" in wrong.reason:
                raise ConnectionRefusedError(wrong.reason) from wrong
            raise


def target(stage: Stage, at: Address) -> Mapping[str, Any]:
    work = _work(stage)
    return {
        "url": f"grpc://{at.host}:{at.port}",
        "connections": stage.race.load.connections,
        "streams": stage.race.load.streams,
        **threads(stage.race),
        "proto": str(_proto(stage)),
        "call": work.call,
        "data": work.data,
        "expect": work.expect,
        "messages": work.messages,
        "gzip": work.gzip(stage.race.values),
    }


PROTOCOL = ServerProtocol(ask, target)


class GrpcKind(ServerKind):
    """Every status and message checked: in full once a run, one token at each start, and under load."""

    protocol = PROTOCOL

    def cases(self, stage: Stage, entry: str, server: Listening) -> Iterator[Case]:
        return _cases(stage, entry, server)


def _compression(stage: Stage) -> grpc.Compression:
    asked = _work(stage).gzip(stage.race.values)
    return grpc.Compression.Gzip if asked else grpc.Compression.NoCompression


def filled(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """With `name` for `{token}` in every text of them."""
    return {key: _with(value, name) for key, value in fields.items()}


def _with(value: Any, name: str) -> Any:
    match value:
        case str():
            return value.replace("{token}", name)
        case dict():
            return filled(value, name)
        case list():
            return [_with(each, name) for each in value]
        case _:
            return value


def _work(stage: Stage) -> GrpcWork:
    assert stage.workload.grpc is not None
    return stage.workload.grpc


def _proto(stage: Stage) -> Path:
    return (stage.workload_folder / _work(stage).proto).resolve()


def _method(stage: Stage) -> Method:
    return grpc_call.method(_proto(stage), _work(stage).call)
