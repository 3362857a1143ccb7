"""Greeter on grpc.aio."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator

import greeter_pb2
import greeter_pb2_grpc
import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

STREAM_LENGTH = 100
"""How many messages a call of SayHellos sends."""

GRACE_S = 5
"""How long calls in progress may take after SIGTERM."""

SERVICE = greeter_pb2.DESCRIPTOR.services_by_name["Greeter"].full_name


class Greeter(greeter_pb2_grpc.GreeterServicer):
    """Answers greetings."""

    async def SayHello(  # noqa: N802 (the contract's name)
        self, request: greeter_pb2.HelloRequest, context: grpc.aio.ServicerContext
    ) -> greeter_pb2.HelloReply:
        """Send one greeting."""
        return greet(request)

    async def SayHellos(  # noqa: N802
        self, request: greeter_pb2.HelloRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[greeter_pb2.HelloReply]:
        """Send the greeting STREAM_LENGTH times."""
        for _ in range(STREAM_LENGTH):
            yield greet(request)


def greet(request: greeter_pb2.HelloRequest) -> greeter_pb2.HelloReply:
    """The greeting for the name that is asked for."""
    return greeter_pb2.HelloReply(message=f"Hello from {request.name}!")


async def serve(port: str) -> None:
    """Serve Greeter, health and reflection on loopback, or the address in HOST, until SIGTERM."""
    server = grpc.aio.server()
    greeter_pb2_grpc.add_GreeterServicer_to_server(Greeter(), server)
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    await health_servicer.set("", health_pb2.HealthCheckResponse.SERVING)
    await health_servicer.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
    reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)

    server.add_insecure_port(f"{os.environ.get('HOST', '127.0.0.1')}:{port}")
    terminate = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate.set)
    await server.start()
    await terminate.wait()
    await server.stop(GRACE_S)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: server.py PORT")
    asyncio.run(serve(sys.argv[1]))
