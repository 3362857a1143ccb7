"""What a right answer looks like: the digest that workload.toml defines, computed apart from any client."""

from collections.abc import Iterable

OFFSET = 0xCBF29CE484222325
PRIME = 0x100000001B3
MASK = (1 << 64) - 1

Reply = str | int | None


def replies(iterations: int, rounds: int = 1) -> Iterable[Reply]:
    """The replies of the study's commands to a Redis without the key at the start, in order."""
    for _ in range(rounds):
        # A round leaves nothing behind: its own third DEL took the counter away.
        yield 0
        yield from ("OK" for _ in range(iterations))
        yield from ("bar" for _ in range(iterations))
        yield 1 if iterations else 0
        yield from range(1, iterations + 1)
        yield 1 if iterations else 0
        yield from (None for _ in range(iterations))


def render(reply: Reply) -> bytes:
    """Text `$text`, a number `:number`, nil `_`, each with a line end."""
    match reply:
        case None:
            return b"_\n"
        case int():
            return b":%d\n" % reply
        case str():
            return b"$%s\n" % reply.encode()


def digest(iterations: int, rounds: int = 1) -> str:
    """FNV-1a, 64 bits, in sixteen hexadecimal digits."""
    state = OFFSET
    for reply in replies(iterations, rounds):
        for byte in render(reply):
            state = ((state ^ byte) * PRIME) & MASK
    return f"{state:016x}"
