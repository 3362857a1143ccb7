"""Calls a Greeter on loopback and prints what came back as one JSON object.

Runs on the interpreter that the contender python-grpc-aio builds for itself, which has grpcio: gRPC's
own client, written by none of the contenders under test but one.

    grpc_client.py PORT
"""

import json
import sys

import grpc
import greeter_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

CONCURRENT = 1_000
LIMIT_BYTES = 4 << 20
TIMEOUT_S = 30


def say_hello(channel, name, method="/greeter.Greeter/SayHello", timeout=TIMEOUT_S, **options):
    """The message for this name."""
    call = channel.unary_unary(
        method,
        request_serializer=greeter_pb2.HelloRequest.SerializeToString,
        response_deserializer=greeter_pb2.HelloReply.FromString,
    )
    return call(greeter_pb2.HelloRequest(name=name), timeout=timeout, **options).message


def status(call, *args, **options):
    """The name of the status that the call ends with."""
    try:
        call(*args, **options)
    except grpc.RpcError as error:
        return error.code().name
    return "OK"


def greetings(channel, names):
    """Names with a message that is not theirs."""
    return [[name, got] for name in names if (got := say_hello(channel, name)) != f"Hello from {name}!"]


def concurrent_greetings(channel):
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


def stream(channel, name):
    """All messages of one server stream."""
    call = channel.unary_stream(
        "/greeter.Greeter/SayHellos",
        request_serializer=greeter_pb2.HelloRequest.SerializeToString,
        response_deserializer=greeter_pb2.HelloReply.FromString,
    )
    return [reply.message for reply in call(greeter_pb2.HelloRequest(name=name), timeout=TIMEOUT_S)]


def deadlines(channel):
    """The statuses that calls with next to no time end with."""
    return sorted({status(say_hello, channel, "late", timeout=1e-6) for _ in range(20)})


def health(channel, service):
    """The health service's word on a service."""
    call = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    reply = call(health_pb2.HealthCheckRequest(service=service), timeout=TIMEOUT_S)
    return health_pb2.HealthCheckResponse.ServingStatus.Name(reply.status)


def reflected(channel):
    """The services that reflection lists, by version 1 of its protocol or the one before."""
    for version in ("v1", "v1alpha"):
        call = channel.stream_stream(
            f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        try:
            reply = next(iter(call(iter([request]), timeout=TIMEOUT_S)))
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                raise
        else:
            return sorted(service.name for service in reply.list_services_response.service)
    return []


def main(port):
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
            "reflection": reflected(channel),
            "at the end": say_hello(channel, "still here"),
        }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
