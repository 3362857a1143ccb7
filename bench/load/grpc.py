"""The gRPC call that all generators make."""

from __future__ import annotations

from pathlib import Path

from .generator import Generator, ours

CALL = "greeter.Greeter/SayHello"
PROTO = Path(__file__).parents[2] / "suite" / "grpc-unary" / "greeter.proto"
NAME = "abc"


def framed_message() -> bytes:
    """`{"name": NAME}` with gRPC's prefix: not compressed, length, field 1 as text."""
    name = NAME.encode()
    message = bytes([0x0A, len(name)]) + name
    return b"\0" + len(message).to_bytes(4, "big") + message


def ours_grpc(name: str, connections: int, streams: int, *options: str) -> Generator:
    """Every reply's status and message checked."""
    return ours(
        name, lambda address: f"grpc://{address}",
        "-c", str(connections), "--streams", str(streams), "--proto", str(PROTO), "--call", CALL,
        "--data", f'{{"name": "{NAME}"}}', "--expect-message", f'{{"message": "Hello from {NAME}!"}}',
        *options,
    )  # fmt: skip
