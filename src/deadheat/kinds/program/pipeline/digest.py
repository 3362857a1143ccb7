"""The digest that proves that a client has read every reply of a workload."""

from __future__ import annotations

from collections.abc import Iterator

from deadheat.kinds.program.pipeline.key import Key
from deadheat.model.pipeline import Pipeline, ReplyDigest

FNV_OFFSET, FNV_PRIME, FNV_MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def digest(pipeline: Pipeline, n: int, rounds: int) -> str:
    """FNV-1a, 64 bits, over the canonical rendering of all replies, as the workload describes it."""
    value = FNV_OFFSET
    for _ in range(rounds):
        for reply in _replies(pipeline, n):
            for byte in reply:
                value = ((value ^ byte) * FNV_PRIME) & FNV_MASK
    return f"{value:016x}"


def _replies(pipeline: Pipeline, n: int) -> Iterator[bytes]:
    """What Redis answers to one round. Each round leaves the key deleted, so all are alike."""

    key = Key(pipeline.key.encode())
    for times, command in pipeline.runs(n, pipeline.increments[0]):
        words = tuple(word.encode() for word in command.split())
        for _ in range(times):
            yield _rendered(pipeline.digest, key.carry_out(words))


def _rendered(digest: ReplyDigest, reply: bytes) -> bytes:
    """A reply of RESP as the digest has it: simple and bulk strings alike."""
    first, _, rest = reply.partition(b"\r\n")
    match first[:1]:
        case b":":
            return digest.integer.replace("{number}", first[1:].decode()).encode()
        case b"$" if first == b"$-1":
            return digest.nil.encode()
        case b"$":
            return digest.text.replace("{text}", rest.removesuffix(b"\r\n").decode()).encode()
    return digest.text.replace("{text}", first[1:].decode()).encode()
