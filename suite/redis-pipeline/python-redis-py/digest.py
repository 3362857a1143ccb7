"""The digest of replies that workload.toml defines."""

from collections.abc import Iterable

PRIME = 0x100000001B3
MASK = (1 << 64) - 1


class Digest:
    """FNV-1a, 64 bits, over `$text`, `:number`, `_`, each with a line end."""

    def __init__(self) -> None:
        self._state = 0xCBF29CE484222325

    def add(self, replies: Iterable[object]) -> None:
        """Takes replies as redis-py hands them over: True is its OK."""
        state = self._state
        for reply in replies:
            for byte in render(reply):
                state = ((state ^ byte) * PRIME) & MASK
        self._state = state

    def __str__(self) -> str:
        return f"{self._state:016x}"


def render(reply: object) -> bytes:
    """One reply's canonical form."""
    match reply:
        case None:
            return b"_\n"
        case True:
            return b"$OK\n"
        case int():
            return b":%d\n" % reply
        case bytes():
            return b"$%b\n" % reply
    raise ValueError(f"unexpected reply {reply!r}")
