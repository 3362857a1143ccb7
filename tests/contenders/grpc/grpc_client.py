"""Calls a Greeter on loopback and prints what came back as one JSON object.

Runs on the interpreter that the contender python-grpc-aio builds for itself, which has grpcio: gRPC's
own client, written by none of the contenders under test but one.

    grpc_client.py PORT
"""

import json
import sys
from typing import Any

# Only the interpreter that runs this has them.
import greeter_pb2  # type: ignore[import-not-found, import-untyped, unused-ignore]
import grpc  # type: ignore[import-not-found, import-untyped, unused-ignore]
from google.protobuf import descriptor_pb2  # type: ignore[import-not-found, import-untyped, unused-ignore]
from grpc_health.v1 import health_pb2  # type: ignore[import-not-found, import-untyped, unused-ignore]
from grpc_reflection.v1alpha import reflection_pb2  # type: ignore[import-not-found, import-untyped, unused-ignore]

CONCURRENT = 1_000
LIMIT_BYTES = 4 << 20
TIMEOUT_S = 30


def say_hello(
    channel: Any,
    name: str,
    method: str = "/greeter.Greeter/SayHello",
    timeout: float = TIMEOUT_S,
    **options: Any,
) -> str:
    """The message for this name."""
    call = channel.unary_unary(
        method,
        request_serializer=greeter_pb2.HelloRequest.SerializeToString,
        response_deserializer=greeter_pb2.HelloReply.FromString,
    )
    reply = call(greeter_pb2.HelloRequest(name=name), timeout=timeout, **options)
    return str(reply.message)


def status(call: Any, *args: Any, **options: Any) -> str:
    """The name of the status that the call ends with."""
    try:
        call(*args, **options)
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def greetings(channel: Any, names: list[str]) -> list[list[str]]:
    """Names with a message that is not theirs."""
    return [[name, got] for name in names if (got := say_hello(channel, name)) != f"Hello from {name}!"]


def concurrent_greetings(channel: Any) -> list[list[str]]:
    """Wrong answers among CONCURRENT calls that are under way at once."""
    call = channel.unary_unary(
        "/greeter.Greeter/SayHello",
        request_serializer=greeter_pb2.HelloRequest.SerializeToString,
        response_deserializer=greeter_pb2.HelloReply.FromString,
    )
    names = [f"caller {number}" for number in range(CONCURRENT)]
    calls = [call.future(greeter_pb2.HelloRequest(name=name), timeout=TIMEOUT_S) for name in names]
    return [
        [name, reply.result().message]
        for name, reply in zip(names, calls, strict=True)
        if reply.result().message != f"Hello from {name}!"
    ]


def stream(channel: Any, name: str) -> list[str]:
    """All messages of one server stream."""
    call = channel.unary_stream(
        "/greeter.Greeter/SayHellos",
        request_serializer=greeter_pb2.HelloRequest.SerializeToString,
        response_deserializer=greeter_pb2.HelloReply.FromString,
    )
    return [reply.message for reply in call(greeter_pb2.HelloRequest(name=name), timeout=TIMEOUT_S)]


def deadlines(channel: Any) -> list[str]:
    """The statuses that calls with next to no time end with."""
    return sorted({status(say_hello, channel, "late", timeout=1e-6) for _ in range(20)})


def health(channel: Any, service: str) -> str:
    """The health service's word on a service, or the name of the status instead."""
    call = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    try:
        reply = call(health_pb2.HealthCheckRequest(service=service), timeout=TIMEOUT_S)
    except grpc.RpcError as error:
        return str(error.code().name)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(reply.status))


def reflect(channel: Any, **question: Any) -> Any:
    """What reflection answers, by version 1 of its protocol or the one before; None without either."""
    for version in ("v1", "v1alpha"):
        call = channel.stream_stream(
            f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        request = reflection_pb2.ServerReflectionRequest(**question)
        try:
            return next(iter(call(iter([request]), timeout=TIMEOUT_S)))
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                raise
    return None


def reflected_contract(channel: Any) -> dict[str, Any] | None:
    """The contract that the server was compiled from, as messages and methods."""
    reply = reflect(channel, file_containing_symbol="greeter.Greeter")
    if reply is None:
        return None
    file = descriptor_pb2.FileDescriptorProto()
    for content in reply.file_descriptor_response.file_descriptor_proto:
        file.ParseFromString(content)
        if file.package == "greeter":
            return contract(file)
    return None


def contract(file: Any) -> dict[str, Any]:
    """Messages with their fields, methods with their types."""
    messages = {
        message.name: [[field.number, field.name, field.type] for field in message.field]
        for message in file.message_type
    }
    methods = {
        f"{service.name}/{method.name}": [
            method.input_type.lstrip("."),
            method.output_type.lstrip("."),
            method.client_streaming,
            method.server_streaming,
        ]
        for service in file.service
        for method in service.method
    }
    return {"package": file.package, "messages": messages, "methods": methods}


def own_contract() -> dict[str, Any]:
    """The workload's contract as it is now."""
    file = descriptor_pb2.FileDescriptorProto()
    greeter_pb2.DESCRIPTOR.CopyToProto(file)
    return contract(file)


def main(port: str) -> None:
    """Every check, one after the other, on one connection."""
    options = [("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        grpc.channel_ready_future(channel).result(timeout=TIMEOUT_S)
        found = {
            "greetings": greetings(channel, ["", "7f3a9c", "x" * 1024, "Zoë 北京 🦀", 'a "quoted" \\ name']),
            "concurrent": concurrent_greetings(channel),
            "unknown method": status(say_hello, channel, "x", method="/greeter.Greeter/SayGoodbye"),
            "unknown service": status(say_hello, channel, "x", method="/greeter.Nobody/SayHello"),
            "under the limit": status(say_hello, channel, "x" * (LIMIT_BYTES - 1024)),
            "over the limit": status(say_hello, channel, "x" * (LIMIT_BYTES + 1)),
            "gzip": say_hello(channel, "x" * 1024, compression=grpc.Compression.Gzip),
            "stream": stream(channel, "7f3a9c"),
            "deadlines": deadlines(channel),
            "health": health(channel, ""),
            "health of the service": health(channel, "greeter.Greeter"),
            "contract": own_contract(),
            "reflected contract": reflected_contract(channel),
            "at the end": say_hello(channel, "still here"),
        }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
